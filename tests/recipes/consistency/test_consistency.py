"""A model learns to decode in blocks from its own replies, repeatably, and is saved as it was trained."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.utils import tree_flatten, tree_unflatten

from app.terminal.cli import main
from engine.answer.prompt import Exchange
from engine.errors import ModelError, OptionError
from engine.language.language_model import load_language_model
from engine.language.speculative_decoding import SpeculativeSession
from engine.recipes.assistant.dialogues import Dialogues, Intent
from engine.recipes.consistency.loss import ConsistencyLoss, Example, draw_example
from engine.recipes.consistency.questions import (
    ConversationError,
    ConversationQuestions,
    DialogueQuestions,
    heard_part,
    read_conversations,
)
from engine.recipes.consistency.train import (
    ConsistencyOptions,
    ConsistencyTraining,
    Measured,
    Trainee,
    collect,
    compare,
    train,
)
from engine.recipes.consistency.trajectories import FILE, JacobiReader, JacobiReply
from tests.language_models import write_language_model

TEXTS = ("is it warm today", "we go out now", "the weather is nice", "das Wetter", "hello", "and what is it", "heute")
QUESTIONS = ConversationQuestions([(Exchange(text, "yes"), Exchange("and then", "no")) for text in TEXTS])
PROMPTS = ([5, 9, 20, 33], [7, 8], [30, 40, 50, 60, 70])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    earshot = {"assistant_instruction": "Earshot", "context_tokens": 160}
    return write_language_model(tmp_path_factory.mktemp("model"), earshot=earshot)


@pytest.fixture
def options(tmp_path: Path) -> ConsistencyOptions:
    return ConsistencyOptions(
        tmp_path / "run", steps=4, replies=6, reply_tokens=21, block=6, batch=3, rank=4, epoch_steps=2, held_out=2
    )


def silent(line: str) -> None:
    """A report that nobody reads."""


def test_trajectories_end_in_the_greedy_continuation(folder: Path) -> None:
    model = load_language_model(folder)
    plain, reader = SpeculativeSession(model), JacobiReader(model, 6, 21)
    for prompt in PROMPTS:
        greedy, reply = plain.update(prompt, max_tokens=21), reader.reply(prompt)
        assert greedy is not None
        assert reply.tokens[: len(greedy.tokens)] == greedy.tokens
        assert [token in model.end_tokens for token in reply.tokens[len(greedy.tokens) :]] == [True] * (
            greedy.ended == "end"
        )
        assert reply.blocks and reply.forwards == 1 + sum(len(block.points) for block in reply.blocks)
        for block in reply.blocks:
            stands = reply.tokens[block.begin : block.begin + 6]
            assert len(block.points) <= 6
            settled = [_common(point, stands) for point in block.points]
            assert settled == sorted(settled)  # what is right stays right
            assert block.points[-1] == stands[: len(block.points[-1])] or settled[-1] + 1 >= len(stands)


def test_every_point_follows_from_the_one_before_it(folder: Path) -> None:
    model = load_language_model(folder)
    reply = JacobiReader(model, 6, 21).reply(PROMPTS[0])
    for block in reply.blocks:
        before = [*reply.prompt, *reply.tokens[: block.begin]]
        for point, following in zip(block.points, block.points[1:], strict=False):
            logits = model.logits([*before, *point], model.new_cache(), len(point) + 1)
            likeliest = logits.argmax(axis=1).tolist()
            assert list(following) == likeliest[: len(following)]


def test_losses_and_gradients_are_those_of_plain_forwards(folder: Path) -> None:
    trainee = Trainee(folder)
    trainee.adapt(4, None)
    for number, (name, _) in enumerate(_adapter(trainee)):  # a beginning would leave half of the gradients at nothing
        array = 0.1 * mx.random.normal(dict(_adapter(trainee))[name].shape, key=mx.random.key(number))
        trainee.model.update(tree_unflatten([(name, array)]))
    loss = ConsistencyLoss(trainee.model)
    examples = _examples(folder, 6)
    assert any(example.reached for example in examples)
    for example in examples:
        fast, fast_slopes = nn.value_and_grad(trainee.model, lambda one: sum(loss(one)))(example)
        plain, slopes = nn.value_and_grad(trainee.model, lambda one: sum(_plain_losses(trainee, one)))(example)
        assert float(fast) == pytest.approx(float(plain), rel=1e-4)
        for (name, one), (_, other) in zip(tree_flatten(fast_slopes), tree_flatten(slopes), strict=True):
            assert np.allclose(np.array(one), np.array(other), rtol=1e-3, atol=1e-3), name


def test_consistency_is_what_a_point_lacks_of_the_standing_block(folder: Path) -> None:
    trainee = Trainee(folder)
    loss = ConsistencyLoss(trainee.model)
    for example in _examples(folder, 6):
        stand, begin = example.standing, len(example.before) - 1
        rows = [
            np.array(trainee.model(mx.array([[*example.before, *block]]))[0, begin:], np.float64)
            for block in (stand, example.point)
        ]
        at_stand, at_point = (row - np.log(np.exp(row).sum(axis=1, keepdims=True)) for row in rows)
        written, consistent = (float(part) for part in loss(example))
        assert written == pytest.approx(-sum(at_stand[place, token] for place, token in enumerate(stand)), rel=1e-4)
        expected = -sum((np.exp(at_stand[place]) * at_point[place]).sum() for place in example.reached)
        assert consistent == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("point", "standing", "reached"),
    [
        ((4, 5, 6), (4, 5, 6, 7), range(0)),
        ((4, 5, 9), (4, 5, 6, 7), range(3, 4)),
        ((9, 5, 6), (4, 5, 6, 7), range(1, 4)),
        ((9, 5, 6), (4, 5), range(1, 2)),  # the reply ends there
        ((4, 9), (4, 5, 6, 7), range(2, 3)),  # it seemed to end there
    ],
)
def test_nothing_is_learnt_from_places_that_no_difference_reaches(
    point: tuple[int, ...], standing: tuple[int, ...], reached: range
) -> None:
    assert Example((1, 2), point, standing).reached == reached


def test_training_lowers_both_losses_and_the_forwards_of_a_block(folder: Path, options: ConsistencyOptions) -> None:
    options = replace(options, steps=80, replies=3, reply_tokens=13, rate=1e-2, rank=32, batch=4)
    training = ConsistencyTraining(Trainee(folder), QUESTIONS, options, silent)
    prompts = [reply.prompt for reply in training.replies]
    learnt = [training.step() for _ in range(80)]
    first, last = np.mean(learnt[:10], axis=0), np.mean(learnt[-10:], axis=0)
    assert last[1] < 0.7 * first[1]  # the replies are its own: the other loss is small from the first
    reader = JacobiReader(training.trainee.language, options.block, options.reply_tokens)
    now = compare([reader.reply(prompt) for prompt in prompts], training.replies)
    before = compare(training.replies, training.replies)
    assert now.forwards_per_block < 0.8 * before.forwards_per_block
    assert now.tokens_per_forward > before.tokens_per_forward


def test_what_a_measurement_compares() -> None:
    model_replies = [_reply((1, 2, 3), 2, 3), _reply((4, 5), 1, 2)]
    others = [_reply((1, 2, 3), 3, 4), _reply((4, 6), 1, 2)]
    measured = compare(model_replies, others)
    assert (measured.forwards_per_block, measured.tokens_per_forward, measured.unchanged) == (1.5, 1.0, 0.5)


def test_a_resumed_run_equals_a_straight_one(folder: Path, options: ConsistencyOptions, tmp_path: Path) -> None:
    said: list[str] = []
    trainee = Trainee(folder)
    straight = train(trainee, QUESTIONS, options, said.append)
    broken = replace(options, out=tmp_path / "broken")
    first = ConsistencyTraining(Trainee(folder), QUESTIONS, broken, silent)
    for number in range(3):  # one step more than the checkpoint holds: it is done again
        first.step()
        if number == 1:
            first.measure()
    with (broken.out / FILE).open("a") as file:
        file.write('{"prompt":[1,')  # stopped while it was written
    again = Trainee(folder)
    resumed = train(again, QUESTIONS, replace(broken, resume=True), silent)
    for (name, one), (_, other) in zip(_adapter(again), _adapter(trainee), strict=True):
        assert np.array_equal(np.array(one), np.array(other)), name
    assert replace(resumed, minutes=0) == replace(straight, minutes=0)
    assert (broken.out / FILE).read_text() == (options.out / FILE).read_text()
    assert any("before" in line and "unchanged" in line for line in said)
    curve = json.loads((options.out / "curve.json").read_text())
    assert [entry["step"] for entry in curve] == [0, 2, 4]
    assert curve[0]["unchanged"] == 1.0 and curve[0]["loss"] is None


def test_the_exported_model_has_the_logits_of_the_trained_one(
    folder: Path, options: ConsistencyOptions, tmp_path: Path
) -> None:
    trainee = Trainee(folder)
    train(trainee, QUESTIONS, replace(options, rate=1e-2, export=tmp_path / "made"), silent)
    made, base = load_language_model(tmp_path / "made"), load_language_model(folder)
    for prompt in PROMPTS:
        expected = trainee.language.logits(prompt, trainee.language.new_cache(), len(prompt))
        assert np.allclose(made.logits(prompt, made.new_cache(), len(prompt)), expected, atol=1e-3)
        assert not np.allclose(base.logits(prompt, base.new_cache(), len(prompt)), expected, atol=1e-2)
    assert made.assistant_instruction == "Earshot"
    assert made.chat([]) == base.chat([])
    assert (tmp_path / "made" / "curve.json").is_file()


def test_a_model_in_half_precision_is_exported_in_it(tmp_path: Path, options: ConsistencyOptions) -> None:
    folder = write_language_model(tmp_path / "half")
    weights = {name: array.astype(mx.float16) for name, array in mx.load(str(folder / "model.safetensors")).items()}
    mx.save_safetensors(str(folder / "model.safetensors"), weights)
    trainee = Trainee(folder)
    trainee.adapt(4, 1)
    assert {array.dtype for _, array in tree_flatten(trainee.model.parameters())} == {mx.float32}
    assert {int(name.split(".")[2]) for name, _ in _adapter(trainee)} == {1}  # the last layer alone
    trainee.export(tmp_path / "made")
    made = mx.load(str(tmp_path / "made" / "model.safetensors"))
    assert {array.dtype for array in made.values()} == {mx.float16}
    assert made.keys() == weights.keys()
    assert all(np.array_equal(np.array(made[name]), np.array(weights[name])) for name in weights)  # nothing is learnt


def test_checkpoints_and_trajectories_of_other_models_are_refused(
    folder: Path, options: ConsistencyOptions, tmp_path: Path
) -> None:
    resumed = replace(options, resume=True)
    ConsistencyTraining(Trainee(folder), QUESTIONS, options, silent).measure()
    other = Trainee(write_language_model(tmp_path / "other", seed=1, earshot={"assistant_instruction": "Earshot"}))
    with pytest.raises(ModelError, match=r"trajectories .* another model"):
        collect(other, QUESTIONS, resumed, silent)
    with pytest.raises(ModelError, match=r"checkpoint .* other options"):
        ConsistencyTraining(Trainee(folder), QUESTIONS, replace(resumed, rank=2), silent)
    path = options.out / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ModelError, match="damaged"):
        ConsistencyTraining(Trainee(folder), QUESTIONS, resumed, silent)


@pytest.mark.parametrize(
    "changes",
    [{"minutes": 0}, {"rate": float("nan")}, {"steps": 0}, {"replies": 0}, {"layers": 0}, {"block": 1}, {"block": 65}],
)
def test_bad_options_are_refused(options: ConsistencyOptions, changes: dict[str, float]) -> None:
    with pytest.raises(OptionError, match=next(iter(changes))):
        replace(options, **changes)


def test_questions_of_dialogues_are_those_that_are_trained_on() -> None:
    dialogues = Dialogues(
        (Intent("a", ("How are you?", "Are you well?"), ("Well?",), "Fine."), Intent("b", (), ("Why?",), "Because.")),
        (Intent("c", ("Capital of France?",), ("France?",), "Paris."),),
    )
    questions = DialogueQuestions(dialogues)
    drawn = [questions.draw(Random(number)) for number in range(60)]
    assert {one.user for one in drawn} == {"How are you?", "Are you well?", "Capital of France?"}
    assert {turn.reply for one in drawn for turn in one.history} == {"Fine.", "Paris."}
    assert {len(one.history) for one in drawn} == {0, 1, 2}
    assert {one.user for one in questions.held_out} == {"Well?", "Why?", "France?"}


def test_questions_of_conversations_have_all_turns_before_them() -> None:
    drawn = [QUESTIONS.draw(Random(number)) for number in range(60)]
    (held_out,) = QUESTIONS.held_out[:1]
    assert held_out.user not in {turn.user for one in drawn for turn in (*one.history, Exchange(one.user, ""))}
    assert {len(one.history) for one in drawn} == {0, 1}
    assert all(one.user == "and then" and one.history[0].reply == "yes" for one in drawn if one.history)


def test_of_a_question_any_part_may_have_been_heard(folder: Path) -> None:
    model, text = load_language_model(folder), "the weather is nice"
    parts = {heard_part(text, model, Random(number)) for number in range(80)}
    assert "" in parts and text in parts and len(parts) == len(model.encode(text)) + 1
    assert all(text.startswith(part) for part in parts)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("nonsense", "Line 1 of .* must be a JSON object"),
        ('{"messages": [{"role": "user"}]}', "Line 1 of .* must be a JSON object"),
        ('{"messages": [{"role": "user", "content": 3}]}', "Line 1 of .* must be a JSON object"),
        ('{"messages": []}', "take turns"),
        ('{"messages": [{"role": "assistant", "content": "hi"}]}', "take turns"),
    ],
)
def test_bad_conversations_are_refused(tmp_path: Path, line: str, complaint: str) -> None:
    (tmp_path / "data.jsonl").write_text(line + "\n")
    with pytest.raises(ConversationError, match=complaint):
        read_conversations(tmp_path / "data.jsonl")
    with pytest.raises(ConversationError, match="Cannot read"):
        read_conversations(tmp_path / "absent.jsonl")


def test_the_command_trains_on_given_conversations(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [{"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": text}]} for text in TEXTS]
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, records)))
    made = tmp_path / "made"
    command = ["train", "consistency", "--model", str(folder), "--data", str(tmp_path / "data.jsonl")]
    command += ["--out", str(tmp_path / "run"), "--replies", "2", "--reply-tokens", "9", "--steps", "1"]
    assert main([*command, "--export", str(made)]) == 0
    said = capsys.readouterr().out
    assert "collected 2 of 2" in said and "forwards per block" in said and str(made) in said
    assert load_language_model(made).vocabulary == 320
    assert main([*command, "--export", str(folder)]) == 2
    assert "another folder" in capsys.readouterr().err


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    same = (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(same, min(len(one), len(other)))


def _reply(tokens: tuple[int, ...], points: int, forwards: int) -> JacobiReply:
    from engine.recipes.consistency.trajectories import Block

    return JacobiReply((0,), tokens, (Block(1, ((7,),) * points),), forwards)


def _examples(folder: Path, count: int) -> list[Example]:
    reader = JacobiReader(load_language_model(folder), 6, 21)
    replies = [reader.reply(prompt) for prompt in PROMPTS]
    return [draw_example(replies, 6, Random(number)) for number in range(count)]


def _plain_losses(trainee: Trainee, example: Example) -> tuple[mx.array, mx.array]:
    begin = len(example.before) - 1
    at_standing, at_point = (
        trainee.model(mx.array([[*example.before, *block]]))[0, begin:] for block in (example.standing, example.point)
    )
    written = nn.losses.cross_entropy(at_standing[: len(example.standing)], mx.array(example.standing)).sum()
    teacher = mx.stop_gradient(mx.softmax(at_standing, axis=-1))
    places = range(example.reached.start, example.reached.stop)
    return written, sum((nn.losses.cross_entropy(at_point[one], teacher[one]) for one in places), mx.zeros(()))


def _adapter(trainee: Trainee) -> list[tuple[str, mx.array]]:
    return tree_flatten(trainee.model.trainable_parameters())


def test_an_unmeasured_run_has_no_losses() -> None:
    assert compare([_reply((1,), 1, 1)], [_reply((1,), 1, 1)]) == Measured(0, 0.0, None, None, 1.0, 1.0, 1.0)
