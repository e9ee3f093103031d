"""The language of the window: Earshot's own strings, Qt's, and the notation of numbers and dates.

After strings in the source have changed, `python -m app.look.interface_language` updates the translations: new strings
are marked as unfinished in `resources/translations/*.ts`. Translate them there (by hand or in Qt Linguist), and run it
again to make the `.qm` that the app loads. Both files are committed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.preferences.preferences import INTERFACE_LANGUAGES

SOURCES = Path(__file__).resolve().parents[1]
TRANSLATIONS = SOURCES.parent / "resources" / "translations"
WRITTEN_IN = "en"
_LOCALES = {"en": QLocale.Language.English, "de": QLocale.Language.German}


def install(qt: QCoreApplication, language: str) -> str:
    """Set the language of all windows that are made from now on; return its code.

    `language` is one of INTERFACE_LANGUAGES; empty selects the first of the system's languages that is one of them, or
    English.
    """
    chosen = language or of_system(QLocale.system().uiLanguages())
    while _Words.spoken:
        qt.removeTranslator(_Words.spoken.pop())
    if chosen != WRITTEN_IN:
        of_qt = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
        for file in (of_qt / f"qtbase_{chosen}.qm", TRANSLATIONS / f"earshot_{chosen}.qm"):
            words = _Words()
            if words.load(str(file)) and qt.installTranslator(words):
                _Words.spoken.append(words)
    QLocale.setDefault(_locale(chosen))
    return chosen


def spoken() -> str:
    """Return the code of the window's language."""
    return QLocale().name().partition("_")[0]


def in_each_language(context: str, text: str) -> tuple[str, ...]:
    """Return a text of the source, and its translation into each other language of the window."""
    translated = (_translator_into(each).translate(context, text) for each in INTERFACE_LANGUAGES if each != WRITTEN_IN)
    return (text, *(each for each in translated if each))


@cache
def _translator_into(language: str) -> QTranslator:
    words = QTranslator()
    words.load(str(TRANSLATIONS / f"earshot_{language}.qm"))
    return words


def of_system(languages: list[str]) -> str:
    """Return the first of some languages, such as "de-AT", that the window supports; English if there is none."""
    spoken = (each.replace("_", "-").partition("-")[0].lower() for each in languages)
    return next((each for each in spoken if each in INTERFACE_LANGUAGES), WRITTEN_IN)


def update(folder: Path = TRANSLATIONS) -> None:
    """Update the .ts files of a folder from the source, and make the .qm of each.

    Raises CalledProcessError if one of Qt's tools fails, FileNotFoundError if they are not installed.
    """
    for language in INTERFACE_LANGUAGES:
        if language != WRITTEN_IN:
            written = folder / f"earshot_{language}.ts"
            gather(written, language)
            _run("lrelease", "-silent", str(written), "-qm", str(written.with_suffix(".qm")))


def gather(file: Path, language: str) -> None:
    """Write all strings of the source into a .ts file; existing translations stay."""
    _run(
        *("lupdate", "-silent", "-no-obsolete", "-locations", "none"),
        *("-source-language", WRITTEN_IN, "-target-language", language),
        *("-extensions", "py", str(SOURCES), "-ts", str(file)),
    )


class _Words(QTranslator):
    """Translations that `install` has loaded; finding them among Qt's own translators would be slow.

    Attributes:
        spoken: the ones in use.
    """

    spoken: ClassVar[list[_Words]] = []


def _locale(language: str) -> QLocale:
    """Return the locale of a language in the system's territory."""
    return QLocale(_LOCALES[language], QLocale.system().territory())


def _run(tool: str, *arguments: str) -> None:
    name = f"pyside6-{tool}"
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} was not found: it comes with PySide6.")
    subprocess.run([found, *arguments], check=True)


if __name__ == "__main__":
    update()
