"""The language of the window: Earshot's own words, Qt's, and how numbers and dates are written.

`python -m app.look.interface_language` brings the translations up to date after words in the source have changed: new
ones are in `resources/translations/*.ts` then, marked as unfinished, to be translated there (by hand or in Qt
Linguist); run it again, and the `.qm` that the app loads is made anew. Both are committed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.preferences.preferences import INTERFACE_LANGUAGES

SOURCES = Path(__file__).resolve().parents[1]
TRANSLATIONS = SOURCES.parent / "resources" / "translations"
WRITTEN_IN = "en"
_LOCALES = {"en": QLocale.Language.English, "de": QLocale.Language.German}


def install(qt: QCoreApplication, language: str) -> str:
    """Have all windows that are made from now on speak a language, in place of the one before; return which it is.

    `language` is one of INTERFACE_LANGUAGES; empty is the first of the system's that is one of them, or English.
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
    """Tell which language the window speaks."""
    return QLocale().name().partition("_")[0]


def of_system(languages: list[str]) -> str:
    """The first of some languages, such as "de-AT", that the window speaks; English where it speaks none."""
    spoken = (each.replace("_", "-").partition("-")[0].lower() for each in languages)
    return next((each for each in spoken if each in INTERFACE_LANGUAGES), WRITTEN_IN)


def update(folder: Path = TRANSLATIONS) -> None:
    """Bring the .ts files of a folder in line with the source, and make the .qm of each anew.

    Raises CalledProcessError where one of Qt's tools fails, FileNotFoundError where they are not installed.
    """
    for language in INTERFACE_LANGUAGES:
        if language != WRITTEN_IN:
            written = folder / f"earshot_{language}.ts"
            gather(written, language)
            _run("lrelease", "-silent", str(written), "-qm", str(written.with_suffix(".qm")))


def gather(file: Path, language: str) -> None:
    """Write all words of the source into a .ts file; what is translated there stays."""
    _run(
        *("lupdate", "-silent", "-no-obsolete", "-locations", "none"),
        *("-source-language", WRITTEN_IN, "-target-language", language),
        *("-extensions", "py", str(SOURCES), "-ts", str(file)),
    )


class _Words(QTranslator):
    """Translations that `install` put there; looking for them among what belongs to Qt would take longer than all else.

    Attributes:
        spoken: those of now.
    """

    spoken: ClassVar[list[_Words]] = []


def _locale(language: str) -> QLocale:
    """A language as it is written where the system stands."""
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
