"""Faults of hearing that Earshot recovers from: told on standard error, and in the window's message."""

from __future__ import annotations

from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.captions.session import LiveSession
from app.engine_link.engine_client import EngineClient
from app.terminal import caption_run
from app.terminal.cli import main
from engine.audio import Samples
from engine.hear.rounds import pipeline
from engine.hear.rounds.pipeline import Stages
from engine.options import CaptionOptions
from engine.process.messages import Ready
from engine.process.process import RecognizerMaker, serve
from lab.recipes.speech.espeak import Speech
from tests.app.scripted_hearing import ScriptedRecognizer, scripted, write_wav

PATIENCE = 120_000  # milliseconds


class Frail(ScriptedRecognizer):
    """Hears the speech, but the first worker to decode dies of it."""

    def __init__(self, speech: Speech) -> None:
        super().__init__(scripted(speech)._words)
        self.died = False

    def stages(self, samples: Samples, **how: object) -> Stages:
        yield "encoded"
        if not self.died:
            self.died = True
            raise RuntimeError("the stream was lost")
        return self.hear(samples, **how)  # type: ignore[arg-type]


@pytest.mark.usefixtures("qapp")
class TestDeadWorker:
    def test_the_terminal_says_so_and_every_word_is_there(
        self, speech: Speech, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(pipeline, "usable_cores", lambda: 2)
        monkeypatch.setattr(caption_run, "load_recognizer", lambda model: lambda options: Frail(speech))
        talk = write_wav(tmp_path / "talk.wav", speech.samples)
        assert main(["caption", str(talk), "--pipeline"]) == 0
        out, err = capsys.readouterr()
        assert " ".join(out.split()) == speech.text
        (line,) = [line for line in err.splitlines() if line.startswith("earshot: ")]
        assert "RuntimeError: the stream was lost" in line and "no words are lost" in line

    def test_the_window_notices_it_and_goes_on(self, speech: Speech, qtbot: QtBot) -> None:
        client = EngineClient(serve=partial(_serve_frail, speech))
        session = LiveSession(client, "m", CaptionOptions())
        client.start()
        try:
            with (
                qtbot.waitSignal(session.noticed, timeout=PATIENCE) as noticed,
                qtbot.waitSignal(client.session_finished, timeout=PATIENCE) as finished,
            ):
                client.start_session("m", CaptionOptions(language="en", pipeline=True))
                client.send_audio(speech.samples)
                client.finish_session()
        finally:
            client.shut_down()
        assert "no words are lost" in (noticed.args or [""])[0]
        assert finished.args is not None and finished.args[0].text == speech.text


def test_one_core_is_told_once(
    speech: Speech, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pipeline, "usable_cores", lambda: 1)
    monkeypatch.setattr(caption_run, "load_recognizer", lambda model: lambda options: scripted(speech))
    talk = write_wav(tmp_path / "talk.wav", speech.samples)
    assert main(["caption", str(talk), "--pipeline"]) == 0
    assert capsys.readouterr().err.count("earshot: Rounds are heard one after the other") == 1


def _serve_frail(speech: Speech, connection: Connection) -> None:
    pipeline.usable_cores = lambda: 2  # type: ignore[assignment] # in a process of its own

    def load(model: str) -> tuple[Ready, RecognizerMaker]:
        recognizer = Frail(speech)
        return Ready(model, "cpu", 0.1), lambda options: recognizer

    serve(connection, load)
