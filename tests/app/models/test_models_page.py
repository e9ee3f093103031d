"""The page of models shows what there is, and does what is pressed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.look.theme import Theme
from app.models import model_library
from app.models.download_location import DownloadLocation
from app.models.downloads import Downloads, DownloadState
from app.models.model_card import ModelCard
from app.models.model_library import ModelLibrary
from app.models.models_page import ModelsPage
from app.models.server_line import ServerLine
from app.models.uses import Use, possible_uses
from app.preferences.settings import Settings
from engine.loading.library import LibraryModel, library_model
from engine.machine.pace import MachinePace
from engine.models.catalogue import catalogue
from engine.models.download import DownloadProgress
from tests.app.models.conftest import delete
from tests.app.scenes import settle
from tests.language.servers.scripted_server import ScriptedServer, saying
from tests.models.hub_server import Faults, HubServer
from tests.weights.other_formats import plain_weights, write_ggml

PACE = MachinePace(
    94.0, False, {"tiny.en": 0.17, "tiny": 0.17, "base.en": 0.37, "base": 0.37, "small.en": 0.98, "small": 0.98}
)


@pytest.fixture
def page(qapp: QApplication, qtbot: QtBot, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelsPage]:
    """The page, shown, with a card for each model."""
    monkeypatch.setattr("engine.models.download.PATIENCE_SECONDS", ())
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    theme, library, downloads = Theme(qapp), ModelLibrary(), Downloads(settings)
    made = ModelsPage(settings, theme, library, downloads)
    made.resize(900, 700)
    made.show()
    qtbot.waitUntil(lambda: len(made.cards) == len(library.models) >= len(catalogue()))
    yield made
    downloads.shut_down()
    library.shut_down()
    delete(made, library, downloads, theme)


def test_case_a_list_that_changed_while_it_was_read_is_read_again(
    qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_library, "RETRY_MILLISECONDS", 0)
    tries: list[int] = []

    def read() -> list[LibraryModel]:
        tries.append(0)
        if len(tries) == 1:
            raise FileNotFoundError("a download has just finished")
        return [library_model("starter")]

    monkeypatch.setattr(model_library, "library", read)
    library = ModelLibrary()
    library.refresh()
    qtbot.waitUntil(lambda: [each.name for each in library.models] == ["starter"])
    library.shut_down()
    delete(library)


def press(qtbot: QtBot, button: QAbstractButton) -> None:
    """Press a button as a person does: it must be in sight and enabled."""
    assert button.isVisible() and button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def texts(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def fetch(page: ModelsPage, qtbot: QtBot, name: str) -> ModelCard:
    """Download a model by its card."""
    card = page.cards[name]
    page.show_use(possible_uses(card.model)[0], "")
    press(qtbot, card.download)
    qtbot.waitUntil(lambda: card.model.installed)
    return card


def stall(page: ModelsPage, qtbot: QtBot, hub: HubServer) -> ModelCard:
    """Begin a download that comes to a halt."""
    hub.faults["model.safetensors"] = Faults(stall_after=300_000)
    card = page.cards["tiny.en"]
    press(qtbot, card.download)
    qtbot.waitUntil(lambda: hub.stalled.is_set() and library_model("tiny.en").fetched_bytes >= 300_000)
    return card


def test_models_are_listed_by_what_they_do_with_what_is_good_to_know(page: ModelsPage) -> None:
    shown = texts(page)
    assert "Whisper small" in shown and "Qwen3 0.6B" not in shown
    facts = texts(page.cards["small"]).replace("\N{NO-BREAK SPACE}", " ")
    assert "99 languages · 483 MB to download · uses about" in facts and " · MIT · mlx-community/" in facts
    page.filters.tabs.setCurrentIndex(1)
    assert "Qwen3 0.6B" in texts(page) and "Whisper small" not in texts(page)
    page.filters.tabs.setCurrentIndex(3)
    settle()
    assert "Kokoro 82M" in texts(page)


def test_what_is_known_of_notes_is_said_once_above_the_models_that_answer(page: ModelsPage) -> None:
    page.filters.show_use(Use.ANSWERS, "")
    settle()
    assert texts(page).count("notes") == 2 and "nobody has measured that" in page._introduction.text()
    assert not any("notes" in page._words.note(card.model) for card in page.cards.values())


def advised(page: ModelsPage, pace: MachinePace | None) -> None:
    """Set the memory and the pace of the computer on the page."""
    page._memory_megabytes = 16_000
    page._library.pace = pace
    page._arrange()


def test_the_best_for_this_computer_stands_first_with_its_reason(page: ModelsPage) -> None:
    assert "Recommended for this computer" not in texts(page), "nobody knows yet"
    advised(page, PACE)
    settle()
    assert "Recommended for this computer" in texts(page)
    best = page.cards["base.en"]
    assert "Of the models that keep up with speech here, it makes the fewest mistakes." in texts(best)
    assert "4.2% of English words wrong" in texts(best) and "0.37 s a round, estimated" in texts(best)
    assert all(best.y() <= card.y() for card in page.cards.values() if card.isVisible())
    assert "Captions come a little late" in texts(page.cards["small"])


def test_where_the_page_is_low_models_get_most_of_it(page: ModelsPage, qtbot: QtBot) -> None:
    assert page._subtitle.isVisible()
    page.resize(480, 360)
    assert not page._subtitle.isVisible()
    qtbot.waitUntil(lambda: page._scroll.height() > 120)


def test_models_are_filtered_by_language_and_by_use(page: ModelsPage, settings: Settings, qtbot: QtBot) -> None:
    advised(page, PACE)
    language = page.filters.language
    language.setCurrentIndex(language.findData("de"))
    language.activated.emit(language.currentIndex())
    assert not page.cards["base.en"].isVisible() and page.cards["starter"].isVisible(), "it is in use"
    assert "it makes the fewest mistakes" in texts(page.cards["base"])
    page.show_use(Use.TRANSLATION, "pl")
    assert not page.cards["starter-language"].isVisible() or "Translation" in texts(page.cards["starter-language"])
    assert "without a graphics processor" in texts(page.cards["qwen3-0.6b"])
    page.show_use(Use.ANSWERS)
    assert page.cards["starter-assistant"].isVisible() and not page.cards["base"].isVisible()
    page.show_use(Use.CAPTIONS)
    assert language.currentData() == "de", "each use has a language of its own"


def test_the_spoken_language_is_proposed(page: ModelsPage, settings: Settings) -> None:
    captions = replace(settings.preferences.captions, language="fr")
    settings.alter(lambda now: replace(now, captions=captions))
    assert page.filters.language.currentData() == "fr"


def test_models_that_are_here_come_first_and_say_what_they_are_used_for(page: ModelsPage, qtbot: QtBot) -> None:
    starter = page.cards["starter"]
    qtbot.waitUntil(lambda: "Captions" in texts(starter))
    assert "comes with Earshot" in texts(starter)
    assert starter.property("current") is True
    assert starter.y() < page.cards["tiny.en"].y()
    assert not any(button.isVisible() for button in starter.buttons)


def test_a_download_is_shown_as_it_goes_and_ends_with_a_model_to_use(
    page: ModelsPage, settings: Settings, hub: HubServer, qtbot: QtBot
) -> None:
    card = stall(page, qtbot, hub)
    qtbot.waitUntil(lambda: " of 2 MB" in texts(card))
    assert not card.download.isVisible() and card.cancel.isVisible()
    press(qtbot, card.pause)
    qtbot.waitUntil(lambda: "Paused: " in texts(card))
    press(qtbot, card.resume)
    qtbot.waitUntil(lambda: card.model.installed)
    assert page.message.text == "Whisper tiny.en is ready."
    settle()
    assert card.y() < page.cards["tiny"].y()
    press(qtbot, card.use_buttons[Use.CAPTIONS])
    assert settings.preferences.models.hearing == "tiny.en"
    qtbot.waitUntil(lambda: "Captions" in texts(card) and "Captions" not in texts(page.cards["starter"]))


def test_a_model_in_use_is_not_deleted_and_says_why(page: ModelsPage, settings: Settings, qtbot: QtBot) -> None:
    card = fetch(page, qtbot, "tiny.en")
    settings.alter(lambda now: replace(now, models=replace(now.models, hearing="tiny.en")))
    press(qtbot, card.delete)
    assert "This model is in use (Captions). Choose another one first, then delete it." in texts(card)
    assert not card.really_delete.isVisible()


def test_deleting_asks_once_and_says_what_is_free(page: ModelsPage, qtbot: QtBot) -> None:
    card = fetch(page, qtbot, "tiny.en")
    press(qtbot, card.delete)
    assert "Delete this model, 2 MB" in texts(card) and card.keep.hasFocus()
    press(qtbot, card.keep)
    assert card.delete.isVisible() and card.delete.hasFocus()
    press(qtbot, card.delete)
    press(qtbot, card.really_delete)
    qtbot.waitUntil(lambda: not card.model.installed and card.download.isVisible())
    assert page.message.text.startswith("Whisper tiny.en was deleted: 2 MB") and "freed" in page.message.text


def test_a_cancelled_download_can_be_begun_anew(page: ModelsPage, hub: HubServer, qtbot: QtBot) -> None:
    card = stall(page, qtbot, hub)
    press(qtbot, card.cancel)
    qtbot.waitUntil(lambda: card.download.isVisible() and card.model.unfinished_bytes == 0)
    assert not card.cancel.isVisible()


def test_a_download_of_an_earlier_run_is_offered_to_go_on_with(
    page: ModelsPage, settings: Settings, hub: HubServer, qtbot: QtBot, qapp: QApplication
) -> None:
    card = stall(page, qtbot, hub)
    press(qtbot, card.pause)
    qtbot.waitUntil(lambda: card.resume.isVisible())
    library, downloads, theme = ModelLibrary(), Downloads(settings), Theme(qapp)
    later = ModelsPage(settings, theme, library, downloads)
    later.show()
    qtbot.waitUntil(lambda: "tiny.en" in later.cards)
    assert "Paused: " in texts(later.cards["tiny.en"])
    press(qtbot, later.cards["tiny.en"].resume)
    qtbot.waitUntil(lambda: later.cards["tiny.en"].model.installed)
    library.shut_down()
    delete(later, library, downloads, theme)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Faults(times=9, status=401, error_code="GatedRepo"), "Its terms must be accepted first: sign in at hugging"),
        (Faults(times=9, status=404, error_code="RepoNotFound"), "is not there. If you use a mirror"),
        (Faults(times=9, status=503), "The server has problems. What has arrived is kept"),
    ],
)
def test_a_failed_download_says_why_and_can_be_tried_again(
    page: ModelsPage, hub: HubServer, qtbot: QtBot, fault: Faults, words: str
) -> None:
    hub.faults["api"] = fault
    card = page.cards["tiny.en"]
    press(qtbot, card.download)
    qtbot.waitUntil(lambda: words in texts(card))
    assert card.resume.text() == "Try again"
    hub.faults.clear()
    press(qtbot, card.resume)
    qtbot.waitUntil(lambda: card.model.installed)
    assert words not in texts(card)


def test_a_download_that_waits_offline_names_no_sizes_before_it_knows_them(page: ModelsPage) -> None:
    card = page.cards["tiny.en"]
    card.show_download(DownloadState("running", DownloadProgress("waiting", wait_seconds=4.0)))
    assert "No answer from the server. Next attempt in 4 s." in texts(card)
    assert "0 bytes" not in texts(card)


def test_a_failure_can_be_closed(page: ModelsPage, hub: HubServer, qtbot: QtBot) -> None:
    hub.faults["api"] = Faults(times=9, status=503)
    card = page.cards["tiny.en"]
    press(qtbot, card.download)
    qtbot.waitUntil(lambda: card.resume.isVisible())
    press(qtbot, card.cancel)
    qtbot.waitUntil(lambda: card.download.isVisible())


def test_a_language_model_translates_answers_or_both(page: ModelsPage, settings: Settings, qtbot: QtBot) -> None:
    card = fetch(page, qtbot, "qwen3-0.6b")
    press(qtbot, card.use_buttons[Use.TRANSLATION])
    press(qtbot, card.use_buttons[Use.ANSWERS])
    models = settings.preferences.models
    assert models.translation == models.assistant == "qwen3-0.6b"
    qtbot.waitUntil(lambda: "Translation" in texts(card) and "Assistant" in texts(card))


def test_a_voice_is_chosen_with_its_usual_speaker(page: ModelsPage, settings: Settings, qtbot: QtBot) -> None:
    voice = replace(settings.preferences.assistant.voice, voice="system", speaker="Anna")
    settings.alter(lambda now: replace(now, assistant=replace(now.assistant, voice=voice)))
    page.show_use(Use.VOICE)
    press(qtbot, page.cards["espeak"].use_buttons[Use.VOICE])
    chosen = settings.preferences.assistant.voice
    assert (chosen.voice, chosen.speaker) == ("espeak", None)


def test_a_voice_can_be_heard_here_if_it_is_here_and_else_at_its_publishers(
    page: ModelsPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    heard: list[str] = []
    page.sample_wanted.connect(heard.append)
    page.show_use(Use.VOICE, "de")
    assert page.cards["piper-thorsten"].isVisible() and not page.cards["piper-siwis"].isVisible()
    press(qtbot, page.cards["piper-thorsten"].sample)
    press(qtbot, page.cards["espeak"].sample)
    assert opened == [page.cards["piper-thorsten"].model.sample] and heard == ["espeak"]
    page.show_use(Use.CAPTIONS, "")
    assert not page.cards["starter"].sample.isVisible()
    page.sample_failed.emit("It has no breath.")
    assert page.message.text == "It has no breath."


def test_the_memory_that_a_model_needs_is_compared_with_the_machines(page: ModelsPage) -> None:
    card = page.cards["small"]
    model = replace(card.model, memory_megabytes=1400)
    for machine, words in ((1500, "Too large for this computer"), (2000, "Takes much of this computer's memory")):
        card.show_model(model, page._settings.preferences, machine)
        assert words in texts(card)
    card.show_model(model, page._settings.preferences, 16_000)
    assert "computer" not in texts(card)


def test_a_folder_is_looked_at_added_and_forgotten(
    page: ModelsPage, whisper_folder: Path, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setattr("engine.models.added_models.added_path", lambda: tmp_path / "share/earshot/models.json")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(whisper_folder))
    page.show_use(Use.VOICE)
    page.add_folder()
    qtbot.waitUntil(lambda: "our whisper" in page.cards, timeout=120_000)
    card = page.cards["our whisper"]
    assert page.message.text == "our whisper was added." and card.isVisible()
    assert str(whisper_folder) in texts(card)
    press(qtbot, card.delete)
    assert "Forget this model? Its files stay as they are." in texts(card)
    press(qtbot, card.really_delete)
    qtbot.waitUntil(lambda: "our whisper" not in page.cards)
    assert (whisper_folder / "model.safetensors").is_file()


def test_a_file_of_whisper_cpps_is_chosen_and_added(
    page: ModelsPage, whisper_folder: Path, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dims, weights = plain_weights(whisper_folder)
    file = write_ggml(tmp_path / "ggml-ours.bin", weights, dims, "f16")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setattr("engine.models.added_models.added_path", lambda: tmp_path / "share/earshot/models.json")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    page.add_file()
    qtbot.waitUntil(lambda: "ggml-ours" in page.cards)
    assert page.message.text == "ggml-ours was added."
    assert str(file) in texts(page.cards["ggml-ours"])


def test_a_folder_that_holds_no_model_is_refused_in_one_sentence(
    page: ModelsPage, qtbot: QtBot, tmp_path: Path
) -> None:
    page.add_model(str(tmp_path))
    qtbot.waitUntil(lambda: "There is no model in" in page.message.text, timeout=120_000)


def test_a_repository_is_typed_fetched_and_added(
    page: ModelsPage, hub: HubServer, empty_library: Path, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("HF_HUB_CACHE", str(empty_library))
    monkeypatch.setattr("engine.models.added_models.added_path", lambda: tmp_path / "share/earshot/models.json")
    line = page.repository
    line.open()
    assert line.name.hasFocus()
    qtbot.keyClicks(line.name, "nonsense")
    qtbot.keyClick(line.name, Qt.Key.Key_Return)
    assert "two names with a slash" in line.said
    line.name.clear()
    qtbot.keyClicks(line.name, "https://huggingface.co/some/other")
    qtbot.keyClick(line.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "some/other is not there" in line.said)
    line.name.clear()
    qtbot.keyClicks(line.name, "town/council")
    press(qtbot, line.fetch)
    qtbot.waitUntil(lambda: "council" in page.cards, timeout=120_000)
    assert not line.isVisible() and page.cards["council"].model.installed


def test_a_server_that_is_found_on_this_computer_answers(
    page: ModelsPage, settings: Settings, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = page.server
    with ScriptedServer(saying("Yes."), ("small", "large")) as server:
        monkeypatch.setattr("engine.language.servers.local.USUAL_PORTS", {server.port: "Some server"})
        line.open()
        press(qtbot, line.look)
        qtbot.waitUntil(lambda: "Some server" in line.said)
        assert [line.address.itemText(place) for place in range(2)] == [
            f"http://localhost:{server.port}#small",
            f"http://localhost:{server.port}#large",
        ]
        line.address.setCurrentIndex(1)
        press(qtbot, line.use)
    assert settings.preferences.models.assistant == f"http://localhost:{server.port}#large"
    assert page.message.text == f"http://localhost:{server.port} answers from now on."
    press(qtbot, line.translate)
    assert settings.preferences.models.translation == f"http://localhost:{server.port}#large"
    assert page.message.text == f"http://localhost:{server.port} translates from now on."


def test_a_server_elsewhere_is_warned_of_and_nonsense_refused(
    page: ModelsPage, settings: Settings, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.language.servers.local.USUAL_PORTS", {1: "Nobody"})
    line, before = page.server, settings.preferences.models.assistant
    line.open()
    press(qtbot, line.look)
    qtbot.waitUntil(lambda: "No server answers on this computer" in line.said)
    line.address.setEditText("nonsense")
    press(qtbot, line.use)
    assert "no address of a server" in line.said and settings.preferences.models.assistant == before
    line.address.setEditText("http://192.168.1.7:11434")
    assert "sent to 192.168.1.7, which is another computer. Whoever listens" in line.said
    line.address.setEditText("https://example.org")
    assert line.said.endswith("which is another computer.")


def test_a_server_in_use_is_shown(settings: Settings, qtbot: QtBot) -> None:
    line = ServerLine()
    qtbot.addWidget(line)
    line.show_models("starter-assistant", "starter-language")
    assert line.isHidden()
    line.show_models("starter-assistant", "http://localhost:1234")
    assert line.isVisible() and line.address.currentText() == "http://localhost:1234"


def test_a_mirror_is_taken_if_it_is_an_address(page: ModelsPage, settings: Settings, qtbot: QtBot) -> None:
    place = page.place
    assert isinstance(place, DownloadLocation) and place.mirror.text() == settings.preferences.behaviour.mirror
    place.mirror.setText("nonsense")
    place.apply_mirror()
    assert "This is not an address" in place.problem and settings.preferences.behaviour.mirror.startswith("http://127")
    place.mirror.setFocus()
    qtbot.keyClick(place.mirror, Qt.Key.Key_Escape)
    assert place.mirror.text().startswith("http://127") and not place.problem
    for typed, taken in (("https://mirror.example/", "https://mirror.example"), ("https://huggingface.co", "")):
        place.mirror.setText(typed)
        qtbot.keyClick(place.mirror, Qt.Key.Key_Return)
        assert settings.preferences.behaviour.mirror == taken


def test_every_control_has_a_name_that_says_which_model_it_is_about(page: ModelsPage) -> None:
    for card in page.cards.values():
        for button in card.buttons:
            assert card.model.title in button.accessibleName()
        assert card.accessibleName() == card.model.title
    for button in page.findChildren(QPushButton):
        assert button.accessibleName() or button.text() or button.toolTip()


def test_the_tab_key_goes_from_top_to_bottom(page: ModelsPage, qtbot: QtBot) -> None:
    page.add.setFocus()
    visited: list[QWidget] = [page.add]
    while page.place.mirror not in visited and len(visited) < 60:
        qtbot.keyClick(visited[-1], Qt.Key.Key_Tab)
        focus = page.focusWidget()
        assert focus is not None
        visited.append(focus)
    heights = [widget.mapTo(page, widget.rect().topLeft()).y() for widget in visited[3:-1]]
    assert visited[1] is page.filters.tabs and len(visited) > 10
    assert heights == sorted(heights)


def test_the_page_works_in_a_narrow_window(page: ModelsPage, qtbot: QtBot) -> None:
    page.resize(480, 480)
    card = page.cards["tiny.en"]
    qtbot.waitUntil(lambda: card.download.y() > 40)
    assert page.width() == 480 and card.geometry().right() <= page.width()


def test_models_that_a_language_leaves_out_are_mentioned_and_come_back(page: ModelsPage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: "tiny.en" in page.cards)
    page.show_use(Use.CAPTIONS, "de")
    assert not page.cards["tiny.en"].isVisible()
    assert page._left_out.isVisible() and "German" in page._left_out.text()
    page._left_out.click()
    assert page.cards["tiny.en"].isVisible() and not page._left_out.isVisible()
