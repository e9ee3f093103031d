"""`--decoder` and `--beam`: their options, what is refused, and what they save on the demo."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.sound import audio_sources
from app.terminal import caption_run
from app.terminal.cli import main, make_parser
from app.terminal.commands.decoder_options import decode_options, with_vocabulary
from engine.audio import SAMPLE_RATE_HZ
from engine.audio.source import read_audio
from engine.options import CaptionOptions, DecodeOptions
from tests.app.scripted_hearing import write_wav
from tests.random_speech_llama import write_random_speech_llama
from tests.random_whisper import write_random_model
from tests.toy_models import TOY_MEETING, TOY_SPEECH_LLAMA

COMMANDS = (["caption", "talk.wav"], ["demo"])
USUAL = CaptionOptions().decode
ALONE = replace(USUAL, beam_size=1)
AHEAD = replace(ALONE, decoder="multitoken")
NOISE_SECONDS = 1.5
DEMO_SECONDS = 6.0
FEWER = 0.75  # with rounds of a few words; longer texts save more


def one_line(text: str) -> str:
    """Assert that a text is a single line, and return it."""
    assert text.count("\n") == 1, text
    return text.strip()


def test_words_of_a_file_are_known_besides_those_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("Ruggedo\nAnna Kowalczyk\n")
    known = CaptionOptions(decode=DecodeOptions(vocabulary=("Kaliko", "Ruggedo")))
    chosen = with_vocabulary(known, tmp_path / "names.txt")
    assert chosen.decode.vocabulary == ("Kaliko", "Ruggedo", "Anna Kowalczyk")
    assert with_vocabulary(known, None) is known


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("caption talk.wav", 1),
        ("demo", 1),
        ("ask --audio talk.wav", 1),
        ("demo --window", 1),
        ("ask Who?", 2),
    ],
)
def test_a_list_that_cannot_be_used_is_one_sentence(
    command: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command.split(), "--vocabulary", "/missing/names.txt"]) == code
    assert "--vocabulary" in one_line(capsys.readouterr().err)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("flags", "meant"),
    [
        ([], USUAL),
        (["--decoder", "beam"], USUAL),
        (["--beam", "5"], replace(USUAL, beam_size=5)),
        (["--decoder", "greedy"], ALONE),
        (["--decoder", "greedy", "--beam", "1"], ALONE),
        (["--decoder", "multitoken"], AHEAD),
        (["--decoder", "multitoken", "--beam", "4"], replace(AHEAD, beam_size=4)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_every_command_that_hears_means_the_same_by_the_flags(
    command: list[str], flags: list[str], meant: DecodeOptions
) -> None:
    assert decode_options(make_parser().parse_args([*command, *flags])) == meant


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        ("--decoder greedy --beam 3", "--decoder greedy keeps one candidate: it goes without --beam 3."),
        ("--decoder multitoken --beam 0", "--beam must be between 1 and 16, not 0."),
        ("--decoder several", "invalid choice: 'several'"),
    ],
)
def test_bad_usage_names_the_flag_before_any_work(
    command: list[str], flags: str, complaint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(model: str, *options: object) -> None:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr(caption_run, "load_recognizer", fail)
    assert main([*command, *flags.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert complaint in one_line(err)


def test_the_window_takes_no_decoder_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--window", "--decoder", "multitoken"]) == 2
    assert "--decoder is for the terminal" in one_line(capsys.readouterr().err)


# --- tiny models ---


@pytest.fixture(scope="module")
def noise(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A recording in which a model with random weights hears something."""
    samples = np.random.default_rng(0).normal(0, 0.1, round(NOISE_SECONDS * SAMPLE_RATE_HZ))
    return str(write_wav(tmp_path_factory.mktemp("audio") / "noise.wav", samples))


