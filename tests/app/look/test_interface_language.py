"""The window in German: all of it is translated, fits, and can be reached by keys that no other control has."""

from __future__ import annotations

import ast
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, QTranslator
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QMenu,
    QMenuBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.look import interface_language
from app.look.interface_language import SOURCES, TRANSLATIONS, gather, install, of_system
from app.look.language_names import TRANSLATED, language_name
from app.preferences.preferences import INTERFACE_LANGUAGES
from engine.translate.languages import NAMES
from tests.app.scenes import Scene, Stage, application_in

TOOL = shutil.which("pyside6-lupdate") or shutil.which("pyside6-lupdate", path=Path(sys.executable).parent)
TRANSLATED_INTO = tuple(each for each in INTERFACE_LANGUAGES if each != interface_language.WRITTEN_IN)
Word = tuple[str, str]  # its context, and as it is in the source
STEADY = re.compile(r"(?i)\b&?stead(?:y|i)")
IN_SOURCE = "pyside6-lupdate, of the same package as Qt, is not installed here"


@pytest.fixture(autouse=True)
def english_again(qapp: QApplication) -> Iterator[None]:
    usual = QLocale()
    yield
    install(qapp, "en")
    QLocale.setDefault(usual)


def messages(file: Path) -> dict[Word, ElementTree.Element]:
    """Return the messages of a .ts file, by context and source."""
    return {
        (context.findtext("name", ""), message.findtext("source", "")): message
        for context in ElementTree.parse(file).getroot().iter("context")
        for message in context.iter("message")
    }


def translations(language: str) -> dict[Word, str]:
    return {
        word: message.findtext("translation", "")
        for word, message in messages(TRANSLATIONS / f"earshot_{language}.ts").items()
    }


def test_how_steady_translations_are_is_called_by_one_word_in_german_too() -> None:
    of_it = {source: german for (_, source), german in translations("de").items() if STEADY.search(source)}
    assert len(of_it) > 5
    assert [german for german in of_it.values() if "stabil" not in german.replace("&", "").lower()] == []


@pytest.mark.skipif(TOOL is None, reason=IN_SOURCE)
@pytest.mark.parametrize("language", TRANSLATED_INTO)
def test_every_string_of_the_app_is_in_the_translations_and_finished(language: str, tmp_path: Path) -> None:
    gather(tmp_path / "now.ts", language)
    in_source, there = messages(tmp_path / "now.ts"), messages(TRANSLATIONS / f"earshot_{language}.ts")
    advice = "run `python -m app.look.interface_language`, translate what it added, and run it again"
    assert set(in_source) - set(there) == set(), advice
    assert set(there) - set(in_source) == set(), advice
    assert len(in_source) > 800
    unfinished = [
        word
        for word, message in there.items()
        if (found := message.find("translation")) is None or found.get("type") or not found.text
    ]
    assert unfinished == [], advice


@pytest.mark.parametrize("language", TRANSLATED_INTO)
def test_what_is_loaded_is_what_was_translated(language: str, qapp: QApplication) -> None:
    translator = QTranslator()
    assert translator.load(str(TRANSLATIONS / f"earshot_{language}.qm"))
    other = {
        word
        for word, translated in translations(language).items()
        if translator.translate(word[0], word[1]) != translated
    }
    assert other == set(), "run `python -m app.look.interface_language`"


@pytest.mark.parametrize("language", TRANSLATED_INTO)
def test_translations_keep_placeholders_mnemonics_and_marks(language: str) -> None:
    def placeholders(text: str) -> Counter[str]:
        return Counter(re.findall(r"\{[^}]*\}|%n|%[0-9L]+|</?\w+>", text))

    def has_key(text: str) -> bool:
        return bool(QKeySequence.mnemonic(text).toString())

    for (context, source), translated in translations(language).items():
        assert placeholders(source) == placeholders(translated), (context, source)
        assert has_key(source) == has_key(translated), (context, source)
        assert source.endswith("…") == translated.endswith("…"), (context, source)
        assert source.count("\n") == translated.count("\n"), (context, source)
        assert not re.search(r"[“”]\{", translated) or language != "de", (context, translated)
        assert not re.search(r"\b(amp|lt|gt|quot);", translated), (context, translated)


def test_every_call_for_a_translation_has_a_plain_text() -> None:
    """Anything else is English for ever: lupdate does not see it."""
    for file in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if node.func.attr == "tr":
                assert isinstance(node.args[0], ast.Constant), f"{file}:{node.lineno}"


