"""`earshot bench assistant` from the command line to the figures, with a small model of random weights."""

from __future__ import annotations

import json
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from app.terminal.cli import main
from engine.clock import SimulatedClock
from engine.events import Word
from engine.language.language_model import LanguageModel, load_language_model
from engine.options import AnswerOptions, CaptionOptions, VoiceOptions
from lab.bench.assistant.measure import TalkResult
from lab.bench.assistant.methods import (
    BASELINE,
    BRANCHES,
    EARSHOT,
    GREEDY,
    JACOBI,
    LAST_WORD,
    QUICK,
    REFLECTION,
    TOP,
    ways,
)
from lab.bench.assistant.subject import conversations
from lab.bench.assistant.texts import Prompts, Talk, streams
from tests.app.scripted_hearing import ScriptedRecognizer
from tests.gguf_models import write_gguf
from tests.language_models import write_language_model

pytest.importorskip("espeakng_loader", reason="answers are spoken by espeak-ng")

TALKS = streams([Prompts("a", ("Tell me what the weather is.", "And tomorrow?")), Prompts("b", ("Who are you?",))])
BRIEFLY = AnswerOptions(reply_tokens=12)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose answers end soon, as many tokens end them."""
    return write_language_model(tmp_path_factory.mktemp("model"), eos_token_id=[0, *range(200, 215)])


@pytest.fixture(scope="module")
def model(folder: Path) -> LanguageModel:
    return load_language_model(folder)


def measured(model: LanguageModel, names: list[str], talks: list[Talk]) -> dict[str, list[TalkResult]]:
    from engine.speak.choice import make_voice

    chosen = [way for way in ways(BRIEFLY) if way.name in names]
    hold = conversations(model, make_voice(VoiceOptions()), chosen, lambda: SimulatedClock(time.process_time))
    return {way.name: [hold(way, talk) for talk in talks] for way in chosen}


def test_lossless_ways_answer_as_the_plain_cascade_does(model: LanguageModel) -> None:
    names = [BASELINE, GREEDY, JACOBI, BRANCHES, LAST_WORD, EARSHOT]
    found = measured(model, names, TALKS)
    replies = {name: [turn.tokens for talk in talks for turn in talk.turns] for name, talks in found.items()}
    assert replies.keys() == {*names} and any(replies[BASELINE])
    assert all(tokens == replies[BASELINE] for tokens in replies.values())
    assert all(turn.guesses > 0 for talk in found[GREEDY] for turn in talk.turns if len(turn.question.split()) > 1)
    assert not any(turn.guesses or turn.wasted_tokens for talk in found[BASELINE] for turn in talk.turns)


def test_a_quick_run_prints_its_figures_last(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bench", "assistant", "--quick", "--json", "--processor-time", "--model", str(folder), "--limit", "2"]
    assert main(command) == 0
    record = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (record["bench"], record["conversations"], record["noisy"]) == ("assistant", 2, False)
    assert record["set"] == "own, 600 characters a minute"
    assert record["clock"] == "processor time"
    assert [row["method"] for row in record["rows"]] == list(QUICK)
    figures = record["figures"]
    for name in ("greedy", "topk", "reflection", "jacobi", "earshot", "earshot_topk"):
        assert figures[f"speedup_{name}"] > 0, name
    assert figures["greedy_identical_share"] == 1.0
    assert figures["first_sound_seconds_p50"] > 0
    assert figures.keys() >= {"premade_share", "wasted_tokens_per_turn", "right_share"}


def test_a_gguf_file_answers_in_every_published_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("xllamacpp", reason="llama.cpp is not installed here")
    names = [BASELINE, GREEDY, TOP, REFLECTION, JACOBI]
    command = ["bench", "assistant", "--json", "--model", str(write_gguf(tmp_path / "tiny.gguf")), "--limit", "1"]
    command += ["--save", str(tmp_path / "saved.jsonl"), "--reply-tokens", "12", "--methods", ",".join(names)]
    assert main(command) == 0
    rows = {row["method"]: row for row in json.loads(capsys.readouterr().out.splitlines()[-1])["rows"]}
    assert [*rows] == names
    assert rows[GREEDY]["forwards_ahead_per_turn"] > 0 and rows[GREEDY]["identical_share"] == 1.0


def test_tables_name_every_method_and_a_picture_is_drawn(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "found.svg"
    command = ["bench", "assistant", "--model", str(folder), "--limit", "1"]
    assert main([*command, "--plot", str(picture)]) == 0
    shown = capsys.readouterr().out
    texts = {"".join(element.itertext()).strip() for element in ElementTree.parse(picture).iter()}
    for way in ways(AnswerOptions()):
        assert shown.count(f"\n{way.title}  ") == 2, way.title
        assert way.title in texts
    assert "1 conversations (own, 600 characters a minute), voice hibari" in shown


def test_saved_conversations_are_not_held_again(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["bench", "assistant", "--json", "--model", str(folder), "--save", str(tmp_path / "saved.jsonl")]
    command += ["--methods", "baseline,greedy", "--limit", "1"]
    assert main(command) == 0
    first = capsys.readouterr()
    assert main(command) == 0
    again = capsys.readouterr()
    assert again.out == first.out  # its times too
    assert "1 conversations come from" in again.err and "come from" not in first.err
    assert main([*command, "--processor-time"]) == 0
    assert "come from" not in capsys.readouterr().err
    assert len((tmp_path / "saved.jsonl").read_text().splitlines()) == 2


def test_questions_are_asked_as_they_are_heard() -> None:
    from lab.bench.assistant.hearing import heard
    from lab.bench.translation.hearing import VOICE
    from lab.recipes.speech.espeak import espeak

    text = "Tell me what the weather is like tomorrow."
    speech = espeak().speak(text, VOICE)
    words = tuple(Word(f" {word}", *times) for word, times in zip(text.split(), speech.words, strict=True))
    prompts = [Prompts("a", (text,), "Fine.")]
    (talk,) = heard(prompts, ScriptedRecognizer(words), CaptionOptions(language="en"))
    (question,) = talk.questions
    assert (question.text, talk.reply) == (text, "Fine.")
    assert question.seconds >= speech.seconds - 0.01  # no two times alike to the sample
    assert len(question.partials) > 3
    assert all(text.startswith(part) and seconds < question.seconds for seconds, part in question.partials)
    assert list(heard(prompts, ScriptedRecognizer(()), CaptionOptions(language="en"))) == []


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--methods", "baseline,fast"], "'fast'"),
        (["--limit", "0"], "--limit must be at least 1"),
        (["--set", "lmsys"], "--set must be one of"),
        (["--set", "vicuna"], "needs --data"),
        (["--model", "http://127.0.0.1:9"], "which a server does not show"),
        (["--plot", "x.pdf"], "--plot must end in"),
    ],
)
def test_bad_options_are_refused_before_a_model_is_loaded(
    options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "assistant", "--model", "/nowhere", *options]) == 2
    assert complaint in capsys.readouterr().err
