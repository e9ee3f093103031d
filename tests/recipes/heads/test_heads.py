"""Heads learn to foresee what their model writes; the model stays as it is, and runs can be repeated and resumed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_flatten

from app.terminal.cli import main
from engine.errors import ModelError, OptionError
from engine.hear.decode.steps import finish
from engine.hear.speech_llama.load import SpeechLlamaModel, load_speech_llama
from engine.hear.whisper.decode import decode, untaught_tokens
from engine.hear.whisper.heads import find_heads, load_heads, save_heads
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.hear.whisper.padding import make_padding
from engine.options import DecodeOptions
from engine.recipes.heads.lessons import Lessons, collect
from engine.recipes.heads.loss import NOTHING, HeadsLoss, make_batch, verification_forwards
from engine.recipes.heads.teacher import HeadsError, Lesson, WhisperTeacher, teacher_of
from engine.recipes.heads.train import HEADS_FILE, HeadsOptions, HeadsTraining, train
from engine.recipes.speech.speech_source import Recording, Speech, SpokenAudio
from engine.recipes.speech.transcripts import read_manifest
from tests.random_speech_llama import write_random_speech_llama
from tests.toy_models import TOY, TOY_MEETING


@pytest.fixture(scope="module")
def hearing() -> HearingModel:
    return load_hearing_model(TOY)


@pytest.fixture(scope="module")
def teacher(hearing: HearingModel) -> WhisperTeacher:
    return WhisperTeacher(hearing, "block")


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sentences of a meeting of two."""
    said = json.loads(TOY_MEETING.with_suffix(".json").read_text())["sentences"]
    lines = [json.dumps(one | {"file": str(TOY_MEETING), "seconds": one["end"] - one["start"]}) for one in said]
    path = tmp_path_factory.mktemp("data") / "meeting.jsonl"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def speech(manifest: Path) -> Speech:
    return Speech([Recording(clip) for clip in read_manifest(manifest, ["en"])])


