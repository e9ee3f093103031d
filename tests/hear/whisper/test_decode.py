from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine.errors import OptionError
from engine.hear.decode import attempts as attempts_module
from engine.hear.decode.attempts import GREEDY, Decoding, token_limit
from engine.hear.decode.beam import Beam, Greedy, Search
from engine.hear.decode.cache import CrossCache
from engine.hear.decode.decoder import Reader
from engine.hear.decode.rules import MOST_REPEATED, NO_TOKENS, transcript_rules
from engine.hear.decode.search import Terms, run_search
from engine.hear.decode.steps import finish
from engine.hear.decode.tokenizer import Tokenizer, load_tokenizer
from engine.hear.whisper.decode import decode, detect_language, prompt_tokens, untaught_tokens
from engine.hear.whisper.load import HearingModel
from engine.hear.whisper.model import Whisper
from engine.hear.whisper.whisper_decoder import WhisperDecoder
from engine.options import DecodeOptions
from tests.hear.short_decoding import believe, end_after

MakeModel = Callable[..., HearingModel]
LOGIT_TOLERANCE = 0.2  # for unlikely tokens, multiplied in bytes: one for a block, two for a step


PLAIN = DecodeOptions()


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return load_tokenizer(99, True)


@pytest.fixture
def hearing(tiny_model: MakeModel) -> HearingModel:
    return tiny_model(0, n_audio_ctx=50)


def features(seed: int = 0) -> mx.array:
    return mx.array(np.random.default_rng(seed).normal(size=(1, 50, 64)).astype(np.float32))


def decoded(hearing: HearingModel, options: DecodeOptions = PLAIN, **settings: Any) -> Decoding:
    settings = {"language": "en", "audio_seconds": 1.0} | settings
    return finish(decode(hearing.model, hearing.tokenizer, features(), options, **settings))


def test_a_block_of_tokens_reads_as_one_token_after_the_other(hearing: HearingModel) -> None:
    model = hearing.model
    cross = model.cross_cache(features())
    prefix = (*prompt_tokens(hearing.tokenizer, "What came before.", 99), *hearing.tokenizer.sot_sequence("en"))
    rules = transcript_rules(hearing.tokenizer, NO_TOKENS)

    def search(stepwise: bool, search: Search) -> tuple[np.ndarray, Search]:
        reader = Reader(WhisperDecoder(model, cross))
        if stepwise:
            rows = np.concatenate([reader.step([0], [token]) for token in prefix])
        else:
            rows = reader.read(prefix, range(len(prefix)))
        assert reader.forwards == (len(prefix) if stepwise else 1)
        finish(run_search(reader, search, rows[-1:].copy(), Terms(hearing.tokenizer.eot, rules, limit=10)))
        return rows, search

    for make in (lambda: Greedy(hearing.tokenizer.eot), lambda: Beam(hearing.tokenizer.eot, 4)):
        (block_rows, block), (step_rows, step) = search(False, make()), search(True, make())
        np.testing.assert_allclose(block_rows, step_rows, atol=LOGIT_TOLERANCE)
        np.testing.assert_allclose(block_rows.max(axis=1), step_rows.max(axis=1), atol=2e-3)
        assert block.best().tokens == step.best().tokens
        assert block.best().sum_logprob == pytest.approx(step.best().sum_logprob, abs=0.02)


def test_every_beam_row_reads_its_own_sequence(hearing: HearingModel) -> None:
    # The cache is reordered at every step; each live candidate must score as if it were read alone.
    model, eot = hearing.model, hearing.tokenizer.eot
    cross = model.cross_cache(features())
    prefix = hearing.tokenizer.sot_sequence("en")
    beam = Beam(eot, 5, patience=10)
    reader = Reader(WhisperDecoder(model, cross))
    finish(run_search(reader, beam, reader.read(prefix, [-1]), Terms(eot, (), limit=8)))
    for candidate in beam.live:
        sequence = [*prefix, *candidate.tokens]
        rows = Reader(WhisperDecoder(model, cross)).read(sequence, range(len(prefix) - 1, len(sequence) - 1))
        logprobs = rows - np.log(np.exp(rows.astype(np.float64)).sum(axis=1, keepdims=True))
        expected = [logprobs[place, token] for place, token in enumerate(candidate.tokens)]
        assert candidate.logprobs == pytest.approx(expected, abs=0.02)


