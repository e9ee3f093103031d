from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

import mlx.core as mx
import numpy as np
import pytest

from engine.audio.feed import feed
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.errors import AudioError, ModelError, OptionError
from engine.events import Caption, Hypothesis, Reference
from engine.hear.decode import attempts
from engine.hear.decode.attempts import Decoding
from engine.hear.decode.cache import CrossCache
from engine.hear.decode.reference import usable
from engine.hear.decode.steps import Steps
from engine.hear.recognizer import OFFLINE_TEMPERATURES
from engine.hear.speech_llama.load import SpeechLlamaModel, load_speech_llama
from engine.hear.speech_llama.model import SpeechLlama
from engine.hear.speech_llama.recognizer import SpeechLlamaRecognizer, make_tail
from engine.options import AcceptanceRule, CaptionOptions, DecodeOptions, Decoder
from tests.hear.short_decoding import short_decoding
from tests.random_speech_llama import BEGIN, END, write_random_speech_llama

PLAIN = DecodeOptions()
TOKENS = 12


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    """Decodings end after 12 tokens, and pass."""
    with short_decoding(TOKENS):
        yield


@pytest.fixture(scope="module")
def hearing(tmp_path_factory: pytest.TempPathFactory) -> SpeechLlamaModel:
    return load_speech_llama(write_random_speech_llama(tmp_path_factory.mktemp("speech-llama"), seed=2))


def noise(seconds: float, seed: int = 0) -> np.ndarray:
    return (0.1 * np.random.default_rng(seed).normal(size=round(seconds * 16_000))).astype(np.float32)


def without_times(heard: Hypothesis) -> Hypothesis:
    return replace(heard, encode_seconds=0, decode_seconds=0, align_seconds=0)


def heard_by(hearing: SpeechLlamaModel, options: DecodeOptions, seconds: float = 2.0, seed: int = 0) -> Hypothesis:
    return SpeechLlamaRecognizer(hearing, options).hear(noise(seconds, seed), language="en")


def spoken(hypothesis: Hypothesis) -> list[tuple[str, tuple[int, ...]]]:
    return [(word.text, word.tokens) for word in hypothesis.words]


def test_words_come_with_absolute_times_tokens_and_probabilities(hearing: SpeechLlamaModel) -> None:
    heard = SpeechLlamaRecognizer(hearing, PLAIN).hear(noise(2.0), offset_seconds=100.0)
    assert heard.words and heard.language == "en"
    times = [moment for word in heard.words for moment in (word.start, word.end)]
    assert times == sorted(times)
    assert times[0] >= 100.0 and times[-1] <= 102.0
    for word in heard.words:
        assert 0 <= word.probability <= 1
        assert word.attended is not None and 100.0 <= word.attended < 102.0
        assert hearing.tokenizer.decode(word.tokens).replace("\ufffd", "") == word.text
    assert heard.tokens == heard.forwards == 12
    assert min(heard.encode_seconds, heard.decode_seconds, heard.align_seconds) > 0


def test_the_offset_only_moves_times_and_a_prompt_does_nothing(hearing: SpeechLlamaModel) -> None:
    recognizer = SpeechLlamaRecognizer(hearing, PLAIN)
    here, there = (
        recognizer.hear(noise(1.0), offset_seconds=offset, prompt=prompt)
        for offset, prompt in ((0, ""), (50, "Before."))
    )
    assert spoken(here) == spoken(there)
    for early, late in zip(here.words, there.words, strict=True):
        assert (late.start - early.start, late.end - early.end) == (pytest.approx(50), pytest.approx(50))