@pytest.fixture(scope="module")
def collected(teacher: WhisperTeacher, speech: Speech, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder with a few transcripts."""
    out = tmp_path_factory.mktemp("heads")
    lessons = Lessons(out / "lessons", f"{teacher.hearing.fingerprint} listening 6 1")
    collect(lessons, teacher, speech, 6, 1, lambda line: None)
    return out


@pytest.fixture
def options(collected: Path, tmp_path: Path) -> HeadsOptions:
    """Options of a small run, to which the transcripts are there already."""
    (tmp_path / "lessons").symlink_to(collected / "lessons")
    return HeadsOptions(tmp_path, lessons=6, longest_seconds=6.0, batch=3, steps=6, epoch_steps=3)


def numbers(training: HeadsTraining) -> dict[str, np.ndarray]:
    return {name: np.array(array) for name, array in tree_flatten(training.heads.parameters())}


def silent(line: str) -> None:
    """Report nothing."""


# Lessons.


def test_a_lesson_is_what_the_model_writes_greedily(teacher: WhisperTeacher, speech: Speech) -> None:
    hearing = teacher.hearing
    heard = speech.draw(Random(1))
    lesson = teacher.lesson(heard)
    assert lesson is not None
    decoding = finish(
        decode(
            hearing.model,
            hearing.tokenizer,
            make_padding(hearing).listen(hearing.model, heard.samples),
            DecodeOptions(),
            language="en",
            audio_seconds=len(heard.samples) / 16_000,
            forbidden=untaught_tokens(hearing.model),
        )
    )
    assert lesson.tokens.tolist() == [*decoding.tokens, hearing.tokenizer.eot]
    assert lesson.states.shape == (len(lesson.tokens), 4 * 192 + 1)
    said = hearing.model.embedding.as_linear(mx.array(lesson.states[:, -193:-1]).astype(mx.float32))
    assert np.array(mx.argmax(said, axis=-1)).tolist()[1:] == lesson.tokens.tolist()[1:]
    frames = lesson.states[:, -1].astype(float)
    assert (np.diff(frames[:-1]) > -5).all() and frames[-2] > frames[0] + 20  # the model reads on


def test_a_wrong_guess_changes_no_lesson(teacher: WhisperTeacher, speech: Speech) -> None:
    heard = speech.draw(Random(2))
    right, wrong = teacher.lesson(heard), teacher.lesson(replace(heard, text="Something else entirely."))
    assert right is not None and wrong is not None
    assert right.tokens.tolist() == wrong.tokens.tolist()
    np.testing.assert_allclose(right.states, wrong.states, atol=0.05)


def test_what_a_transcript_says_is_a_lesson_as_it_is(teacher: WhisperTeacher, speech: Speech) -> None:
    heard, eot = speech.draw(Random(3)), teacher.hearing.tokenizer.eot
    tokens = tuple(teacher.hearing.tokenizer.encode(" Whatever the model said."))
    lesson = teacher.lesson(replace(heard, tokens=tokens))
    assert lesson is not None
    assert lesson.tokens.tolist() == [*tokens, eot] and len(lesson.states) == len(lesson.tokens)


def test_silence_teaches_nothing(teacher: WhisperTeacher) -> None:
    assert teacher.lesson(SpokenAudio(np.zeros(8000, np.float32), "")) is None


def test_lessons_come_back_from_disk_as_they_were(teacher: WhisperTeacher, speech: Speech, tmp_path: Path) -> None:
    made = [teacher.lesson(speech.draw(Random(seed))) for seed in range(3)]
    kept = [lesson for lesson in made if lesson is not None]
    lessons = Lessons(tmp_path, "mine")
    lessons.add(kept[:1])
    lessons.add(kept[1:])
    again = Lessons(tmp_path, "mine")
    assert len(again) == len(kept)
    for index, lesson in enumerate(kept):
        for name in ("tokens", "states", "audio"):
            np.testing.assert_array_equal(getattr(again[index], name), getattr(lesson, name))
    with pytest.raises(ModelError, match="another model's lessons"):
        Lessons(tmp_path, "theirs")
    path = next(iter(sorted(tmp_path.iterdir())))
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ModelError, match="damaged"):
        Lessons(tmp_path, "mine")


def test_a_collection_that_was_cut_off_goes_on_as_it_would_have(
    teacher: WhisperTeacher, speech: Speech, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.recipes.heads.lessons.LESSONS_IN_A_FILE", 2)
    for folder, stops in (("whole", [4]), ("cut", [2, 4])):
        for wanted in stops:
            collect(Lessons(tmp_path / folder, "mine"), teacher, speech, wanted, 1, silent)
    whole, cut = (Lessons(tmp_path / folder, "mine") for folder in ("whole", "cut"))
    assert [whole[index].tokens.tolist() for index in range(4)] == [cut[index].tokens.tolist() for index in range(4)]


def test_a_model_that_writes_nothing_ends_the_collection(
    teacher: WhisperTeacher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WhisperTeacher, "lesson", lambda self, heard: None)

    class Murmur:
        """Speech without words."""

        def draw(self, random: Random) -> object:
            return SpokenAudio(np.zeros(16_000, np.float32), "")

        def held_out(self) -> list[object]:
            return []

    with pytest.raises(HeadsError, match="hardly ever writes"):
        collect(Lessons(tmp_path, "mine"), teacher, Murmur(), 1, 1, silent)  # type: ignore[arg-type]


# What is lost, and what is kept.


def lesson_of(*tokens: int) -> Lesson:
    states = np.arange(len(tokens) * 3, dtype=np.float16).reshape(-1, 3)
    return Lesson(np.array(tokens, np.int32), states, np.zeros((0, 0), np.float16))


def test_each_head_is_to_say_the_token_that_many_places_on() -> None:
    batch = make_batch([lesson_of(5, 6, 7), lesson_of(8, 5)], 3, np.array([5, 7]))
    assert np.array(batch.tokens).tolist() == [[5, 6, 7], [6, 7, NOTHING], [8, 5, NOTHING]]
    assert np.array(batch.columns).tolist() == [[NOTHING, 1], [1, NOTHING], [0, NOTHING]]
    assert np.array(batch.states).tolist() == [[0, 1, 2], [3, 4, 5], [0, 1, 2]]
    np.testing.assert_array_equal(batch.frames, [[5, 8], [8, np.nan], [5, np.nan]])


@pytest.mark.parametrize(
    ("right", "forwards"),
    [
        ([], 1),
        ([[0, 0]], 2),
        ([[0, 1], [1, 1], [0, 0]], 3),
        ([[1, 1], [0, 0], [0, 0]], 2),
        ([[1, 0], [0, 0], [1, 1], [0, 0]], 3),
        ([[0, 0], [0, 0], [0, 0]], 4),
    ],
)
def test_forwards_are_counted_as_verification_spends_them(right: list[list[int]], forwards: int) -> None:
    assert verification_forwards(np.array(right, bool).reshape(-1, 2)) == forwards


def test_what_is_kept_is_what_decoding_keeps(teacher: WhisperTeacher, speech: Speech, options: HeadsOptions) -> None:
    """After some steps the heads know a few sentences, and write them in as few forwards as was counted."""
    training = HeadsTraining(teacher, speech, replace(options, steps=25), silent)
    for _ in range(25):
        training.train_step()
    hearing, loss = teacher.hearing, HeadsLoss(training.heads, teacher, 0.0)
    spent, counted = 0, 0
    for index in range(3):
        lesson = training.lessons[index]
        kept = loss.kept(make_batch([lesson], 4, training.heads.draft_tokens))
        counted += kept.forwards
        cross = teacher.listens(lesson)
        assert cross is not None
        decoding = finish(
            decode(
                hearing.model,
                hearing.tokenizer,
                cross,
                DecodeOptions(decoder="multitoken"),
                language="en",
                audio_seconds=28.0,
                forbidden=untaught_tokens(hearing.model),
                heads=training.heads,
            )
        )
        assert [*decoding.tokens, hearing.tokenizer.eot] == lesson.tokens.tolist()
        spent += decoding.forwards
    assert spent == counted < sum(len(training.lessons[index].tokens) for index in range(3))


# The run.


def test_the_loss_falls_and_the_model_stays_as_it_is(
    teacher: WhisperTeacher, speech: Speech, options: HeadsOptions
) -> None:
    before = {name: np.array(array) for name, array in tree_flatten(teacher.hearing.model.parameters())}
    lines: list[str] = []
    training = HeadsTraining(teacher, speech, options, lines.append)
    training.measure()
    losses = [training.train_step() for _ in range(6)]
    assert losses[-1] < losses[0]
    measured = training.measure()
    assert measured.step == 6 and measured.loss == pytest.approx(sum(losses) / 6, abs=1e-3)
    assert "tokens per forward" in lines[-1]
    for name, array in tree_flatten(teacher.hearing.model.parameters()):
        np.testing.assert_array_equal(array, before[name])
    curve = json.loads((options.out / "curve.json").read_text())
    assert [entry["step"] for entry in curve] == [0, 6]


def test_a_resumed_run_goes_on_exactly(
    teacher: WhisperTeacher, speech: Speech, options: HeadsOptions, tmp_path: Path
) -> None:
    whole = HeadsTraining(teacher, speech, options, silent)
    for _ in range(5):
        whole.train_step()
    part = HeadsTraining(teacher, speech, options, silent)
    for _ in range(3):
        part.train_step()
    part.measure()
    rest = HeadsTraining(teacher, speech, replace(options, resume=True), silent)
    assert rest.step == 3
    for _ in range(2):
        rest.train_step()
    for name, array in numbers(rest).items():
        np.testing.assert_allclose(array, numbers(whole)[name], atol=1e-6, err_msg=name)


def test_another_run_is_not_gone_on_with(teacher: WhisperTeacher, speech: Speech, options: HeadsOptions) -> None:
    HeadsTraining(teacher, speech, options, silent).measure()
    with pytest.raises(ModelError, match="another model or other options"):
        HeadsTraining(teacher, speech, replace(options, ahead=3, resume=True), silent)
    with pytest.raises(ModelError, match="another model's lessons"):
        HeadsTraining(teacher, speech, replace(options, longest_seconds=7.0), silent)


def test_the_trained_heads_are_the_models_own(
    teacher: WhisperTeacher,
    speech: Speech,
    options: HeadsOptions,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hearing = teacher.hearing
    path = tmp_path / "own" / f"{hearing.fingerprint}.safetensors"
    heads = train(teacher, speech, replace(options, steps=1, export=path), silent)
    monkeypatch.setattr("engine.hear.whisper.heads.own_heads", lambda: tmp_path / "own")
    found = find_heads(replace(hearing, folder=tmp_path))  # where none lie beside the model
    assert found is not None and found.shape == heads.shape
    other = replace(hearing, fingerprint="0123456789abcdef")
    with pytest.raises(ModelError, match="belong to the model"):
        load_heads(path, other)


def test_heads_of_an_earlier_state_of_the_model_are_gone_on_with(
    teacher: WhisperTeacher, speech: Speech, options: HeadsOptions, tmp_path: Path
) -> None:
    earlier = HeadsTraining(teacher, speech, options, silent)
    earlier.train_step()
    kept = save_heads(
        earlier.heads, tmp_path / "kept.safetensors", replace(teacher.hearing, fingerprint="0123456789abcdef")
    )
    later = HeadsTraining(teacher, speech, replace(options, start=kept), silent)
    for name, array in numbers(later).items():
        np.testing.assert_allclose(array, numbers(earlier)[name], atol=1e-3, err_msg=name)  # kept in float16
    losses = [later.train_step() for _ in range(4)]
    assert losses[-1] < losses[0]
    with pytest.raises(OptionError, match="--kind block --ahead 4"):
        HeadsTraining(teacher, speech, replace(options, ahead=3, start=kept), silent)


@pytest.mark.parametrize("kind", ["latent", "projection", "residual"])
def test_heads_without_a_block_learn_from_the_last_states(
    hearing: HearingModel, speech: Speech, options: HeadsOptions, tmp_path: Path, kind: str
) -> None:
    plain = replace(options, out=tmp_path / "plain", kind=kind, lessons=2, batch=2, steps=4, rate=0.01)
    training = HeadsTraining(teacher_of(hearing, kind), speech, plain, silent)
    losses = [training.train_step() for _ in range(4)]
    assert losses[-1] < losses[0]
    assert training.lessons[0].states.shape[1] == 192


def test_a_speech_llama_is_given_heads_too(speech: Speech, tmp_path: Path) -> None:
    """Random weights write no end of a text, so the lesson is made up; all else is the model's own."""
    hearing = load_speech_llama(write_random_speech_llama(tmp_path / "model"))
    assert teacher_of(hearing, "latent").listens(lesson_of(1, 0)) is None
    with pytest.raises(OptionError, match="block"):
        HeadsTraining(_Dictated(hearing), speech, HeadsOptions(tmp_path / "a", lessons=2, steps=2), silent)
    options = HeadsOptions(tmp_path / "b", kind="latent", lessons=2, batch=2, steps=6, rate=0.01)
    training = HeadsTraining(_Dictated(hearing), speech, options, silent)
    losses = [training.train_step() for _ in range(6)]
    assert losses[-1] < losses[0]
    training.measure()
    assert load_heads(options.out / HEADS_FILE, hearing).kind == "latent"


class _Dictated:
    """A Speech-LLaMA that is told what to write."""

    def __init__(self, hearing: SpeechLlamaModel) -> None:
        self.hearing = hearing

    def lesson(self, heard: SpokenAudio) -> Lesson:
        model = self.hearing.model
        tokens = np.array([4, 9, 3, 7, 5, 0], np.int32)
        states = model.write(
            mx.array([[1, *tokens[:-1].tolist()]]), model.read_audio(model.audio(heard.samples)), model.new_cache()
        )
        return Lesson(tokens, np.array(states[0]).astype(np.float16), np.zeros((0, 0), np.float16))

    def listens(self, lesson: Lesson) -> None:
        return None


@pytest.mark.parametrize(
    "wrong",
    [
        {"ahead": 1},
        {"ahead": 9},
        {"minutes": 0.0},
        {"steps": 0},
        {"lessons": 0},
        {"shortlist": 0},
        {"batch": 0},
        {"rate": 0.0},
        {"guide": -1.0},
        {"longest_seconds": 40.0},
        {"kind": "medusa"},
    ],
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=next(iter(wrong))):
        HeadsOptions(tmp_path, **wrong)  # type: ignore[arg-type]


def test_the_command_trains_and_says_where_the_heads_are(
    collected: Path, manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lessons").symlink_to(collected / "lessons")
    arguments = ["--model", str(TOY), "--data", str(manifest), "--out", str(tmp_path)]
    arguments += ["--lessons", "6", "--longest-seconds", "6"]
    assert main(["train", "heads", *arguments, "--steps", "1", "--batch", "2"]) == 0
    said = capsys.readouterr().out
    assert "held out at step 1" in said and f"Wrote {tmp_path / HEADS_FILE}" in said
    assert main(["train", "heads", *arguments, "--ahead", "1"]) == 2
    assert "ahead must be between 2 and 8" in capsys.readouterr().err