def test_probabilities_and_counts_belong_together(hearing: HearingModel, monkeypatch: pytest.MonkeyPatch) -> None:
    end_after(monkeypatch, 9)
    for size in (1, 3):
        found = decoded(hearing, DecodeOptions(beam_size=size))
        assert len(found.token_probabilities) == len(found.tokens) == 9
        assert found.forwards == 9
        mean = sum(map(math.log, found.token_probabilities)) / 10  # cut off: an end of text was never scored
        assert found.average_logprob == pytest.approx(mean)
        assert found.text == hearing.tokenizer.decode(found.tokens).strip()
        assert 0 <= found.no_speech_probability <= 1


def test_no_speech_costs_no_forward_of_its_own(hearing: HearingModel, monkeypatch: pytest.MonkeyPatch) -> None:
    end_after(monkeypatch, 1)
    believe(monkeypatch)
    prompt = "Hello there."
    found = decoded(hearing, prompt=prompt)
    assert found.forwards == 1
    model = hearing.model
    sequence = [*prompt_tokens(hearing.tokenizer, prompt, 99), hearing.tokenizer.sot]
    logits, _ = model.decode(mx.array([sequence]), model.cross_cache(features()), model.new_cache())
    expected = mx.softmax(logits[0, -1], precise=True)[hearing.tokenizer.no_speech].item()
    assert found.no_speech_probability == pytest.approx(expected, rel=0.05)  # an unlikely token


def test_a_made_cross_cache_is_as_good_as_the_features(hearing: HearingModel) -> None:
    cross = hearing.model.cross_cache(features())
    steps = decode(hearing.model, hearing.tokenizer, cross, PLAIN, language="en", audio_seconds=1.0)
    assert finish(steps) == decoded(hearing)


def test_samples_are_repeatable_by_their_seed(hearing: HearingModel, monkeypatch: pytest.MonkeyPatch) -> None:
    end_after(monkeypatch, 8)

    def sampled(seed: int) -> Decoding:
        return decoded(hearing, temperatures=(1.0,), seed=seed)

    assert sampled(1) == sampled(1)
    assert sampled(1).tokens != sampled(2).tokens


def test_a_cancelled_decoding_ends_at_the_next_step(hearing: HearingModel) -> None:
    asked = iter([False, False, True, True])
    found = decoded(hearing, DecodeOptions(beam_size=2), temperatures=(0.0, 0.5), cancelled=lambda: next(asked))
    assert len(found.tokens) == 3
    assert found.temperature == 0.0


def test_the_language_is_one_of_the_allowed(hearing: HearingModel) -> None:
    model, words = hearing.model, hearing.tokenizer
    code, everything = detect_language(model, words, features())
    assert len(everything) == 99 and sum(everything.values()) == pytest.approx(1, abs=1e-4)
    allowed = [other for other in ("de", "fr", "ja") if other != code]
    chosen, probabilities = detect_language(model, words, features(), allowed)
    assert chosen == max(allowed, key=everything.__getitem__)
    total = sum(everything[other] for other in allowed)
    assert probabilities == pytest.approx({other: everything[other] / total for other in allowed}, rel=1e-3)

    found = decoded(hearing, language=None, allowed_languages=allowed)
    given = decoded(hearing, language=chosen)
    assert (found.language, found.tokens) == (given.language, given.tokens)
    assert found.forwards == given.forwards + 1


def test_a_single_allowed_language_needs_no_detection(hearing: HearingModel) -> None:
    assert detect_language(hearing.model, hearing.tokenizer, features(), ["de"]) == ("de", {"de": 1.0})
    assert decoded(hearing, language=None, allowed_languages=["de"]) == decoded(hearing, language="de")


def test_an_unknown_language_is_named(hearing: HearingModel) -> None:
    with pytest.raises(OptionError, match="xx"):
        decoded(hearing, language="xx")
    with pytest.raises(OptionError, match="xx"):
        decoded(hearing, language=None, allowed_languages=["en", "xx"])


