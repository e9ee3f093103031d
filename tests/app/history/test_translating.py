"""A kept transcript translated afterwards, by a real engine process whose translator writes in capitals."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.engine_link.engine_client import EngineClient
from app.history.archive import Archive
from app.history.records import Transcript
from app.history.store import HistoryStore
from app.history.translating import TranscriptTranslation
from app.preferences.preferences import Models
from app.preferences.settings import Settings
from engine.errors import ModelError
from engine.options import TranslationOptions
from engine.process.messages import Ready
from engine.process.process import TranslationMaker, serve
from engine.translate.for_files import CANDIDATES
from engine.translate.live import LiveTranslation
from engine.translate.translator import Translated
from tests.app.made_captions import caption, translation
from tests.scripted_translator import ScriptedLanguageModel, ScriptedTranslator, translating

PATIENCE = 60_000
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")  # said offscreen when a menu opens
SAID = ("About the October budget.", "Any questions?", "Then we are done.")


def no_model(model: str) -> tuple[Ready, TranslationMaker]:
    """Load nothing."""
    raise ModelError(f"There is no model {model}.")


class TellingTranslator(ScriptedTranslator):
    """Writes how many candidates it was asked for, in place of a translation."""

    def steps(
        self, source: str, *, final: bool = False, sentence: int = 0, settled: str | None = None
    ) -> Generator[None, None, Translated]:
        return super().steps(f"{self.options.candidates} candidates", final=final, sentence=sentence)


class TellingModel(ScriptedLanguageModel):
    """A model of such a translator."""

    def translation(self, options: TranslationOptions) -> LiveTranslation:
        return translating(TellingTranslator(options))


@pytest.fixture
def kept(archive: Archive, qtbot: QtBot) -> Transcript:
    """A session that was translated into German, but for its end."""

    def write(store: HistoryStore) -> None:
        session = store.begin("captions", "", "Microphone", "starter", "en", 1_700_000_000.0)
        for number, said in enumerate(SAID, 1):
            store.put_caption(session, caption(number, said, start=5.0 * number, final=True))
        store.put_translation(session, translation(1, "Über den Haushalt.", final=True))
        store.end(session, 1_700_000_100.0)

    archive.write(write)
    return read(archive, qtbot)


def read(archive: Archive, qtbot: QtBot) -> Transcript:
    found: list[Transcript] = []
    archive.ask(lambda store: store.transcript(store.sessions()[0].id), found.append)
    qtbot.waitUntil(lambda: bool(found), timeout=PATIENCE)
    return found[0]


@pytest.fixture
def bar(archive: Archive, settings: Settings, qtbot: QtBot) -> Iterator[TranscriptTranslation]:
    client = EngineClient(serve=partial(serve, load_language=ScriptedLanguageModel()))
    made = TranscriptTranslation(archive, settings, client)
    qtbot.addWidget(made)
    yield made
    made.stop()


def test_all_captions_are_translated_in_place_of_what_there_was(
    bar: TranscriptTranslation, kept: Transcript, archive: Archive, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(bar.finished, timeout=PATIENCE) as told:
        bar.begin(kept, "fr")
        assert bar.is_busy and not bar.isHidden()
        assert bar.progress.maximum() == 3
    assert told.args == ["It was translated into French."]
    assert bar.progress.value() == 3
    assert not bar.is_busy and bar.isHidden()
    after = read(archive, qtbot)
    assert [each.text for each in after.translations] == [said.upper() for said in SAID]
    assert {each.language for each in after.translations} == {"fr"}
    assert after.session is not None and after.session.target == "fr"
    found: list[int] = []
    archive.ask(lambda store: len(store.sessions("haushalt")), found.append)
    qtbot.waitUntil(lambda: found == [0], timeout=PATIENCE)


def test_nobody_waits_so_that_it_is_done_carefully(
    archive: Archive, settings: Settings, kept: Transcript, qtbot: QtBot
) -> None:
    bar = TranscriptTranslation(archive, settings, EngineClient(serve=partial(serve, load_language=TellingModel())))
    qtbot.addWidget(bar)
    with qtbot.waitSignal(bar.finished, timeout=PATIENCE):
        bar.begin(kept, "fr")
    assert {each.text for each in read(archive, qtbot).translations} == {f"{CANDIDATES} CANDIDATES"}


def test_what_is_cancelled_leaves_everything_as_it_was(
    bar: TranscriptTranslation, kept: Transcript, archive: Archive, qtbot: QtBot
) -> None:
    bar.begin(kept, "fr")
    bar.cancel.click()
    assert not bar.is_busy and bar.isHidden()
    assert read(archive, qtbot) == kept
    with qtbot.waitSignal(bar.finished, timeout=PATIENCE):  # and another one can be begun
        bar.begin(kept, "es")


def test_what_fails_is_told_and_leaves_everything_as_it_was(
    kept: Transcript, archive: Archive, settings: Settings, qtbot: QtBot
) -> None:
    bar = TranscriptTranslation(archive, settings, EngineClient(serve=partial(serve, load_language=no_model)))
    qtbot.addWidget(bar)
    with qtbot.waitSignal(bar.failed, timeout=PATIENCE) as told:
        bar.begin(kept, "fr")
    assert told.args is not None and "There is no model" in told.args[0]
    assert not bar.is_busy and bar.isHidden()
    assert read(archive, qtbot) == kept


def test_the_menu_has_the_languages_of_the_model_then_those_of_others_and_begins(
    bar: TranscriptTranslation, kept: Transcript, settings: Settings, tmp_path: Path, qtbot: QtBot
) -> None:
    tmp_path.joinpath("config.json").write_text(json.dumps({"earshot": {"translates_to": ["fr", "de"]}}))
    settings.alter(lambda now: replace(now, models=Models(translation=str(tmp_path))))
    menu = bar.ask(kept)
    french, german, *others = menu.actions()
    assert (french.text(), german.text()) == ("French", "German")
    assert "Portuguese" in [each.text() for each in others]  # of the model for one pair of languages that ships
    with qtbot.waitSignal(bar.finished, timeout=PATIENCE):
        french.trigger()
    settings.alter(lambda now: replace(now, models=Models(translation="/nowhere")))
    menu = bar.ask(kept)
    (why,) = menu.actions()
    assert "/nowhere" in why.text() and not why.isEnabled()
    menu.close()
