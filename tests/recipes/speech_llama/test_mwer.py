"""Minimum word error rate training makes what its search finds better, repeatably, and leaves the ear alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optimizers
import numpy as np
import pytest
import soundfile
from mlx.utils import tree_flatten

from app.terminal.cli import main
from engine.errors import ModelError, OptionError
from engine.hear.speech_llama.load import load_speech_llama
from engine.recipes.speech.speech_source import Heard
from engine.recipes.speech_llama.mwer import Measured, MwerError, MwerOptions, MwerTraining, helped, improved, train
from engine.recipes.speech_llama.mwer_trainee import Trainee, errors_in
from engine.recipes.training.checkpoint import load_checkpoint, save_checkpoint
from tests.random_speech_llama import write_random_speech_llama

WORDS = ("red", "bed")  # what is said, and what the model takes it for as often
HEAD_WEIGHTS = (1.0, 0.2, 0.2, 0.2)


def noise(seed: int, count: int = 6400) -> np.ndarray:
    return (0.1 * np.random.default_rng(seed).standard_normal(count)).astype(np.float32)


SAID = Heard(noise(0), "red")


@dataclass(frozen=True)
class Planted:
    """Speech that is known by heart."""

    recordings: Sequence[Heard] = (SAID,)

    def draw(self, random: Random) -> Heard:
        return random.choice(self.recordings)

    def held_out(self) -> Sequence[Heard]:
        return self.recordings


def silent(_: str) -> None:
    """Report to nobody."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model that was taught of a sound that it is this word as often as that one."""
    trainee = Trainee(load_speech_llama(write_random_speech_llama(tmp_path_factory.mktemp("random"))))
    frames = trainee.frames(SAID)
    texts = [trainee.reference(Heard(noise(0), word)) for word in WORDS]
    optimizer = optimizers.Adam(learning_rate=1e-3)

    def loss() -> mx.array:
        writer, states = trainee.writer, trainee.writer.states(frames, texts)
        parts = [writer.cross_entropy(states[row], text, HEAD_WEIGHTS) for row, text in enumerate(texts)]
        return parts[0] + parts[1]

    measure = nn.value_and_grad(trainee.writer, loss)
    for _ in range(100):
        _, gradient = measure()
        optimizer.update(trainee.writer, gradient)
        mx.eval(trainee.writer.parameters(), optimizer.state)
    made = tmp_path_factory.mktemp("model") / "taught"
    trainee.export(made)
    return made


@pytest.fixture
def options(tmp_path: Path) -> MwerOptions:
    return MwerOptions(tmp_path / "run", steps=4, epoch_steps=2, utterances=2, rate=2e-3)


def trainee_of(folder: Path) -> Trainee:
    return Trainee(load_speech_llama(folder))


def weights_of(trainee: Trainee) -> dict[str, np.ndarray]:
    return {name: np.array(array) for name, array in tree_flatten(trainee.writer.parameters())}


def test_the_search_finds_both_words_and_how_wrong_they_are(folder: Path, options: MwerOptions) -> None:
    trainee = trainee_of(folder)
    found = trainee.hypotheses(SAID, trainee.frames(SAID), options)
    heard = {trainee.tokenizer.decode(one.tokens[:-1]): one.errors for one, _ in found}
    assert len(found) == options.beam
    assert heard[" red"] == 0 and heard[" bed"] == 1


def test_what_the_search_found_is_as_likely_in_training(folder: Path, options: MwerOptions) -> None:
    trainee = trainee_of(folder)
    frames = trainee.frames(SAID)
    found = trainee.hypotheses(SAID, frames, replace(options, threshold=0.3))
    hypotheses = [one for one, _ in found]
    states = trainee.writer.states(frames, [one.tokens for one in hypotheses])
    again = np.array(trainee.writer.logprobs(states, hypotheses))
    np.testing.assert_allclose(again, [logprob for _, logprob in found], atol=2e-3)  # <|begin|> has its share here
    assert max(head for one in hypotheses for head in one.heads) > 1


def test_training_makes_what_is_said_likelier_than_what_is_not(folder: Path, options: MwerOptions) -> None:
    said: list[str] = []
    trainee = trainee_of(folder)
    before = weights_of(trainee)
    progress = train(trainee, Planted(), replace(options, steps=12, epoch_steps=6), said.append)
    first, *_, last = progress.curve
    assert [entry.step for entry in progress.curve] == [0, 6, 12]
    assert first.loss is None and last.loss is not None
    assert 0.3 < first.expected < 0.7  # about as often wrong as right
    assert last.expected < 0.5 * first.expected
    assert last.wer == 0.0
    assert any("before" in line and "now" in line for line in said)
    after = weights_of(trainee)
    assert all(np.array_equal(after[name], before[name]) for name in before if name.startswith("speech.encoder"))
    for beginning in ("speech.adapter", "speech.model.layers", "speech.model.embed_tokens", "heads."):
        assert any(not np.array_equal(after[name], before[name]) for name in before if name.startswith(beginning))
    exported = trainee_of(options.out / "model")
    (best, _), *_ = exported.hypotheses(SAID, exported.frames(SAID), options)
    assert best.errors == 0