def test_english_only_models_hear_english(tiny_model: MakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    end_after(monkeypatch, 5)
    hearing = tiny_model(0, n_audio_ctx=50, n_vocab=51864)
    found = decoded(hearing, language=None)
    assert found.language == "en"
    assert found.forwards == 5


def test_a_long_prompt_keeps_its_end(tokenizer: Tokenizer) -> None:
    assert prompt_tokens(tokenizer, "  ", 223) == prompt_tokens(tokenizer, (), 223) == ()
    assert prompt_tokens(tokenizer, "Hello", 223) == (tokenizer.sot_prev, *tokenizer.encode(" Hello"))
    assert prompt_tokens(tokenizer, range(300), 223) == (tokenizer.sot_prev, *range(77, 300))


def test_a_full_context_leaves_room_to_decode(hearing: HearingModel) -> None:
    found = decoded(hearing, prompt=[500] * 1000, audio_seconds=30.0)
    assert 224 + 4 + len(found.tokens) <= 448


@pytest.mark.parametrize(
    ("seconds", "prefix", "limit"),
    [(0.5, 4, 50), (2.0, 4, 50), (5.0, 4, 110), (30.0, 4, 224), (30.0, 300, 148), (30.0, 448, 1)],
)
def test_tokens_are_limited_by_the_audio_and_the_context(seconds: float, prefix: int, limit: int) -> None:
    assert token_limit(seconds, n_text_ctx=448, prefix_length=prefix) == limit


def test_forbidden_tokens_are_never_said(hearing: HearingModel) -> None:
    free = decoded(hearing)
    bound = decoded(hearing, forbidden=np.array(free.tokens))
    assert bound.tokens and not set(free.tokens) & set(bound.tokens)


def test_tokens_that_share_a_row_were_not_taught(tiny_model: MakeModel) -> None:
    model = tiny_model(0, n_audio_ctx=50).model
    assert untaught_tokens(model).size == 0  # every row is its own
    partly = Whisper(model.dims)
    rows = np.random.default_rng(0).normal(size=(51865, 64)).astype(np.float32)
    shared = np.random.default_rng(1).permutation(51865)[:20_000]
    rows[shared] = rows[shared[0]]
    partly.decoder.token_embedding.weight = mx.array(rows)
    assert untaught_tokens(partly).tolist() == sorted(shared.tolist())


# Scripted decoders: what the guards do does not depend on weights.

Script = Callable[[list[int]], dict[int, float]]


class ScriptedReader:
    """Returns the logits of a script: sampled tokens so far to logits of the tokens that may follow."""

    script: Script
    no_speech = 0.0
    misleading_prompt = False

    def __init__(self, *_: object) -> None:
        self.forwards = 0
        self._rows: list[list[int]] = [[]]
        self._prefix = 0

    @property
    def cache(self) -> SimpleNamespace:
        return SimpleNamespace(offset=self._prefix + len(self._rows[0]))

    def read(self, tokens: Sequence[int], rows: Sequence[int], *, ahead: int = 0) -> np.ndarray:
        self.forwards += 1
        if self._prefix:
            before = self._rows[0]
            self._rows = [[*before, *tokens]]
            return np.stack([self._row([*before, *tokens[: row + 1]]) for row in rows])
        self._prefix = rows[1] + 1  # prompt and start; what follows is a reference
        self._misled = self.misleading_prompt and self._prefix > 4
        self._rows = [list(tokens[self._prefix :])]
        at_start = np.full(51865, -30.0, np.float32)
        at_start[load_tokenizer(99, True).no_speech] = math.log(max(self.no_speech, 1e-9))
        at_start[50259] = math.log(1 - self.no_speech)
        return np.stack([at_start, *(self._row(list(tokens[self._prefix : row + 1])) for row in rows[1:])])

    def truncate(self, length: int) -> None:
        self._rows = [row[: length - self._prefix] for row in self._rows]

    def step(self, sources: Sequence[int], tokens: Sequence[int]) -> np.ndarray:
        self.forwards += 1
        self._rows = [[*self._rows[source], token] for source, token in zip(sources, tokens, strict=True)]
        return np.stack([self._row(sampled) for sampled in self._rows])

    def _row(self, sampled: list[int]) -> np.ndarray:
        row = np.full(51865, -30.0, np.float32)
        if self._misled:
            row[1000:2000] = 0.0
            return row
        for token, value in type(self).script(sampled).items():
            row[token] = value
        return row


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, tokenizer: Tokenizer) -> Callable[..., Decoding]:
    def run(
        script: Script,
        options: DecodeOptions = PLAIN,
        seconds: float = 5.0,
        prompt: str = "",
        reference: Sequence[int] = (),
        temperatures: Sequence[float] = GREEDY,
        **traits: Any,
    ) -> Decoding:
        reader = type("Scripted", (ScriptedReader,), {"script": staticmethod(script)} | traits)
        monkeypatch.setattr(attempts_module, "Reader", reader)
        model = SimpleNamespace(dims=SimpleNamespace(n_text_ctx=448))
        cross = CrossCache((), ())
        steps = decode(
            model,  # type: ignore[arg-type]
            tokenizer,
            cross,
            options,
            language="en",
            audio_seconds=seconds,
            prompt=prompt,
            temperatures=temperatures,
            reference=reference,
        )
        return finish(steps)

    return run


