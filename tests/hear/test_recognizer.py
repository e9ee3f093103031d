from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import mlx.core as mx
import numpy as np
import pytest
import soundfile

from engine.errors import AudioError, OptionError
from engine.events import Hypothesis
from engine.hear.decode import attempts
from engine.hear.decode.attempts import GREEDY
from engine.hear.recognizer import OFFLINE_TEMPERATURES, WhisperRecognizer
from engine.hear.whisper.files.published import PUBLISHED
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.hear.whisper.model import Whisper
from engine.options import MAX_BUFFER_SECONDS, DecodeOptions
from tests.hear.short_decoding import short_decoding
from tests.toy_models import TOY, TOY_MEETING

MakeModel = Callable[..., HearingModel]
SHORT = DecodeOptions()


@pytest.fixture(autouse=True)
def short(request: pytest.FixtureRequest) -> Iterator[None]:
    """Decodings of random weights end after 6 tokens, and pass."""
    if "hearing" not in request.fixturenames:
        yield
        return
    with short_decoding(6):
        yield


def noise(seconds: float, seed: int = 0) -> np.ndarray:
    return (0.1 * np.random.default_rng(seed).normal(size=round(seconds * 16_000))).astype(np.float32)


def without_times(heard: Hypothesis) -> Hypothesis:
    return replace(heard, encode_seconds=0, decode_seconds=0, align_seconds=0)


def test_words_come_with_absolute_times_and_probabilities(hearing: HearingModel) -> None:
    heard = WhisperRecognizer(hearing, SHORT).hear(noise(2.0), offset_seconds=100.0, prompt="", language="en")
    assert heard.words and heard.language == "en"
    times = [moment for word in heard.words for moment in (word.start, word.end)]
    assert times == sorted(times)
    assert times[0] >= 100.0 and times[-1] <= 102.0
    assert all(0 <= word.probability <= 1 for word in heard.words)
    assert heard.tokens == heard.forwards == 6
    assert min(heard.encode_seconds, heard.decode_seconds, heard.align_seconds) > 0


def test_a_model_that_takes_no_prompts_hears_as_if_there_were_none(hearing: HearingModel) -> None:
    def heard(model: HearingModel, prompt: str) -> Hypothesis:
        return without_times(WhisperRecognizer(model, SHORT).hear(noise(2.0), prompt=prompt, language="en"))

    said_before = "What was said before that."
    assert heard(hearing, said_before) != heard(hearing, "")
    assert heard(replace(hearing, takes_prompts=False), said_before) == heard(hearing, "")


def test_what_is_written_in_english_begins_with_that_task_and_is_heard_in_its_own_language(
    hearing: HearingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[int, ...]] = []
    begins = type(hearing.tokenizer).sot_sequence

    def begin(*given: object, **how: object) -> tuple[int, ...]:
        begun.append(begins(*given, **how))  # type: ignore[arg-type]
        return begun[-1]

    monkeypatch.setattr(type(hearing.tokenizer), "sot_sequence", begin)
    heard = WhisperRecognizer(hearing, replace(SHORT, into_english=True)).hear(noise(2.0), language="de")
    assert heard.words and heard.language == "de"
    assert len(begun) == 2  # decoded, and timed
    assert all(hearing.tokenizer.translate in start and hearing.tokenizer.transcribe not in start for start in begun)


def test_the_offset_only_moves_times(hearing: HearingModel) -> None:
    recognizer = WhisperRecognizer(hearing, SHORT)
    here, there = (recognizer.hear(noise(1.0), offset_seconds=offset, language="en") for offset in (0.0, 50.0))
    assert here.text == there.text
    for early, late in zip(here.words, there.words, strict=True):
        assert (late.start - early.start, late.end - early.end) == (pytest.approx(50), pytest.approx(50))


@pytest.mark.parametrize(
    "samples",
    [
        np.zeros(0, np.float32),
        noise(0.005),  # less than a frame
        noise(0.05),
        np.zeros(32_000, np.float32),
        np.full(32_000, 3e-5, np.float32),  # the offset of a converter
    ],
)
def test_what_can_hold_no_words_costs_nothing(hearing: HearingModel, samples: np.ndarray) -> None:
    heard = WhisperRecognizer(hearing, SHORT).hear(samples, language="en")
    assert (heard.words, heard.text, heard.forwards, heard.no_speech_probability) == ((), "", 0, 1.0)


@pytest.mark.parametrize("count", [1600, 1601, 1759, 16_123, 480_000])
def test_any_length_up_to_thirty_seconds_is_heard(hearing: HearingModel, count: int) -> None:
    heard = WhisperRecognizer(hearing, SHORT).hear(noise(30.0)[:count], language="en")
    assert all(word.end <= count / 16_000 for word in heard.words)
    assert heard.forwards > 0


def test_longer_audio_is_refused_by_a_single_hearing(hearing: HearingModel) -> None:
    with pytest.raises(ValueError, match="30 s"):
        WhisperRecognizer(hearing, SHORT).hear(noise(30.1), language="en")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_samples_that_are_no_numbers_are_refused(hearing: HearingModel, value: float) -> None:
    samples = noise(1.0)
    samples[500] = value
    with pytest.raises(AudioError, match="not numbers"):
        WhisperRecognizer(hearing, SHORT).hear(samples, language="en")