def test_a_resumed_run_equals_a_straight_one(folder: Path, options: MwerOptions, tmp_path: Path) -> None:
    straight = trainee_of(folder)
    expected = train(straight, Planted(), options, silent)
    broken = replace(options, out=tmp_path / "broken")
    first = MwerTraining(trainee_of(folder), Planted(), broken, silent)
    first.measure()
    for number in range(3):  # one step more than the checkpoint holds: it is done again
        first.step()
        if number == 1:
            first.measure()
    again = trainee_of(folder)
    resumed = train(again, Planted(), replace(broken, resume=True), silent)
    for name, array in weights_of(straight).items():
        assert np.array_equal(weights_of(again)[name], array), name
    assert [replace(entry, minutes=0) for entry in resumed.curve] == [
        replace(entry, minutes=0) for entry in expected.curve
    ]
    written = json.loads((broken.out / "curve.json").read_text(encoding="utf-8"))
    assert written == [asdict(entry) for entry in resumed.curve]


def test_the_exported_folder_is_the_model_in_its_own_types(tmp_path: Path) -> None:
    base = write_random_speech_llama(tmp_path / "half")
    halves = {name: array.astype(mx.float16) for name, array in mx.load(str(base / "model.safetensors")).items()}
    mx.save_safetensors(str(base / "model.safetensors"), halves)
    trainee = trainee_of(base)
    assert {array.dtype for _, array in tree_flatten(trainee.writer.parameters())} == {mx.float32}
    trainee.export(tmp_path / "same")
    same = mx.load(str(tmp_path / "same" / "model.safetensors"))
    assert same.keys() == halves.keys()
    for name, array in halves.items():
        assert same[name].dtype == mx.float16
        assert np.array_equal(np.array(same[name]), np.array(array)), name  # nothing was learnt
    trainee.writer.heads.latent = trainee.writer.heads.latent + 1.0
    trainee.export(tmp_path / "changed")
    changed = mx.load(str(tmp_path / "changed" / "model.safetensors"))
    different = {name for name in halves if not np.array_equal(np.array(changed[name]), np.array(halves[name]))}
    assert different == {f"heads.latent.{number}.weight" for number in (2, 3, 4)}
    for name in ("config.json", "tokenizer.json"):
        assert (tmp_path / "changed" / name).read_bytes() == (base / name).read_bytes()


def test_a_model_is_exported_only_where_it_is_the_best_yet() -> None:
    def entry(expected: float) -> Measured:
        return Measured(0, 0.0, None, expected, 0.0)

    curve = [entry(0.4)]
    assert not improved(curve) and not helped(curve)  # as it came
    curve += [entry(0.5)]
    assert not improved(curve) and not helped(curve)
    curve += [entry(0.3)]
    assert improved(curve) and helped(curve)
    curve += [entry(0.35)]
    assert not improved(curve) and helped(curve)


def test_a_model_without_heads_is_trained_by_plain_beam_search(folder: Path, options: MwerOptions) -> None:
    trainee = Trainee(replace(load_speech_llama(folder), heads=None))
    found = trainee.hypotheses(SAID, trainee.frames(SAID), options)
    assert len(found) == options.beam
    assert {head for one, _ in found for head in one.heads} == {1}
    progress = train(trainee, Planted(), replace(options, steps=12, epoch_steps=12), silent)
    assert progress.curve[-1].expected < 0.5 * progress.curve[0].expected
    exported, base = (mx.load(str(where / "model.safetensors")) for where in (options.out / "model", folder))
    assert exported.keys() == base.keys()  # heads that were not trained stay as they were


def test_a_run_that_helps_nothing_exports_nothing(folder: Path, options: MwerOptions) -> None:
    wrong = Planted([replace(SAID, text="nothing like it")])
    progress = train(trainee_of(folder), wrong, replace(options, steps=1, rate=1e-9, cross_entropy=0.0), silent)
    assert not helped(progress.curve)
    assert not (options.out / "model").exists()