def says(text: str, tokenizer: Tokenizer, certainty: float = 5.0) -> Script:
    tokens = [*tokenizer.encode(text), tokenizer.eot]
    return lambda sampled: {tokens[min(len(sampled), len(tokens) - 1)]: certainty}


LADDER = (0.0, 0.2, 0.4)


def test_a_confident_text_needs_one_attempt(scripted: Callable[..., Decoding], tokenizer: Tokenizer) -> None:
    found = scripted(says(" Hello there.", tokenizer), temperatures=LADDER)
    assert (found.text, found.temperature, found.forwards) == ("Hello there.", 0.0, 4)


def test_a_prompt_that_misleads_is_left_out(scripted: Callable[..., Decoding], tokenizer: Tokenizer) -> None:
    found = scripted(says(" Hello.", tokenizer), prompt="What?", misleading_prompt=True)
    assert (found.text, found.temperature) == ("Hello.", 0.0)
    assert found.forwards == 32 + 3  # the first was stopped when it looped for longer than people repeat themselves
    assert scripted(says(" Hello.", tokenizer), prompt="What?").forwards == 3


@pytest.mark.parametrize("size", [1, 3])
def test_a_loop_is_cut_off_and_counts_as_failure(
    scripted: Callable[..., Decoding], tokenizer: Tokenizer, size: int
) -> None:
    block = tokenizer.encode(" you know")
    start = tokenizer.encode(" Well")

    def loops(sampled: list[int]) -> dict[int, float]:
        token = start[0] if not sampled else block[(len(sampled) - 1) % len(block)]
        return dict.fromkeys(range(2000, 2010), -5.0) | {token: 5.0}  # the end is not even among the beam's

    found = scripted(loops, DecodeOptions(beam_size=size), seconds=28.0)
    assert found.text == "Well" + " you know" * ((len(found.tokens) - 1) // 2)
    assert found.looped and found.has_failed
    assert found.forwards < MOST_REPEATED + 10  # it did not go on to the limit
    assert len(found.token_probabilities) == len(found.tokens)


def test_a_loop_at_zero_gives_way_to_a_sample(scripted: Callable[..., Decoding], tokenizer: Tokenizer) -> None:
    word, end = tokenizer.encode(" yes")[0], tokenizer.eot
    # The end is a little less likely than another "yes": sampling finds it, the likeliest choice never does.
    found = scripted(lambda sampled: {word: 1.0, end: 0.9}, temperatures=LADDER)
    assert found.temperature > 0 and not found.looped
    assert set(found.tokens) == {word}


def test_the_least_doubtful_attempt_is_kept_if_all_fail(
    scripted: Callable[..., Decoding], tokenizer: Tokenizer
) -> None:
    words = [token for token in range(1000, 1400)]
    mumbled = scripted(
        lambda sampled: {tokenizer.eot: 5.0} if len(sampled) == 6 else dict.fromkeys(words, 0.0) | {words[3]: 0.5},
        temperatures=(0.0, 1.0),
    )
    assert mumbled.temperature == 0.0
    assert mumbled.average_logprob < -1
    assert mumbled.forwards == 14  # both attempts


def test_silence_is_not_decoded_again(scripted: Callable[..., Decoding], tokenizer: Tokenizer) -> None:
    def mumbles(sampled: list[int]) -> dict[int, float]:
        return dict.fromkeys(range(1000, 1400), 0.0) if len(sampled) < 3 else {tokenizer.eot: 5.0}

    silent = scripted(mumbles, temperatures=LADDER, no_speech=0.95)
    assert silent.is_silent and silent.forwards == 4
    assert silent.no_speech_probability == pytest.approx(0.95, abs=1e-3)
    assert not scripted(mumbles, temperatures=LADDER, no_speech=0.3).is_silent


def test_confident_words_are_no_silence(scripted: Callable[..., Decoding], tokenizer: Tokenizer) -> None:
    assert not scripted(says(" Hello there.", tokenizer), no_speech=0.95).is_silent


def test_a_decoder_that_never_stops_is_stopped(scripted: Callable[..., Decoding], tokenizer: Tokenizer) -> None:
    found = scripted(lambda sampled: {1000 + len(sampled): 5.0}, seconds=1.0)
    assert len(found.tokens) == 50
    assert len(scripted(lambda sampled: {1000 + len(sampled): 5.0}, seconds=5.0).tokens) == 110


# References: what the last round wrote. test_reference.py has the rest.

VERIFY = DecodeOptions(reuse="verify")


@pytest.mark.parametrize("size", [1, 3])
def test_a_looping_reference_is_stopped_where_a_search_would_be(
    scripted: Callable[..., Decoding], tokenizer: Tokenizer, size: int
) -> None:
    start, block = tokenizer.encode(" Well"), tokenizer.encode(" you know")

    def loops(sampled: list[int]) -> dict[int, float]:
        return {start[0] if not sampled else block[(len(sampled) - 1) % len(block)]: 5.0}

    plain = DecodeOptions(beam_size=size)
    searched = scripted(loops, plain, seconds=28.0)
    verified = scripted(loops, replace(plain, reuse="verify"), seconds=28.0, reference=[*start, *block * 80])
    assert verified.looped and verified.tokens == searched.tokens
    assert verified.average_logprob == pytest.approx(searched.average_logprob)
    assert verified.forwards == 1 and verified.reused_tokens == len(verified.tokens)


def test_a_reference_of_the_most_tokens_needs_no_search(scripted: Callable[..., Decoding]) -> None:
    def counts(sampled: list[int]) -> dict[int, float]:
        return {1000 + len(sampled): 5.0}

    verified = scripted(counts, VERIFY, seconds=1.0, reference=range(1000, 1400))
    assert verified.tokens == scripted(counts, seconds=1.0).tokens == tuple(range(1000, 1050))
    assert (verified.forwards, verified.steps, verified.reused_tokens) == (1, 0, 50)


def test_a_reference_ends_where_the_model_would_end(scripted: Callable[..., Decoding], tokenizer: Tokenizer) -> None:
    script = says(" Hello there.", tokenizer)
    longer = scripted(script, VERIFY, reference=tokenizer.encode(" Hello there. And so on, you know."))
    assert (longer.text, longer.forwards, longer.reused_tokens) == ("Hello there.", 1, 3)
    assert longer.average_logprob == pytest.approx(scripted(script).average_logprob)


def test_only_the_first_attempt_is_given_the_reference(scripted: Callable[..., Decoding], tokenizer: Tokenizer) -> None:
    script, reference = says(" Hello.", tokenizer), tokenizer.encode(" Hello.")
    misled = scripted(script, VERIFY, prompt="What?", misleading_prompt=True, reference=reference)
    assert (misled.text, misled.reused_tokens, misled.steps) == ("Hello.", 0, 3)
    sampled = scripted(script, VERIFY, temperatures=(0.5,), reference=reference)
    assert (sampled.text, sampled.reused_tokens) == ("Hello.", 0)
