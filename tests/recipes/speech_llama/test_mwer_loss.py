"""What minimum word error rate training minimises, compared with its definition token by token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optimizers
import numpy as np
import pytest
from mlx.utils import tree_flatten, tree_map

from engine.hear.decode.beam import Candidate
from engine.hear.decode.decoder import Reader
from engine.hear.decode.rules import log_sum_exp
from engine.hear.speech_llama.load import load_speech_llama
from engine.hear.speech_llama.model import SpeechLlamaDecoder
from engine.recipes.speech_llama.mwer_loss import Hypothesis, Writer, expected_errors
from tests.random_speech_llama import BEGIN, END, write_random_speech_llama

HYPOTHESES = (
    Hypothesis((40, 41, 42, 43, END), (1, 2, 3, 1, 2), 1),  # heads wrote most of it, its end too
    Hypothesis((40, 44, END), (1, 1, 1), 0),
    Hypothesis((50, 51, 52, 53, 54), (1, 2, 3, 4, 1), 3),  # cut off: it has no end
    Hypothesis((END,), (1,), 2),
)
REFERENCE = (40, 44, 45, END)


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Writer:
    loaded = load_speech_llama(write_random_speech_llama(tmp_path_factory.mktemp("model")))
    made = Writer(loaded.model, loaded.heads, (BEGIN,), END)
    made.unfreeze()
    loaded.model.encoder.freeze()
    return made


@pytest.fixture(scope="module")
def frames(writer: Writer) -> mx.array:
    samples = np.random.default_rng(0).standard_normal(9000).astype(np.float32)
    made: mx.array = writer.speech.encoder(_mel(samples)[None])
    return made


def _mel(samples: np.ndarray) -> mx.array:
    from engine.hear.whisper.mel import log_mel

    return log_mel(0.1 * samples, 80)


def plain_logprob(writer: Writer, frames: mx.array, tokens: Sequence[int], heads: Sequence[int]) -> float:
    """Equation 12 as it is written: every token alone, by its head, from what had been read when it was predicted."""
    total = 0.0
    for place, (token, head) in enumerate(zip(tokens, heads, strict=True)):
        reader = Reader(SpeechLlamaDecoder(writer.speech, writer.speech.embed(frames), writer.heads))
        block = [BEGIN, *tokens[: place - head + 1]]
        (row,) = reader.read(block, [-1])
        if head > 1:
            row = reader.logits_ahead(len(block) - 1, head - 1)[head - 2]
        total += float(row[token]) - log_sum_exp(row)
    return total


def test_a_hypothesis_is_as_likely_as_the_heads_that_wrote_it_say(writer: Writer, frames: mx.array) -> None:
    states = writer.states(frames, [one.tokens for one in HYPOTHESES])
    plain = [plain_logprob(writer, frames, one.tokens, one.heads) for one in HYPOTHESES]
    np.testing.assert_allclose(np.array(writer.logprobs(states, HYPOTHESES)), plain, rtol=1e-4)


def test_texts_of_the_first_head_alone_are_as_likely_as_in_plain_decoding(writer: Writer, frames: mx.array) -> None:
    hypotheses = [Hypothesis(one.tokens, (1,) * len(one.tokens), 0) for one in HYPOTHESES]
    states = writer.states(frames, [one.tokens for one in hypotheses])
    plain = [plain_logprob(writer, frames, one.tokens, one.heads) for one in hypotheses]
    np.testing.assert_allclose(np.array(writer.logprobs(states, hypotheses)), plain, rtol=1e-4)


def test_a_hypothesis_of_nothing_is_certain(writer: Writer, frames: mx.array) -> None:
    nothing = Hypothesis((), (), 3)  # cut off before the first token
    states = writer.states(frames, [()])
    assert np.array(writer.logprobs(states, [nothing])).tolist() == [0.0]
    assert float(writer.expected_errors(frames, [nothing])) == 3.0


def test_errors_count_by_how_likely_they_are_among_the_hypotheses() -> None:
    hypotheses = [Hypothesis((5, END), (1, 1), 4), Hypothesis((6, END), (1, 1), 0)]
    logprobs = mx.log(mx.array([0.01, 0.03]))  # 1 to 3, however unlikely both are
    assert float(expected_errors(logprobs, hypotheses)) == pytest.approx(4 / 4)
    assert float(expected_errors(logprobs - 500.0, hypotheses)) == pytest.approx(1.0, rel=1e-4)


def test_the_cross_entropy_is_that_of_every_head_weighed(writer: Writer, frames: mx.array) -> None:
    weights = [1.0, 0.2, 0.3, 0.4]
    expected = 0.0
    for head, weight in enumerate(weights, start=1):
        for place in range(head - 1, len(REFERENCE)):
            before = REFERENCE[: place + 1]
            heads = (*(1,) * place, head)
            alone = plain_logprob(writer, frames, before, heads) - plain_logprob(
                writer, frames, before[:-1], heads[:-1]
            )
            expected -= weight * alone
    states = writer.states(frames, [REFERENCE])[0]
    assert float(writer.cross_entropy(states, REFERENCE, weights)) == pytest.approx(expected, rel=1e-3)


def test_a_text_shorter_than_the_heads_look_has_a_cross_entropy(writer: Writer, frames: mx.array) -> None:
    states = writer.states(frames, [(END,)])[0]
    plain = -plain_logprob(writer, frames, (END,), (1,))
    assert float(writer.cross_entropy(states, (END,), [1.0, 0.2, 0.2, 0.2])) == pytest.approx(plain, rel=1e-4)


def test_both_losses_in_one_forward_are_those_of_each_alone(writer: Writer, frames: mx.array) -> None:
    weights = [1.0, 0.2, 0.2, 0.2]
    expected, written = writer.losses(frames, REFERENCE, HYPOTHESES, weights)
    assert float(expected) == pytest.approx(float(writer.expected_errors(frames, HYPOTHESES)), rel=1e-4)
    alone = writer.cross_entropy(writer.states(frames, [REFERENCE])[0], REFERENCE, weights)
    assert float(written) == pytest.approx(float(alone), rel=1e-4)


def both(writer: Writer, frames: mx.array) -> Callable[[], mx.array]:
    def loss() -> mx.array:
        expected, written = writer.losses(frames, REFERENCE, HYPOTHESES, [1.0, 0.2, 0.2, 0.2])
        return expected + 0.01 * written

    return loss


@pytest.mark.parametrize("part", ["everything", "adapter", "layers", "embedding", "heads"])
def test_the_gradient_is_that_of_the_loss(writer: Writer, frames: mx.array, part: str) -> None:
    names = {"everything": "", "adapter": "speech.adapter", "layers": "speech.model.layers", "heads": "heads."}
    beginning = names.get(part, "speech.model.embed_tokens")
    loss = both(writer, frames)
    _, gradient = nn.value_and_grad(writer, loss)()
    parameters = dict(tree_flatten(writer.trainable_parameters()))
    slopes = {name: slope for name, slope in tree_flatten(gradient) if name.startswith(beginning)}
    assert slopes
    length = float(mx.sqrt(sum((mx.square(slope).sum() for slope in slopes.values()), mx.zeros(()))))
    assert length > 1e-3
    step = 3e-3

    def at(sign: float) -> float:
        moved = [(name, parameters[name] + sign * step / length * slope) for name, slope in slopes.items()]
        writer.load_weights(moved, strict=False)
        return float(loss())

    ahead, behind = at(1.0), at(-1.0)
    writer.load_weights(list(parameters.items()), strict=False)
    assert (ahead - behind) / (2 * step) == pytest.approx(length, rel=0.02)


def test_the_ear_has_no_gradient(writer: Writer, frames: mx.array) -> None:
    _, gradient = nn.value_and_grad(writer, both(writer, frames))()
    named: list[tuple[str, Any]] = tree_flatten(gradient)
    assert not any(name.startswith("speech.encoder") for name, _ in named)
    assert {name.split(".")[0] for name, _ in named} == {"speech", "heads"}


def test_steps_along_the_gradient_lower_the_expected_errors(tmp_path: Path, frames: mx.array) -> None:
    loaded = load_speech_llama(write_random_speech_llama(tmp_path))
    learner = Writer(loaded.model, loaded.heads, (BEGIN,), END)
    learner.unfreeze()
    loaded.model.encoder.freeze()
    optimizer = optimizers.Adam(learning_rate=1e-3)
    measure = nn.value_and_grad(learner, lambda: learner.expected_errors(frames, HYPOTHESES))
    seen = []
    for _ in range(12):
        expected, gradient = measure()
        seen.append(float(expected))
        optimizer.update(learner, gradient)
        mx.eval(learner.parameters(), optimizer.state)
    assert min(one.errors for one in HYPOTHESES) <= seen[-1] < 0.5 * seen[0]
    states = learner.states(frames, [one.tokens for one in HYPOTHESES])
    assert int(learner.logprobs(states, HYPOTHESES).argmax()) == 1  # the one without an error


def test_hypotheses_with_as_many_errors_teach_nothing(writer: Writer, frames: mx.array) -> None:
    equal = [Hypothesis(one.tokens, one.heads, 2) for one in HYPOTHESES]
    _, gradient = nn.value_and_grad(writer, lambda: writer.expected_errors(frames, equal))()
    largest = tree_map(lambda slope: float(mx.abs(slope).max()), gradient)
    assert max(value for _, value in tree_flatten(largest)) < 1e-4


def test_a_model_without_heads_is_trained_by_its_first(tmp_path: Path, frames: mx.array) -> None:
    loaded = load_speech_llama(write_random_speech_llama(tmp_path))
    single = Writer(loaded.model, None, (BEGIN,), END)
    hypotheses = [Hypothesis(one.tokens, (1,) * len(one.tokens), one.errors) for one in HYPOTHESES]
    plain = [plain_logprob(single, frames, one.tokens, one.heads) for one in hypotheses]
    states = single.states(frames, [one.tokens for one in hypotheses])
    np.testing.assert_allclose(np.array(single.logprobs(states, hypotheses)), plain, rtol=1e-4)
    reference = single.cross_entropy(single.states(frames, [REFERENCE])[0], REFERENCE, [1.0])
    assert float(reference) == pytest.approx(-plain_logprob(single, frames, REFERENCE, (1,) * 4), rel=1e-4)
    assert single.ahead == 1


def test_what_a_search_found_becomes_a_hypothesis() -> None:
    ended = Candidate().extended(7, -0.1).extended(8, -0.2, head=2).ended(-0.3, head=3)
    assert Hypothesis.of(ended, END, 5) == Hypothesis((7, 8, END), (1, 2, 3), 5)
    cut_off = Candidate().extended(7, -0.1).extended(8, -0.2, head=2)
    assert Hypothesis.of(cut_off, END, 0) == Hypothesis((7, 8), (1, 2), 0)
