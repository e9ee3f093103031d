"""`earshot caption` and `earshot demo`: what is printed, what is written, and with which exit code."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from itertools import count, groupby, islice
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile

from app.history.export import formats, live_files
from app.preferences.preferences import Preferences
from app.preferences.reading import written
from app.sound import audio_devices, steady_recording
from app.sound.audio_devices import MicrophoneUnavailable
from app.sound.source_notes import Note
from app.sound.steady_recording import SteadyRecording
from app.terminal import caption_run
from app.terminal.cli import main, make_parser
from app.terminal.commands.caption import _hearing
from engine.captions.for_files import CANDIDATES
from engine.errors import AudioError
from engine.options import CaptionOptions, DecodeOptions, TranslationOptions
from engine.process.messages import TranslationChoice
from lab.recipes.speech.espeak import Speech
from tests.app.scripted_hearing import SENTENCE, ScriptedRecognizer, say, scripted, write_wav
from tests.speakers.two_people import conversation

CAPTION_FIELDS = ["type", "id", "revision", "start", "end", "committed", "pending", "final"]
CAPTION_FIELDS += ["audio_seconds", "emitted_seconds"]
SUMMARY_FIELDS = ["type", "text", "audio_seconds", "rounds", "forwards", "tokens", "real_time_factor"]
SUMMARY_FIELDS += ["word_latency_seconds", "second_look"]


@pytest.fixture(scope="module")
def speech() -> Speech:
    return say()


@pytest.fixture(scope="module")
def talk(speech: Speech, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_wav(tmp_path_factory.mktemp("audio") / "talk.wav", speech.samples))


@pytest.fixture
def hearing(speech: Speech, monkeypatch: pytest.MonkeyPatch) -> ScriptedRecognizer:
    """The scripted recognizer by which the command line hears."""
    recognizer = scripted(speech)
    monkeypatch.setattr(caption_run, "load_recognizer", lambda model: lambda options: recognizer)
    return recognizer


def one_line(text: str) -> str:
    """Assert that a text is a single line, and return it."""
    assert text.count("\n") == 1, text
    return text.strip()


@pytest.mark.usefixtures("hearing")
class TestOutput:
    def test_plain_output_is_one_caption_a_line(self, talk: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["caption", talk]) == 0
        out, err = capsys.readouterr()
        assert out == SENTENCE + "\n"
        assert "of audio heard in" in one_line(err)

    def test_live_files_follow_the_captions_and_one_that_fails_stops_nothing(
        self, talk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[str] = []
        whole = formats.write_file
        monkeypatch.setattr(
            live_files, "write_file", lambda path, data, **how: (seen.append(data.decode()), whole(path, data, **how))
        )
        (tmp_path / "gone.srt").symlink_to("/dev/full")
        live = [each for name in ("now.txt", "gone.srt", "now.srt") for each in ("--live", str(tmp_path / name))]
        assert main(["caption", talk, *live]) == 1
        out, err = capsys.readouterr()
        assert out == SENTENCE + "\n"
        assert "the disk is full" in err
        assert seen[0] == seen[-1] == ""
        assert len(seen) > 3  # it grew with the words
        assert " ".join(seen[-2].split()) in SENTENCE
        assert (tmp_path / "now.srt").read_text().startswith("1\n00:00:")

    def test_json_lines_tell_every_revision_and_the_summary(
        self, talk: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["caption", talk, "--json"]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        *captions, summary = [json.loads(line) for line in out.splitlines()]
        assert all(list(caption) == CAPTION_FIELDS and caption["type"] == "caption" for caption in captions)
        words = [word for caption in captions for word in caption["committed"] + caption["pending"]]
        assert all(list(word) == ["text", "start", "end", "probability"] for word in words)
        assert [caption["revision"] for caption in captions] == sorted({c["revision"] for c in captions})
        assert any(caption["pending"] for caption in captions)
        assert [caption["final"] for caption in captions] == [False] * (len(captions) - 1) + [True]
        assert list(summary) == SUMMARY_FIELDS
        assert summary["text"] == SENTENCE == "".join(w["text"] for w in captions[-1]["committed"]).strip()
        assert list(summary["word_latency_seconds"]) == ["mean", "p50", "p95"]

    def test_two_recordings_are_the_two_sides_of_a_call(
        self,
        talk: str,
        speech: Speech,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        other = say("Good morning to you, too.")
        sides = [scripted(speech), scripted(other)]
        monkeypatch.setattr(caption_run, "load_recognizer", lambda model: lambda options: sides.pop(0))
        call, out = write_wav(tmp_path / "call.wav", other.samples), tmp_path / "out.vtt"
        assert main(["caption", talk, "--call", str(call), "--json", "--export", str(out)]) == 0
        *captions, summary = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        final = {each["speaker"]: each for each in captions if each["final"]}
        said = {name: "".join(word["text"] for word in each["committed"]).strip() for name, each in final.items()}
        assert said == {"You": SENTENCE, "Call": "Good morning to you, too."}
        assert sorted(summary["text"].splitlines()) == sorted(f"{name}: {text}" for name, text in said.items())
        assert "<v You>Good morning, everyone" in out.read_text()
        assert "<v Call>Good morning to you" in out.read_text()

    def test_every_format_is_exported_in_one_run(self, talk: str, tmp_path: Path) -> None:
        outs = [tmp_path / f"out{ending}" for ending in (".srt", ".vtt", ".txt", ".json", ".md")]
        outs[2].write_text("the transcript of an earlier run")
        assert main(["caption", talk, *(part for out in outs for part in ("--export", str(out)))]) == 0
        assert outs[0].read_text().startswith("1\n00:00:0")
        assert outs[1].read_text().startswith("WEBVTT\n\n00:00:0")
        assert outs[2].read_text() == SENTENCE + "\n"
        assert json.loads(outs[3].read_text())["captions"][0]["text"] == SENTENCE
        assert outs[4].read_text() == SENTENCE + "\n"

    @pytest.mark.parametrize(("given", "names"), [("sides", ("Left", "Right")), ("Anna, Ben", ("Anna", "Ben"))])
    @pytest.mark.parametrize("side", [0, 1])
    def test_case_the_two_channels_of_a_recording_are_two_sides(
        self,
        side: int,
        given: str,
        names: tuple[str, str],
        speech: Speech,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        frames = np.zeros((len(speech.samples), 2), np.float32)
        frames[:, side] = speech.samples
        soundfile.write(tmp_path / "two.wav", frames, 16_000)
        assert main(["caption", str(tmp_path / "two.wav"), "--channels", given]) == 0
        assert capsys.readouterr().out == f"{names[side]}: {SENTENCE}\n"

    def test_case_one_channel_is_no_two_sides(self, talk: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["caption", talk, "--channels", "sides"]) == 1
        assert "has one channel only" in one_line(capsys.readouterr().err)
        for wrong in ("left", "A,", "A,A", "A,B,C"):
            assert main(["caption", talk, "--channels", wrong]) == 2
            assert "must be 'sides' or two names" in one_line(capsys.readouterr().err)
        assert main(["caption", "-", "--channels", "sides"]) == 2

    def test_speakers_of_two_recordings_are_known_already(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["caption", "talk.wav", "--call", "other.wav", "--speakers"]) == 2
        assert "--speakers is for one recording" in capsys.readouterr().err

    @pytest.mark.parametrize("number", ["0", "-1", "two"])
    def test_there_is_at_least_one_speaker(self, number: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["caption", "talk.wav", f"--speakers={number}"]) == 2
        assert "the number of speakers is 1 or more" in one_line(capsys.readouterr().err)

    @pytest.mark.parametrize("source", [["-"], ["--mic"], ["talk.wav", "--realtime"]])
    def test_nobody_knows_the_number_of_speakers_while_they_speak(
        self, source: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["caption", *source, "--speakers", "3"]) == 2
        assert "live, leave it out" in one_line(capsys.readouterr().err)

    @pytest.mark.parametrize(
        ("flags", "is_careful"),
        [
            ([], False),
            (["--careful"], True),
            (["--export", "OUT"], True),
            (["--export", "OUT", "--reuse", "none"], False),
            (["--export", "OUT", "--settings", "SLOWER"], False),
            (["--export", "OUT", "--settings", "DEFAULTS"], True),
        ],
    )
    def test_a_file_is_heard_carefully_where_that_or_an_export_is_asked_for(
        self, talk: str, tmp_path: Path, flags: list[str], is_careful: bool, capsys: pytest.CaptureFixture[str]
    ) -> None:
        files = {"OUT": tmp_path / "out.srt", "SLOWER": tmp_path / "slower.json", "DEFAULTS": tmp_path / "usual.json"}
        files["SLOWER"].write_text('{"captions": {"step_seconds": 0.5}}')
        files["DEFAULTS"].write_text(written(Preferences()))
        given = [str(files.get(flag, flag)) for flag in flags]
        assert main(["caption", talk, *given]) == 0
        out, err = capsys.readouterr()
        assert out == SENTENCE + "\n"
        assert ("after they were said" in one_line(err)) != is_careful

    @pytest.mark.parametrize(
        ("flags", "candidates"),
        [([], CANDIDATES), (["--beam", "1"], 1), (["--beam", "3"], 3), (["--decoder", "greedy"], 1)],
    )
    def test_case_careful_hearing_obeys_the_number_of_candidates(
        self,
        talk: str,
        flags: list[str],
        candidates: int,
        hearing: ScriptedRecognizer,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        asked: list[int] = []
        monkeypatch.setattr(
            caption_run,
            "load_recognizer",
            lambda model: lambda options: asked.append(options.decode.beam_size) or hearing,
        )
        assert main(["caption", talk, "--careful", *flags]) == 0
        assert asked == [candidates]

    def test_what_is_given_on_the_command_line_wins_over_the_settings(self, tmp_path: Path) -> None:
        file = tmp_path / "settings.json"
        captions = {"language": "de", "policy": "local-agreement", "step_seconds": 0.5, "decode": {"beam_size": 5}}
        translation = {"target": "es", "mask": 2}
        models = {"hearing": "base", "translation": "small"}
        settings = {"captions": captions, "translation": translation, "translates": True, "models": models}
        file.write_text(json.dumps(settings))

        def chosen(*flags: str) -> tuple[str, CaptionOptions, TranslationChoice | None]:
            return _hearing(make_parser().parse_args(["caption", "x.wav", "--settings", str(file), *flags]))

        decode = DecodeOptions(reuse="verify", beam_size=5)
        saved = CaptionOptions(language="de", policy="local-agreement", step_seconds=0.5, decode=decode)
        spanish = TranslationOptions("es", source="de", mask=2)
        assert chosen() == ("base", saved, TranslationChoice(spanish, "small"))
        model, captions_, translation_ = chosen(
            "--model", "tiny", "--language", "fr", "--reuse", "prune", "--translate", "de", "--bias", "0.3"
        )
        assert (model, captions_) == ("tiny", replace(saved, language="fr", decode=replace(decode, reuse="prune")))
        german = TranslationOptions("de", source="fr", mask=2, bias=0.3)
        assert translation_ == TranslationChoice(german, "small")

    def test_a_setting_that_is_unknown_or_bad_is_told_and_left_out(
        self, talk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "settings.json"
        file.write_text('{"captions": {"trimming": "word", "step_seconds": 99}}')
        assert main(["caption", talk, "--settings", str(file)]) == 0
        out, err = capsys.readouterr()
        assert out == SENTENCE + "\n"
        assert "captions.trimming was ignored" in err and "captions.step_seconds was ignored" in err

    def test_a_model_of_one_language_translates_none_into_english(
        self, talk: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["caption", talk, "--into-english"]) == 2
        assert "choose one that knows several languages" in capsys.readouterr().err

    def test_realtime_takes_as_long_as_the_speech(
        self, talk: str, speech: Speech, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["caption", talk, "--realtime", "--json"]) == 0
        *captions, _ = map(json.loads, capsys.readouterr().out.splitlines())
        assert captions[-1]["emitted_seconds"] >= speech.seconds - 0.1
        assert all(caption["emitted_seconds"] >= caption["audio_seconds"] - 0.01 for caption in captions)

    def test_a_file_in_a_narrow_encoding_is_no_reason_to_fail(self, talk: str, tmp_path: Path) -> None:
        strange = tmp_path / "tälk 世.wav"
        strange.write_bytes(Path(talk).read_bytes())
        assert main(["caption", str(strange)]) == 0

    def test_the_demo_is_captioned(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["demo", "--fast", "--json"]) == 0
        summary = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert summary["audio_seconds"] > 30


@pytest.mark.usefixtures("hearing")
class TestExportsThatFail:
    def test_an_unknown_ending_is_refused_before_any_work(self, talk: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["caption", talk, "--export", "talk.doc"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert one_line(err).endswith("the name must end in .srt, .vtt, .txt, .md, .docx, .csv, .rttm, .json.")

    def test_a_missing_folder_is_refused_before_any_work(
        self, talk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["caption", talk, "--export", str(tmp_path / "no" / "talk.srt")]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert "does not exist" in one_line(err)

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
    def test_a_full_disk_loses_no_caption_and_no_other_file(
        self, talk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        full, fine = tmp_path / "full.srt", tmp_path / "fine.txt"
        full.symlink_to("/dev/full")
        assert main(["caption", talk, "--json", "--export", str(full), "--export", str(fine)]) == 1
        out, err = capsys.readouterr()
        assert json.loads(out.splitlines()[-1])["text"] == SENTENCE
        assert one_line(err) == f"earshot: Cannot write {full}: the disk is full."
        assert fine.read_text() == SENTENCE + "\n"


def _no_audio(path: Path) -> None:
    write_wav(path, np.zeros(0))


BAD_FILES: dict[str, Callable[[Path], object]] = {
    "missing.wav": lambda path: None,
    "empty.wav": lambda path: path.touch(),
    "zero.wav": _no_audio,
    "text.wav": lambda path: path.write_text("This is no audio."),
    "header.flac": lambda path: path.write_bytes(b"fLaC\0\0\0\x22"),
    "film.mp4": lambda path: path.write_bytes(b"\0\0\0\x20ftypisom" + bytes(500)),
    "noise.mp3": lambda path: path.write_bytes(np.random.default_rng(0).bytes(4000)),
    "folder.wav": lambda path: path.mkdir(),
}


@pytest.mark.usefixtures("hearing")
class TestAudioThatCannotBeHeard:
    @pytest.mark.parametrize("name", BAD_FILES)
    def test_it_is_one_line_and_leaves_nothing_behind(
        self, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        BAD_FILES[name](tmp_path / name)
        assert main(["caption", str(tmp_path / name), "--export", str(tmp_path / "out.srt")]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert name in one_line(err)
        assert not (tmp_path / "out.srt").exists()

    @pytest.mark.parametrize("kind", ["8 bit", "96 kHz", "7 channels", "clipped", "truncated", "not numbers"])
    def test_odd_audio_is_heard_and_only_damage_is_a_problem(
        self, kind: str, speech: Speech, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = _odd_file(kind, speech.samples, tmp_path / "odd.wav")
        told = {"truncated": "cut short", "not numbers": "not numbers"}.get(kind, "")
        assert main(["caption", str(path)]) == (1 if kind == "truncated" else 0)
        out, err = capsys.readouterr()
        assert out.startswith("Good morning, everyone,")
        assert told in err
        assert err.count("\n") == (2 if told else 1)


def _odd_file(kind: str, samples: np.ndarray, path: Path) -> Path:
    if kind == "8 bit":
        return write_wav(path, samples, subtype="PCM_U8")
    if kind == "96 kHz":
        return write_wav(path, np.repeat(samples, 6), samplerate=96_000)
    if kind == "7 channels":
        return write_wav(path, np.tile(samples[:, None], 7))
    if kind == "clipped":
        return write_wav(path, np.clip(samples * 20, -1, 1))
    if kind == "truncated":
        write_wav(path, samples)
        path.write_bytes(path.read_bytes()[:-2000])
        return path
    spoiled = samples.copy()
    spoiled[100:110] = np.nan
    return write_wav(path, spoiled, subtype="FLOAT")


def pipe_in(monkeypatch: pytest.MonkeyPatch, data: bytes, *, terminal: bool = False) -> None:
    """Replace standard input with these bytes."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data), isatty=lambda: terminal))