def test_every_language_has_a_name_that_is_translated(qapp: QApplication) -> None:
    assert set(NAMES.values()) <= set(TRANSLATED)
    install(qapp, "de")
    assert [language_name(code) for code in ("de", "en", "jw", "xx")] == ["Deutsch", "Englisch", "Javanisch", "xx"]


@pytest.mark.parametrize(
    ("system", "spoken"),
    [
        (["de-AT", "de", "en"], "de"),
        (["de_CH.UTF-8"], "de"),
        (["en-GB", "de"], "en"),
        (["fr-FR", "fr", "de-DE"], "de"),
        (["fr-FR"], "en"),
        (["C"], "en"),
        ([], "en"),
    ],
)
def test_the_system_s_first_language_that_is_known_is_taken(system: list[str], spoken: str) -> None:
    assert of_system(system) == spoken


def test_languages_take_each_other_s_place_with_qt_s_own_words_and_numbers(qapp: QApplication, qtbot: QtBot) -> None:
    def said() -> tuple[str, str, str]:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        qtbot.addWidget(box)
        close = QCoreApplication.translate("Actions", "&Quit")
        return close, box.buttons()[0].text().replace("&", ""), QLocale().toString(0.5, "f", 1)

    for _ in range(2):
        assert install(qapp, "de") == "de"
        assert said() == ("&Beenden", "Abbrechen", "0,5")
        assert install(qapp, "en") == "en"
        assert said() == ("&Quit", "Cancel", "0.5")
    assert not QCoreApplication.translate("QPlatformTheme", "Cancel").startswith("Abb")


def texts_of(widget: QWidget) -> Iterator[tuple[object, str]]:
    """Yield the texts of a widget and of those in it, shown or not, each with its owner."""
    yield widget, widget.windowTitle()
    for each in (widget, *widget.findChildren(QWidget)):
        for text in (each.toolTip(), each.accessibleName(), each.accessibleDescription()):
            yield each, text
        if isinstance(each, QLabel | QAbstractButton):
            yield each, each.text()
        elif isinstance(each, QComboBox):
            yield from ((each, each.itemText(index)) for index in range(each.count()))
        elif isinstance(each, QLineEdit):
            yield each, each.placeholderText()
        elif isinstance(each, QMenu):
            yield each, each.title()
    for action in widget.findChildren(QAction):
        yield action, action.text()


def mnemonics(texts: list[str]) -> list[str]:
    """Return the keys that more than one of some texts have."""
    keys = Counter(QKeySequence.mnemonic(text).toString() for text in texts if "&" in text)
    return [key for key, count in keys.items() if key and count > 1]


def shared_keys(widget: QWidget) -> list[str]:
    """Return the keys that several visible controls of a window have, or several entries of a menu."""
    if isinstance(widget, QMenu):
        return mnemonics([each.text() for each in widget.actions()])
    visible = [each for each in widget.findChildren(QWidget) if each.isVisibleTo(widget)]
    texts = [each.text() for each in visible if isinstance(each, QAbstractButton | QLabel)]
    texts += [action.text() for bar in widget.findChildren(QMenuBar) for action in bar.actions()]
    shared = mnemonics(texts)
    for menu in widget.findChildren(QMenu):
        shared += mnemonics([each.text() for each in menu.actions()])
    return shared


Look = Callable[[Scene], None]


def look_at_all(qapp: QApplication, qtbot: QtBot, folder: Path, language: str, look: Look) -> None:
    with application_in(qapp, folder / language, language) as application:
        for scene in Stage(application, qtbot).scenes():
            look(scene)


@pytest.mark.qt_log_ignore("This plugin does not support")
@pytest.mark.parametrize("language", INTERFACE_LANGUAGES)
def test_no_two_controls_or_entries_share_a_key_anywhere(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, language: str
) -> None:
    """And in German, no text is left in English on the way."""
    ours = {source: german for (_, source), german in translations("de").items()} if language == "de" else {}
    english = {source for source, german in ours.items() if source != german} - set(ours.values()) - {"English"}
    shared: dict[str, list[str]] = {}
    left: set[tuple[str, str, str]] = set()

    def look(scene: Scene) -> None:
        shared[scene.name] = shared_keys(scene.widget)
        left.update((scene.name, type(each).__name__, text) for each, text in texts_of(scene.widget) if text in english)

    look_at_all(qapp, qtbot, tmp_path, language, look)
    assert {name: keys for name, keys in shared.items() if keys} == {}
    assert left == set()
    assert len(shared) > 25