@pytest.fixture(scope="module")
def beginning(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The first sentences of a meeting."""
    samples = read_audio(TOY_MEETING)[: round(DEMO_SECONDS * SAMPLE_RATE_HZ)]
    return str(write_wav(tmp_path_factory.mktemp("audio") / "beginning.wav", samples))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Whisper, which has no heads."""
    return str(write_random_model(tmp_path_factory.mktemp("model")))


@pytest.fixture(scope="module")
def speech_llama(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_random_speech_llama(tmp_path_factory.mktemp("model")))


def records(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Read the records that a command printed with --json."""
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def cost(capsys: pytest.CaptureFixture[str]) -> dict[str, int]:
    """Read how much the decoder did from the summary that a command printed with --json."""
    summary = records(capsys)[-1]
    return {name: summary[name] for name in ("forwards", "tokens")}


Once = Callable[..., list[str]]


@pytest.fixture
def once(tmp_path: Path) -> Once:
    """Return arguments that hear a recording in one round: once(recording, model, *flags, **settings of decoding)."""

    def arguments(recording: str, model: str, *flags: str, **decode: object) -> list[str]:
        file = tmp_path / "settings.json"
        captions = {"voice_gate": False, "step_seconds": 30, "decode": {"reuse": "verify", **decode}}
        file.write_text(json.dumps({"captions": captions}))
        return ["caption", recording, "--model", model, "--settings", str(file), "--json", *flags]

    return arguments


def test_a_model_without_heads_is_one_line_that_names_one_with_some(
    noise: str, bare: str, once: Once, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(once(noise, bare, "--decoder", "multitoken")) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "has no heads" in one_line(err)
    assert "starter-speech-llama" in err
    assert main(once(noise, bare, "--decoder", "greedy")) == 0


def test_verifying_writes_as_much_as_greedy_and_believing_takes_fewer_forwards(
    noise: str, speech_llama: str, once: Once, capsys: pytest.CaptureFixture[str]
) -> None:
    ways: dict[str, tuple[str, dict[str, object]]] = {
        "greedy": ("greedy", {}),
        "verify": ("multitoken", {"top_m": 1}),
        "believe": ("multitoken", {"acceptance": "threshold", "threshold": 1e-9}),
    }
    costs = {}
    for way, (decoder, decode) in ways.items():
        assert main(once(noise, speech_llama, "--decoder", decoder, **decode)) == 0
        costs[way] = cost(capsys)
    assert costs["verify"]["tokens"] == costs["greedy"]["tokens"] > 0
    assert costs["verify"]["forwards"] <= costs["greedy"]["forwards"]
    assert 0 < costs["believe"]["forwards"] < costs["greedy"]["forwards"]


@pytest.mark.parametrize("flags", [["--beam", "2"], ["--reuse", "none"], ["--pipeline"]], ids=" ".join)
def test_several_tokens_at_once_go_together_with_what_else_can_be_chosen(
    flags: list[str], noise: str, speech_llama: str, once: Once, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(once(noise, speech_llama, "--decoder", "multitoken", *flags)) == 0
    assert cost(capsys)["tokens"] > 0


def test_no_more_tokens_are_predicted_than_there_are_heads_for(
    noise: str, speech_llama: str, once: Once, capsys: pytest.CaptureFixture[str]
) -> None:
    costs = []
    for count in (4, 8):
        assert main(once(noise, speech_llama, "--decoder", "multitoken", tokens_ahead=count)) == 0
        costs.append(cost(capsys))
    assert costs[0] == costs[1]


# --- a trained model ---


def test_a_meeting_is_captioned_several_tokens_at_a_time(
    beginning: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audio_sources, "demo_clip", lambda: Path(beginning))
    assert main(["demo", "--fast", "--model", str(TOY_SPEECH_LLAMA), "--decoder", "multitoken"]) == 0
    out, err = capsys.readouterr()
    assert "morning" in out.lower()
    assert "of audio heard in" in one_line(err)


def test_several_tokens_at_a_time_take_fewer_forwards_a_token(
    beginning: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text('{"captions": {"step_seconds": 1}}')
    shares = {}
    for decoder in ("greedy", "multitoken"):  # and nothing kept of the last round, which would save forwards too
        asked = ["--model", str(TOY_SPEECH_LLAMA), "--decoder", decoder, "--reuse", "none", "--settings", str(settings)]
        assert main(["caption", beginning, "--json", *asked]) == 0
        spent = cost(capsys)
        shares[decoder] = spent["forwards"] / spent["tokens"]
    assert shares["multitoken"] < FEWER * shares["greedy"]