@pytest.mark.usefixtures("hearing")
class TestStandardInput:
    def test_raw_samples_are_captioned(
        self, speech: Speech, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pipe_in(monkeypatch, (speech.samples * 32767).astype("<i2").tobytes() + b"\x01")
        assert main(["caption", "-"]) == 0
        assert capsys.readouterr().out == SENTENCE + "\n"

    def test_case_a_named_pipe_is_heard_as_standard_input_is(
        self, speech: Speech, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        os.mkfifo(tmp_path / "pipe")
        raw = (speech.samples * 32767).astype("<i2").tobytes()
        writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(raw,))
        writer.start()
        assert main(["caption", str(tmp_path / "pipe")]) == 0
        writer.join()
        assert capsys.readouterr().out == SENTENCE + "\n"
        assert main(["caption", str(tmp_path / "pipe"), "--channels", "sides"]) == 2

    def test_case_closed_standard_input_is_no_terminal(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(sys, "stdin", None)
        assert main(["caption", "-"]) == 2
        assert "standard input is closed" in one_line(capsys.readouterr().err)

    @pytest.mark.parametrize("data", [b"", b"RIFF\0\0\0\0WAVE" + bytes(100)])
    def test_what_is_no_raw_audio_is_one_line(
        self, data: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pipe_in(monkeypatch, data)
        assert main(["caption", "-", "--json"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        one_line(err)

    def test_a_terminal_is_no_source_of_audio(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pipe_in(monkeypatch, b"", terminal=True)
        assert main(["caption", "-"]) == 2
        assert "terminal" in one_line(capsys.readouterr().err)


class TestMicrophone:
    @pytest.fixture(autouse=True)
    def devices(self, monkeypatch: pytest.MonkeyPatch) -> None:
        found = (audio_devices.InputDevice(3, "USB microphone", True),)
        monkeypatch.setattr(audio_devices, "list_input_devices", lambda: found)

    def record(self, monkeypatch: pytest.MonkeyPatch, samples: np.ndarray, end: Exception | None) -> list[object]:
        asked: list[object] = []
        parts = iter(np.array_split(samples, 40))

        def chunks(device: object, stop: threading.Event) -> Generator[np.ndarray]:
            asked.append(device)
            if end is not None and len(asked) == 1:
                yield from islice(parts, 20 if isinstance(end, MicrophoneUnavailable) else None)
                raise end
            yield from parts
            stop.set()

        def steady(
            device: str | int | None, stop: threading.Event, report: Callable[[Note], None]
        ) -> Iterator[np.ndarray]:
            ticks = count()
            recording = SteadyRecording(
                device, report, record=chunks, clock=lambda: next(ticks) * 0.01, asleep=lambda: 0.0
            )
            return recording.chunks(stop)

        monkeypatch.setattr(steady_recording, "steady_chunks", steady)
        return asked

    @pytest.mark.parametrize(("flag", "device"), [([], None), (["USB"], "USB"), (["3"], 3)])
    @pytest.mark.usefixtures("hearing")
    def test_it_is_chosen_by_name_or_number(
        self, flag: list[str], device: object, speech: Speech, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = self.record(monkeypatch, speech.samples[:1000], None)
        assert main(["caption", "--mic", *flag]) == 0
        assert asked == [device]

    @pytest.mark.usefixtures("hearing")
    def test_a_microphone_that_is_unplugged_is_heard_again_when_it_is_back(
        self, speech: Speech, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        asked = self.record(monkeypatch, speech.samples, MicrophoneUnavailable("It was disconnected."))
        assert main(["caption", "--mic", "USB", "--json"]) == 0
        *_, summary = map(json.loads, (captured := capsys.readouterr()).out.splitlines())
        assert asked == ["USB", "USB"]
        assert summary["audio_seconds"] >= speech.seconds - 0.1
        gone, back = captured.err.splitlines()
        assert gone.startswith("earshot: USB is gone. The recording goes on in silence")
        assert back.startswith("earshot: USB can be heard again.")

    @pytest.mark.usefixtures("hearing")
    def test_a_microphone_that_breaks_off_loses_nothing_that_was_said(
        self, speech: Speech, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.record(monkeypatch, speech.samples, AudioError("The microphone was unplugged."))
        assert main(["caption", "--mic", "--json", "--export", str(tmp_path / "out.txt")]) == 1
        out, err = capsys.readouterr()
        assert json.loads(out.splitlines()[-1])["text"] == SENTENCE
        assert one_line(err) == "earshot: The microphone was unplugged."
        assert (tmp_path / "out.txt").read_text() == SENTENCE + "\n"

    def test_no_microphone_is_one_line(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(audio_devices, "list_input_devices", tuple)
        assert main(["caption", "--mic"]) == 1
        assert "No microphone was found" in one_line(capsys.readouterr().err)

    def test_no_portaudio_is_one_line(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.undo()
        monkeypatch.setitem(sys.modules, "sounddevice", None)
        assert main(["caption", "--mic"]) == 1
        assert "PortAudio" in one_line(capsys.readouterr().err)


class TestInterruption:
    def test_ctrl_c_hears_the_rest_and_writes_everything(
        self, hearing: ScriptedRecognizer, talk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        rounds = iter([None, None, None, signal.SIGINT])
        hearing.on_hear = lambda: _raise(next(rounds, None))
        assert main(["caption", talk, "--reuse", "none", "--json", "--export", str(tmp_path / "out.txt")]) == 0
        *captions, summary = map(json.loads, capsys.readouterr().out.splitlines())
        assert summary["type"] == "summary"
        assert captions[-1]["final"]
        assert summary["text"]
        assert SENTENCE.startswith(summary["text"]) and summary["text"] != SENTENCE
        assert (tmp_path / "out.txt").read_text() == summary["text"] + "\n"

    def test_a_second_ctrl_c_stops_at_once(
        self, hearing: ScriptedRecognizer, talk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        rounds = iter([None, None, signal.SIGINT, signal.SIGINT])
        hearing.on_hear = lambda: _raise(next(rounds, None))
        assert main(["caption", talk, "--reuse", "none", "--json", "--export", str(tmp_path / "out.txt")]) == 130
        out, err = capsys.readouterr()
        assert err == ""
        assert '"summary"' not in out
        assert not (tmp_path / "out.txt").exists()


def _raise(number: signal.Signals | None) -> None:
    if number is not None:
        signal.raise_signal(number)


class _ClosedPipe(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


@pytest.mark.usefixtures("hearing")
class TestReadersThatLeave:
    def test_a_closed_pipe_is_no_error(
        self, talk: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(sys, "stdout", _ClosedPipe())
        assert main(["caption", talk]) == 0
        assert capsys.readouterr().err == ""

    def test_exports_are_written_all_the_same(self, talk: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(sys, "stdout", _ClosedPipe())
        assert main(["caption", talk, "--export", str(tmp_path / "out.txt")]) == 0
        assert (tmp_path / "out.txt").read_text() == SENTENCE + "\n"


@pytest.fixture(scope="module")
def starter() -> str:
    from engine.models.catalogue import catalogue

    if catalogue()["starter"].local_folder() is None:
        pytest.skip("the starter model is not in assets/starter/hearing")
    return "starter"


class TestTheStarterModel:
    """The real program in a process of its own, with the model that ships."""

    def run(self, *arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
        root = Path(__file__).parents[3]
        command = [sys.executable, "-m", "app", *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=root, timeout=400, check=False, **more)  # type: ignore[call-overload, no-any-return]

    @pytest.mark.usefixtures("starter")
    def test_it_hears_a_sentence_and_exports_it(self, talk: str, tmp_path: Path) -> None:
        done = self.run("caption", talk, "--export", str(tmp_path / "talk.srt"))
        assert done.returncode == 0, done.stderr
        assert "morning" in done.stdout
        assert "morning" in (tmp_path / "talk.srt").read_text()

    @pytest.mark.usefixtures("starter")
    def test_the_speakers_of_a_recording_are_told_apart(self, tmp_path: Path) -> None:
        samples, _ = conversation()
        talk = write_wav(tmp_path / "talk.wav", samples)
        outs = [tmp_path / "talk.vtt", tmp_path / "talk.rttm"]
        done = self.run("caption", str(talk), "--speakers", *(part for out in outs for part in ("--export", str(out))))
        assert done.returncode == 0, done.stderr
        names = re.findall("<v ([^>]*)>", outs[0].read_text())
        assert [name for name, _ in groupby(names)] == ["Speaker 1", "Speaker 2", "Speaker 1", "Speaker 2"]
        turns = [line.split() for line in outs[1].read_text().splitlines()]
        assert {(turn[0], turn[7]) for turn in turns} == {("SPEAKER", "Speaker_1"), ("SPEAKER", "Speaker_2")}

    @pytest.mark.usefixtures("starter")
    def test_each_line_of_a_stream_has_its_speaker(self, tmp_path: Path) -> None:
        talk = write_wav(tmp_path / "talk.wav", conversation()[0])
        out = tmp_path / "talk.vtt"
        with talk.open("rb") as stream:
            done = self.run("caption", "-", "--speakers", "--export", str(out), stdin=stream)
        assert done.returncode == 0, done.stderr
        names = [line.partition(":")[0] for line in done.stdout.splitlines()]
        assert [name for name, _ in groupby(names)] == ["Speaker 1", "Speaker 2", "Speaker 1", "Speaker 2"]
        assert [name for name, _ in groupby(re.findall("<v ([^>]*)>", out.read_text()))] == [*dict.fromkeys(names)] * 2

    @pytest.mark.usefixtures("starter")
    def test_a_full_disk_behind_standard_output_is_one_line(self, talk: str) -> None:
        if not os.path.exists("/dev/full"):
            pytest.skip("needs /dev/full")
        root = Path(__file__).parents[3]
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "app", "caption", talk],
                stdout=full, stderr=subprocess.PIPE, text=True, cwd=root, timeout=400, check=False,
            )  # fmt: skip
        assert done.returncode == 1
        assert one_line(done.stderr) == "earshot: No space left on device"