def test_what_is_written_is_what_single_steps_of_the_model_choose(hearing: SpeechLlamaModel) -> None:
    model = hearing.model
    heard, cache = model.read_audio(model.audio(noise(2.0))), model.new_cache()
    tokens, logprobs = [BEGIN], []
    for _ in range(12):
        logits = model.logits(model.write(mx.array([tokens[-1:]]), heard, cache)[0, -1])
        logits[BEGIN] = -np.inf
        tokens.append(int(mx.argmax(logits).item()))
        logprobs.append((logits[tokens[-1]] - mx.logsumexp(logits)).item())
    assert END not in tokens
    found = heard_by(hearing, PLAIN)
    assert [token for word in found.words for token in word.tokens] == tokens[
        1 : 1 + sum(len(w.tokens) for w in found.words)
    ]
    assert found.average_logprob == pytest.approx(sum(logprobs) / 13, abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ahead", [2, 3, 4])
def test_several_tokens_at_once_are_those_that_come_one_by_one(
    hearing: SpeechLlamaModel, seed: int, ahead: int
) -> None:
    plain = heard_by(hearing, PLAIN, seed=seed)
    several = replace(PLAIN, decoder="multitoken", acceptance="top-m", tokens_ahead=ahead)
    found = heard_by(hearing, several, seed=seed)
    assert spoken(found) == spoken(plain)
    assert found.average_logprob == pytest.approx(plain.average_logprob, abs=1e-3)
    assert found.forwards <= plain.forwards + 1


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("decoder", ["beam", "multitoken"])
def test_every_decoder_ends_within_the_limit(hearing: SpeechLlamaModel, decoder: str, size: int) -> None:
    options = replace(PLAIN, decoder=decoder, beam_size=size)
    heard = heard_by(hearing, options)
    assert 0 < heard.tokens <= 12
    assert heard.forwards <= heard.tokens * (size + 1)


@pytest.mark.parametrize("decoder", ["beam", "multitoken"])
@pytest.mark.parametrize("size", [1, 2])
def test_the_last_hypothesis_is_verified_with_one_forward(hearing: SpeechLlamaModel, size: int, decoder: str) -> None:
    first = heard_by(hearing, PLAIN)
    reference = Reference((), first.words)
    known = sum(len(word.tokens) for word in first.words)
    again = SpeechLlamaRecognizer(hearing, replace(PLAIN, decoder=decoder, beam_size=size, reuse="verify"))
    second = again.hear(noise(2.0), reference=reference)
    assert second.reused_tokens == known
    if size == 1:
        assert spoken(second) == spoken(first)
        assert second.forwards == max(1, 12 - known)
    pruning = SpeechLlamaRecognizer(hearing, replace(PLAIN, beam_size=2, reuse="prune"))
    assert pruning.hear(noise(2.0), reference=reference).pruned_steps >= known


def test_a_reference_is_text_up_to_the_first_token_that_is_none(hearing: SpeechLlamaModel) -> None:
    tokenizer = hearing.tokenizer
    assert usable([5, 6, END, 7], tokenizer, 9) == usable([5, 6, 310, 7], tokenizer, 9) == (5, 6)
    samples, words = noise(2.0), heard_by(hearing, PLAIN).words
    spoilt = (*words[:3], replace(words[3], tokens=(BEGIN,)), *words[4:])
    verifying = SpeechLlamaRecognizer(hearing, replace(PLAIN, reuse="verify"))
    again = verifying.hear(samples, reference=Reference(spoilt))
    assert spoken(again) == spoken(heard_by(hearing, PLAIN))
    assert again.reused_tokens >= sum(len(word.tokens) for word in words[:3])


@pytest.mark.parametrize("samples", [np.zeros(0, np.float32), noise(0.005), noise(0.05), np.zeros(32_000, np.float32)])
def test_what_can_hold_no_words_costs_nothing(hearing: SpeechLlamaModel, samples: np.ndarray) -> None:
    heard = SpeechLlamaRecognizer(hearing, PLAIN).hear(samples)
    assert (heard.words, heard.forwards, heard.no_speech_probability) == ((), 0, 1.0)


@pytest.mark.parametrize("count", [1600, 1601, 1759, 16_123, 480_000])
def test_any_length_up_to_thirty_seconds_is_heard(hearing: SpeechLlamaModel, count: int) -> None:
    heard = SpeechLlamaRecognizer(hearing, PLAIN).hear(noise(30.0)[:count])
    assert all(word.end <= count / 16_000 for word in heard.words)
    assert heard.forwards > 0


def test_an_end_at_once_is_silence(hearing: SpeechLlamaModel, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = SpeechLlama.logits
    surely = mx.zeros((310,)).at[END].add(50.0)
    monkeypatch.setattr(SpeechLlama, "logits", lambda model, states: plain(model, states) + surely)
    for decoder in ("beam", "multitoken"):
        heard = heard_by(hearing, DecodeOptions(decoder=decoder))  # type: ignore[arg-type]
        assert (heard.words, heard.tokens, heard.forwards) == ((), 0, 1)
        assert heard.no_speech_probability > 0.99
        assert heard.align_seconds < 0.01


def test_each_embedding_times_the_frames_that_it_was_made_of(
    hearing: SpeechLlamaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight tokens that look at two embeddings each, one behind the other: 0.12 s of audio for each of them."""

    def looks(model: SpeechLlama, tokens: mx.array, heard: CrossCache) -> mx.array:
        scores = np.full((2, tokens.shape[1], heard.frames), -12.0, np.float32)
        for row in range(tokens.shape[1]):
            scores[:, row, 2 * row + 4 : 2 * row + 6] = 0.0
        return mx.array(scores)

    monkeypatch.setattr(SpeechLlama, "looks", looks)
    tokens = [hearing.tokenizer.encode(f" {letter}")[0] for letter in "acegikmo"]

    def writes(*_: object) -> Steps[Decoding]:
        """Write the tokens, whatever was heard."""
        yield from ()
        return Decoding(tuple(tokens), "", "en", 0.0, 0.0, 1.0, 0.0, 1, (1.0,) * len(tokens))

    monkeypatch.setattr(SpeechLlamaRecognizer, "_decode", writes)
    heard = SpeechLlamaRecognizer(hearing, PLAIN).hear(noise(2.0))
    assert heard.text == "a c e g i k m o"
    for place, found in enumerate(heard.words):
        begin = 0.12 * place + 0.24
        assert found.attended is not None and begin <= found.attended < begin + 0.12
        assert found.end == pytest.approx(begin + 0.12, abs=0.07)


def test_padding_adds_silence_that_no_word_may_end_in(hearing: SpeechLlamaModel) -> None:
    natural, padded, noisy = (SpeechLlamaRecognizer(hearing, PLAIN, padding=each) for each in (None, "full", "noise:1"))
    assert padded.hear(noise(1.5)).words[-1].end <= 1.5
    assert noisy.hear(noise(1.5)).words[-1].end <= 1.5
    full = noise(30.0)
    assert without_times(padded.hear(full)) == without_times(natural.hear(full))
    assert natural.buffer_seconds < padded.buffer_seconds
    assert make_tail(hearing, "zeros:2").encoded_frames(16_000) == 150


@pytest.mark.parametrize("padding", ["hush", "silence_cache"])
def test_paddings_that_only_a_whisper_has_are_refused(hearing: SpeechLlamaModel, padding: str) -> None:
    with pytest.raises(
        OptionError, match=f"padding must be one of full, none, zeros:S, noise:S for .*, not '{padding}'"
    ):
        SpeechLlamaRecognizer(hearing, PLAIN, padding=padding)


def test_options_that_it_cannot_follow_are_refused(hearing: SpeechLlamaModel) -> None:
    with pytest.raises(OptionError, match="hears English only"):
        SpeechLlamaRecognizer(hearing, PLAIN, ["de"])
    with pytest.raises(OptionError, match="hears English only"):
        SpeechLlamaRecognizer(hearing, PLAIN).hear(noise(1.0), language="de")
    headless = replace(hearing, heads=None)
    with pytest.raises(ModelError, match="has no heads"):
        SpeechLlamaRecognizer(headless, DecodeOptions(decoder="multitoken"))
    assert SpeechLlamaRecognizer(headless, PLAIN).hear(noise(1.0)).words


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_samples_that_are_no_numbers_or_too_many_are_refused(hearing: SpeechLlamaModel, value: float) -> None:
    recognizer = SpeechLlamaRecognizer(hearing, PLAIN)
    samples = noise(1.0)
    samples[500] = value
    with pytest.raises(AudioError, match="not numbers"):
        recognizer.hear(samples)
    with pytest.raises(ValueError, match="30 s"):
        recognizer.hear(noise(30.1))


def test_files_get_the_temperature_fallback(hearing: SpeechLlamaModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "LEAST_LOGPROB", -0.01)
    recognizer = SpeechLlamaRecognizer(hearing, PLAIN)
    patient = recognizer.for_files()
    assert isinstance(patient, SpeechLlamaRecognizer)
    assert patient.temperatures == OFFLINE_TEMPERATURES
    assert patient.hear(noise(1.0), final=True).forwards == TOKENS * len(OFFLINE_TEMPERATURES)
    assert recognizer.hear(noise(1.0)).forwards == TOKENS


def test_sampling_knows_no_heads(hearing: SpeechLlamaModel) -> None:
    def sampled(decoder: Decoder) -> Hypothesis:
        recognizer = SpeechLlamaRecognizer(hearing, replace(PLAIN, decoder=decoder))
        recognizer.temperatures = (0.7,)
        return without_times(recognizer.hear(noise(2.0), language="en"))

    assert sampled("multitoken") == sampled("beam")


def test_a_cancelled_hearing_ends_at_the_next_step(hearing: SpeechLlamaModel) -> None:
    asked = iter([False, False, True])
    heard = SpeechLlamaRecognizer(hearing, PLAIN).hear(noise(1.0), cancelled=lambda: next(asked, True))
    assert heard.forwards == 3


@pytest.mark.parametrize(
    "options",
    [
        PLAIN,
        *(
            replace(PLAIN, decoder="multitoken", acceptance=rule, top_m=100, threshold=0.002, beam_size=size)
            for rule in get_args(AcceptanceRule)
            for size in (1, 3)
        ),
    ],
    ids=lambda options: f"{options.decoder}-{options.acceptance}-{options.beam_size}",
)
def test_any_thread_may_take_over_between_the_stages(hearing: SpeechLlamaModel, options: DecodeOptions) -> None:
    recognizer = SpeechLlamaRecognizer(hearing, options)
    plain = recognizer.hear(noise(1.0), language="en")
    stages = recognizer.stages(
        noise(1.0), offset_seconds=0.0, prompt="", language="en", final=False, reference=Reference()
    )
    seen: list[str] = []
    found: list[Hypothesis] = []

    def resume() -> None:
        try:
            seen.append(next(stages))
        except StopIteration as end:
            found.append(end.value)
        mx.clear_streams()

    while not found:
        thread = threading.Thread(target=resume)
        thread.start()
        thread.join()
    assert (seen[0], seen[-1]) == ("encoded", "decoded")
    assert seen[1:-1] == ["decoding"] * (len(seen) - 2)
    assert options.beam_size > 1 or abs(len(seen) - 2 - plain.forwards) <= 1
    assert without_times(found[0]) == without_times(plain)


@pytest.mark.parametrize("pipeline", [False, True])
def test_a_stream_is_captioned_by_the_same_rounds(hearing: SpeechLlamaModel, pipeline: bool) -> None:
    decode = replace(PLAIN, reuse="verify")
    options = CaptionOptions(voice_gate=False, pipeline=pipeline, language="en", decode=decode)
    session = CaptionSession(SpeechLlamaRecognizer(hearing, options.decode), options, SimulatedClock(lambda: 0.0))
    samples = noise(4.0)
    chunks = (samples[first : first + 1600] for first in range(0, len(samples), 1600))
    captions = [event for event in feed(chunks, session, pace="fast") if isinstance(event, Caption)]
    assert any(caption.text for caption in captions)
    assert session.summary.rounds > 5