def test_another_models_checkpoint_is_refused(folder: Path, options: MwerOptions, tmp_path: Path) -> None:
    MwerTraining(trainee_of(folder), Planted(), options, silent).measure()
    other = trainee_of(write_random_speech_llama(tmp_path / "other", seed=1))
    resumed = replace(options, resume=True)
    with pytest.raises(ModelError, match="another model"):
        MwerTraining(other, Planted(), resumed, silent)
    path = options.out / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(ModelError, match="damaged"):
        MwerTraining(trainee_of(folder), Planted(), resumed, silent)


def test_a_checkpoint_holds_what_was_saved(tmp_path: Path) -> None:
    trees = {"model": {"a": {"b": [mx.ones(2), mx.zeros(3)]}}, "optimizer": {"step": mx.array(3)}}
    assert load_checkpoint(tmp_path, "this") is None
    save_checkpoint(tmp_path, "this", {"step": 5}, **trees)
    saved = load_checkpoint(tmp_path, "this")
    assert saved is not None and saved.said == {"step": 5}
    for name, tree in trees.items():
        pairs = zip(tree_flatten(saved.tree(name)), tree_flatten(tree), strict=True)
        assert all(one[0] == other[0] and np.array_equal(one[1], other[1]) for one, other in pairs)
    with pytest.raises(ModelError, match="another model"):
        load_checkpoint(tmp_path, "that")


def test_quantised_weights_are_refused(tmp_path: Path) -> None:
    base = write_random_speech_llama(tmp_path)
    loaded = load_speech_llama(base)
    config = json.loads((base / "config.json").read_text())
    (base / "config.json").write_text(json.dumps(config | {"quantization": {"group_size": 64, "bits": 8}}))
    with pytest.raises(ModelError, match="quantised weights, which cannot be trained"):
        Trainee(loaded)


def test_what_does_not_fit_the_model_is_left_out(folder: Path, options: MwerOptions) -> None:
    trainee = trainee_of(folder)
    assert trainee.fits(SAID)
    unfit = [
        Heard(np.zeros(0, np.float32), "hello"),
        Heard(np.zeros(31 * 16_000, np.float32), "hello"),
        Heard(noise(0), "  "),
    ]
    assert not any(trainee.fits(spoken) for spoken in unfit)
    with pytest.raises(MwerError, match="No held-out speech fits"):
        MwerTraining(trainee, Planted(unfit), options)
    training = MwerTraining(trainee, Planted(), options, silent)
    training._speech = Planted(unfit)
    with pytest.raises(MwerError, match="Hardly any"):
        training.step()


@pytest.mark.parametrize(
    "changes",
    [
        {"minutes": 0}, {"minutes": float("nan")}, {"steps": 0}, {"rate": 0}, {"rate": float("inf")}, {"beam": 1},
        {"tokens_ahead": 1}, {"tokens_ahead": 9}, {"threshold": 0}, {"threshold": 1.1}, {"utterances": 0},
        {"epoch_steps": 0}, {"cross_entropy": -1}, {"head_weight": float("nan")},
    ],
)  # fmt: skip
def test_bad_options_are_refused(options: MwerOptions, changes: dict[str, float]) -> None:
    with pytest.raises(OptionError, match=next(iter(changes))):
        replace(options, **changes)


def test_errors_are_words_changed_dropped_and_added() -> None:
    spoken = Heard(noise(0), "The cat sat down.")
    assert [errors_in(spoken, heard) for heard in ("the cat sat down", "a cat sat", "the cat sat down again", "")] == [
        0, 2, 1, 4,
    ]  # fmt: skip


def test_the_command_trains_on_a_manifest(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = []
    for word in WORDS:
        soundfile.write(tmp_path / f"{word}.wav", SAID.samples, 16_000)
        lines.append(json.dumps({"file": f"{word}.wav", "text": word, "seconds": 0.4, "speaker": word}))
    (tmp_path / "manifest.jsonl").write_text("\n".join(lines))
    command = ["train", "mwer", "--model", str(folder), "--data", str(tmp_path / "manifest.jsonl")]
    command += ["--out", str(tmp_path / "run"), "--utterances", "1", "--beam", "2", "--rate", "0.001"]
    assert main([*command, "--steps", "1"]) == 0
    said = capsys.readouterr().out
    assert "held out at step 0" in said and "held out at step 1" in said
    assert ("Wrote" in said) == (tmp_path / "run" / "model" / "model.safetensors").is_file()
    assert main([*command, "--steps", "1", "--export", str(folder)]) == 2
    assert "another folder" in capsys.readouterr().err
    assert main([*command, "--beam", "1"]) == 2
    assert "beam must be at least 2" in capsys.readouterr().err
