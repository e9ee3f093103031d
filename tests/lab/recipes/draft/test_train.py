"""A draft network learns from a model's transcripts, goes on where it stopped, and is loaded as it was written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the recipe trains with torch, a development-only dependency")

from app.terminal.cli import main  # noqa: E402
from engine.hear.decode.resync import TokenSpelling  # noqa: E402
from engine.hear.whisper.encoder_draft import load_draft  # noqa: E402
from engine.hear.whisper.load import HearingModel, load_hearing_model  # noqa: E402
from lab.recipes.draft.train import Spelling, calls_with  # noqa: E402
from lab.recipes.speech.transcripts import Transcripts  # noqa: E402
from tests.toy_models import TOY, TOY_MEETING  # noqa: E402

END = 99


@pytest.fixture(scope="module")
def hearing() -> HearingModel:
    return load_hearing_model(TOY)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Transcripts that the toy writes of a meeting, sooner than with its full window."""
    folder = tmp_path_factory.mktemp("written")
    manifest = folder / "meeting.jsonl"
    said = json.loads(TOY_MEETING.with_suffix(".json").read_text())["sentences"]
    lines = [json.dumps(one | {"file": str(TOY_MEETING), "seconds": one["end"] - one["start"]}) for one in said]
    manifest.write_text("\n".join(lines))
    command = ["train", "transcripts", "--quick", "--model", str(TOY), "--data", str(manifest)]
    assert main([*command, "--out", str(folder / "said"), "--workers", "1"]) == 0
    return folder / "said"


def test_quick_transcripts_are_what_the_model_writes_of_files(written: Path, hearing: HearingModel) -> None:
    transcripts = Transcripts(written, hearing.fingerprint).read()
    assert len(transcripts) > 4
    for one in transcripts:
        assert hearing.tokenizer.decode(one.tokens.tolist()) == one.text
        assert one.likeliest.shape == (len(one.tokens) + 1, 0)


def test_a_run_goes_on_where_it_stopped_and_what_it_writes_is_loaded(
    written: Path, hearing: HearingModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["train", "draft", "--model", str(TOY), "--data", str(written), "--out", str(tmp_path), "--batch", "4"]
    command += ["--states", "16", "--layers", "1", "--pieces", "300", "--no-bfloat16"]
    assert main([*command, "--steps", "3"]) == 0
    first = load_draft(tmp_path / "draft.safetensors", hearing.fingerprint)
    assert (first.shape.states, first.shape.layers, len(first.pieces)) == (16, 1, 300)
    assert main([*command, "--steps", "5", "--resume"]) == 0
    shown = capsys.readouterr().out
    assert "'step': 3" in shown and "'step': 5" in shown and "used by itself" in shown
    assert load_draft(tmp_path / "draft.safetensors", hearing.fingerprint).digest != first.digest


@pytest.mark.usefixtures("hearing")
def test_a_folder_without_transcripts_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "none").mkdir()
    command = ["train", "draft", "--model", str(TOY), "--data", str(tmp_path / "none"), "--out", str(tmp_path / "run")]
    assert main(command) == 1
    assert f"{tmp_path / 'none'} holds no transcripts." in capsys.readouterr().err


def test_any_text_can_be_spelled_with_few_pieces(hearing: HearingModel) -> None:
    spelling, tokenizer = Spelling(hearing.tokenizer, 300), hearing.tokenizer
    for text in (" Good morning, everyone.", " naïve — 3 apples", " I'm sure they've said so."):
        pieces = spelling(text)
        assert b"".join(tokenizer.token_bytes(piece) for piece in pieces).decode() == text
        assert max(pieces) < 300


SPELLING = TokenSpelling(lambda token: b"%02d" % token, lambda token: True, END)


@pytest.mark.parametrize(
    ("draft", "calls"),
    [
        ([1, 2, 3, 4, 5, 6], 1),  # the first forward verifies it all, and says that the text ends
        ([], 7),
        ([1, 2, 9, 4, 5, 6], 2),  # what follows a wrong token is found again
        ([9, 9, 9, 9, 9, 9], 7),
    ],
)
def test_calls_are_counted_as_the_decoder_makes_them(draft: list[int], calls: int) -> None:
    assert calls_with(draft, [1, 2, 3, 4, 5, 6, END], SPELLING) == calls