def test_padding_adds_silence_that_no_word_may_end_in(hearing: HearingModel) -> None:
    natural, padded = (WhisperRecognizer(hearing, SHORT, padding=padding) for padding in ("none", "full"))
    heard = padded.hear(noise(1.5), language="en")
    assert heard.words[-1].end <= 1.5
    # Noise up to 30 s needs no padding, so there both hear the same.
    full = noise(30.0)
    assert without_times(padded.hear(full, language="en")) == without_times(natural.hear(full, language="en"))


def test_published_models_are_padded_and_others_not(hearing: HearingModel) -> None:
    assert WhisperRecognizer(hearing, SHORT).padding.choice.strategy == "none"
    published = replace(hearing, model=Whisper(PUBLISHED["tiny"].dims))
    assert WhisperRecognizer(published, SHORT).padding.choice.strategy == "full"


def test_a_stream_keeps_little_audio_for_a_model_of_natural_lengths(hearing: HearingModel) -> None:
    natural, padded = (WhisperRecognizer(hearing, SHORT, padding=padding) for padding in ("none", "full"))
    assert 5 <= natural.buffer_seconds < padded.buffer_seconds <= MAX_BUFFER_SECONDS


def test_only_the_last_hearing_tries_higher_temperatures(
    hearing: HearingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "LEAST_LOGPROB", -0.01)
    recognizer = WhisperRecognizer(hearing, SHORT)
    recognizer.temperatures = (0.0, 0.5, 1.0)
    live = recognizer.hear(noise(1.0), language="en")
    final = recognizer.hear(noise(1.0), language="en", final=True)
    assert live.forwards == 6
    assert final.forwards > live.forwards


def test_files_get_the_temperature_fallback(hearing: HearingModel) -> None:
    recognizer = WhisperRecognizer(hearing, SHORT, ["en", "de"])
    offline = recognizer.for_files()
    assert (offline.temperatures, recognizer.temperatures) == (OFFLINE_TEMPERATURES, GREEDY)
    assert offline.languages == ("en", "de")
    assert offline.for_files() is offline


def test_what_the_model_calls_silence_has_no_words(hearing: HearingModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "MOST_NO_SPEECH", 0.0)
    monkeypatch.setattr(attempts, "LEAST_LOGPROB", 0.0)
    heard = WhisperRecognizer(hearing, SHORT).hear(noise(1.0), language="en")
    assert heard.words == ()
    assert heard.tokens == 6 and heard.no_speech_probability > 0


def test_the_language_is_detected_among_the_allowed(hearing: HearingModel) -> None:
    heard = WhisperRecognizer(hearing, SHORT, ["de", "fr"]).hear(noise(1.0))
    assert heard.language in {"de", "fr"}
    assert heard.forwards == 7
    assert WhisperRecognizer(hearing, SHORT, ["de"]).hear(noise(1.0)).forwards == 6


def test_languages_that_the_model_does_not_know_are_named(hearing: HearingModel) -> None:
    english = replace(hearing, languages=("en",))
    with pytest.raises(OptionError, match="de"):
        WhisperRecognizer(english, SHORT, ["en", "de"])
    with pytest.raises(OptionError, match="de"):
        WhisperRecognizer(english, SHORT).hear(noise(1.0), language="de")
    assert WhisperRecognizer(english, SHORT).hear(noise(1.0)).language == "en"


def test_a_worker_thread_hears_what_the_main_thread_hears(hearing: HearingModel) -> None:
    recognizer = WhisperRecognizer(hearing, replace(SHORT, beam_size=2))
    heard: list[Hypothesis] = []

    def work() -> None:
        heard.append(recognizer.hear(noise(1.0), language="en"))
        mx.clear_streams()

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    assert without_times(heard[0]) == without_times(recognizer.hear(noise(1.0), language="en"))


def test_a_trained_model_gives_the_words_of_sentences_their_times() -> None:
    samples, rate = soundfile.read(TOY_MEETING, dtype="float32")
    assert rate == 16_000
    recognizer = WhisperRecognizer(load_hearing_model(TOY), DecodeOptions())
    errors = []
    for sentence in json.loads(TOY_MEETING.with_suffix(".json").read_text())["sentences"]:
        start, end = max(0.0, sentence["start"] - 1.0), sentence["end"] + 0.3
        stretch = samples[round(start * rate) : round(end * rate)].copy()
        stretch[: round((sentence["start"] - 0.1 - start) * rate)] = 0  # silence before it, and not the one before
        words = recognizer.hear(stretch, offset_seconds=start, language="en").words
        assert words, sentence["text"]
        errors.append((words[0].start - sentence["start"], words[-1].end - sentence["end"]))
    typical = np.median(np.abs(errors), axis=0)
    assert typical[0] < 0.15 and typical[1] < 0.3
