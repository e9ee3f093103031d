"""The padding after audio: every strategy gives what it promises, and none of it becomes a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from engine.errors import ModelError, OptionError
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.whisper.arithmetic import encoder_macs
from engine.hear.whisper.files.published import PUBLISHED
from engine.hear.whisper.hush import ExtraKeysValues, HushWord, save_hush_word
from engine.hear.whisper.load import HearingModel
from engine.hear.whisper.measured_padding import MeasuredPadding, save_measured_padding
from engine.hear.whisper.mel import log_mel
from engine.hear.whisper.model import Whisper
from engine.hear.whisper.padding import make_padding, own_padding
from engine.hear.whisper.silence import QUIET_LOG_MEL, Silence, encode_silence
from engine.options import CaptionOptions, DecodeOptions, parse_padding
from tests.hear.short_decoding import short_decoding
from tests.toy_models import TOY

MakeModel = Callable[..., HearingModel]
EVERY = ("full", "none", "zeros:0.5", "noise:0.5", "hush", "silence_cache")


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    """Decodings end after 6 tokens, and pass."""
    with short_decoding(6):
        yield


@pytest.fixture
def word(hearing: HearingModel) -> HushWord:
    samples = np.random.default_rng(3).uniform(-0.05, 0.05, 8000).astype(np.float32)
    return HushWord(hearing.fingerprint, hearing.name, samples)


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder in which hush words are looked for, in place of that of this machine's user."""
    monkeypatch.setattr("engine.hear.whisper.hush.own_hush_words", lambda: tmp_path)
    return tmp_path


def noise(seconds: float, seed: int = 0) -> np.ndarray:
    return (0.1 * np.random.default_rng(seed).normal(size=round(seconds * 16_000))).astype(np.float32)


def same(some: object, others: object) -> bool:
    pairs = zip(some.arrays(), others.arrays(), strict=True)  # type: ignore[attr-defined]
    return all(a.shape == b.shape and bool(mx.array_equal(a, b)) for a, b in pairs)


@pytest.mark.parametrize("value", ("full", "none", "hush", "silence_cache", "zeros:1", "noise:0.25", "zeros:0"))
def test_every_strategy_is_named_by_its_option(value: str) -> None:
    assert str(parse_padding(value)) == value


@pytest.mark.parametrize(
    "value", ("", "half", "zeros", "zeros:", "zeros:x", "zeros:-1", "zeros:31", "noise:nan", "full:3", "hush:1", "Full")
)
def test_an_unknown_padding_is_refused_with_the_choices(value: str) -> None:
    with pytest.raises(
        OptionError, match=r"padding must be one of full, none, zeros:S, .*hush, silence_cache, not"
    ) as e:
        parse_padding(value)
    assert repr(value) in str(e.value)
    with pytest.raises(OptionError, match="padding must be one of"):
        CaptionOptions(padding=value)


@pytest.mark.parametrize(
    ("option", "tail"),
    [
        ("none", np.zeros(0, np.float32)),
        ("zeros:0.5", np.zeros(8000, np.float32)),
        ("full", np.zeros(480_000 - 24_000, np.float32)),
    ],
)
def test_a_strategy_that_adds_samples_equals_encoding_the_longer_audio(
    hearing: HearingModel, option: str, tail: np.ndarray
) -> None:
    samples, model = noise(1.5), hearing.model
    plain = model.cross_cache(model.encode(log_mel(np.concatenate([samples, tail]))))
    assert same(make_padding(hearing, option).listen(model, samples), plain)


def test_the_hush_word_follows_the_audio(hearing: HearingModel, word: HushWord) -> None:
    samples, model = noise(1.5), hearing.model
    plain = model.cross_cache(model.encode(log_mel(np.concatenate([samples, word.samples]))))
    assert same(make_padding(hearing, "hush", word).listen(model, samples), plain)


def with_kept(word: HushWord, model: Whisper, places: int = 5) -> HushWord:
    """Return the word with random keys and values of the model's shape."""
    dims, generator = model.dims, np.random.default_rng(7)
    shapes = [
        (layers, heads, places, dims.n_audio_state // heads)
        for layers, heads in ((dims.n_audio_layer, dims.n_audio_head), (dims.n_text_layer, dims.n_text_head))
    ]
    arrays = (generator.standard_normal(shape).astype(np.float32) for shape in (shapes[0], shapes[0], *shapes[1:] * 2))
    return replace(word, kept=ExtraKeysValues(*arrays))


def test_kept_keys_and_values_are_attended_to_and_cost_no_encoding(hearing: HearingModel, word: HushWord) -> None:
    samples, model = noise(1.5), hearing.model
    richer = with_kept(word, model)
    padding = make_padding(hearing, "hush", richer)
    heard = padding.listen(model, samples)
    alone = make_padding(hearing, "hush", word).listen(model, samples)
    assert padding.encoded_frames(len(samples)) == 100
    assert (alone.frames, heard.frames) == (100, 105)
    assert richer.kept is not None
    for layer in range(model.dims.n_text_layer):
        assert np.allclose(np.array(heard.keys[layer][0, :, 100:]), richer.kept.decoder_keys[layer])
        assert np.allclose(np.array(heard.values[layer][0, :, 100:]), richer.kept.decoder_values[layer])
        assert not mx.allclose(heard.keys[layer][:, :, :100], alone.keys[layer], atol=1e-3).item()


def test_noise_is_faint_and_the_same_each_time(hearing: HearingModel) -> None:
    one, other = (make_padding(hearing, "noise:2").tail for _ in range(2))
    assert len(one) == 32_000 and np.array_equal(one, other)
    assert 0.001 < one.std() < 0.003


@pytest.mark.parametrize("option", EVERY)
def test_a_whole_window_of_audio_is_followed_by_nothing(hearing: HearingModel, word: HushWord, option: str) -> None:
    samples, model = noise(30.0), hearing.model
    plain = model.cross_cache(model.encode(log_mel(samples)))
    assert same(make_padding(hearing, option, with_kept(word, model)).listen(model, samples), plain)


@pytest.mark.parametrize("option", EVERY)
def test_audio_longer_than_the_window_is_refused(hearing: HearingModel, word: HushWord, option: str) -> None:
    with pytest.raises(ValueError, match="480000 samples at once"):
        make_padding(hearing, option, word).listen(hearing.model, noise(30.1))


def test_cached_silence_gives_what_silence_gives_when_it_follows_silence(
    hearing: HearingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Frames of silence among silence must come out as they do in the window that was encoded once: the frames before
    # the cached ones are encoded again, so any slip in position, layer or order shows.
    monkeypatch.setattr(hearing.model, "fast_encoder", None)  # it rounds, and less is looked for here
    model = hearing.model
    silence = Silence(encode_silence(model), model.dtype)
    mel = mx.full((3000, 80), QUIET_LOG_MEL)
    whole = model.encode(mel)
    around = silence.after(1400)
    begun = model.encode(mel[:2800], around.encoder)
    # The convolutions of the last frames reach over the edge, so those differ a little, and through attention all.
    assert mx.allclose(begun[:, :1390], whole[:, :1390], atol=0.02).item()
    alone = model.encode(mel[:2800])
    inner = whole[:, :1390]
    assert mx.abs(begun[:, :1390] - inner).mean() < 0.2 * mx.abs(alone[:, :1390] - inner).mean()


def test_cached_silence_is_attended_to_and_not_encoded_again(hearing: HearingModel) -> None:
    samples, model = noise(2.0), hearing.model
    padding = make_padding(hearing, "silence_cache")
    heard = padding.listen(model, samples)
    assert heard.frames == 1500
    assert padding.encoded_frames(len(samples)) == 105
    again = padding.listen(model, samples)
    assert same(heard, again)
    for layer in range(model.dims.n_text_layer):  # the tail is the same behind other audio; the audio's own part is not
        other = padding.listen(model, noise(2.0, seed=1))
        assert mx.array_equal(heard.keys[layer][:, :, 105:], other.keys[layer][:, :, 105:])
        assert not mx.array_equal(heard.keys[layer][:, :, :100], other.keys[layer][:, :, :100])
    without = make_padding(hearing, "zeros:0.1").listen(model, samples)
    assert not mx.allclose(without.keys[-1], heard.keys[-1][:, :, :105], atol=1e-3).item()


def test_cached_silence_takes_the_memory_that_its_docstring_counts(hearing: HearingModel) -> None:
    dims = hearing.model.dims
    numbers = 2 * (dims.n_audio_layer + dims.n_text_layer) * dims.n_audio_state * dims.n_audio_ctx
    assert Silence(encode_silence(hearing.model), hearing.model.dtype).bytes == 4 * numbers


@pytest.mark.parametrize("option", EVERY)
def test_no_word_lasts_into_the_padding(hearing: HearingModel, word: HushWord, own_folder: Path, option: str) -> None:
    save_hush_word(word, own_folder / f"{hearing.fingerprint}.safetensors")
    for seed in range(4):
        heard = WhisperRecognizer(hearing, DecodeOptions(), padding=option).hear(noise(1.5, seed), language="en")
        assert heard.words
        assert all(0 <= one.start <= one.end <= 1.5 for one in heard.words)


def test_a_model_has_a_padding_of_its_own(hearing: HearingModel, word: HushWord, own_folder: Path) -> None:
    published = replace(hearing, model=Whisper(PUBLISHED["tiny"].dims))
    assert (own_padding(hearing), own_padding(published)) == ("none", "full")
    path = own_folder / f"{hearing.fingerprint}.safetensors"
    save_hush_word(word, path)  # nothing was measured with it
    assert (own_padding(hearing), own_padding(published)) == ("none", "full")
    work = {"full": 10.0, "none": 1.0, "hush": 1.1}
    good = {"full": 0.4, "none": 0.5, "hush": 0.404}
    bad = good | {"hush": 0.41}
    for whole, cut, best in ((good, good, "hush"), (bad, good, "full"), (good, bad, "full"), (good, {}, "hush")):
        save_hush_word(replace(word, word_errors=whole, cut_errors=cut, gmacs=work), path)
        assert own_padding(hearing) == own_padding(published) == best


def test_a_model_taught_natural_lengths_hears_without_padding() -> None:
    from engine.hear.whisper.load import load_hearing_model

    assert WhisperRecognizer(load_hearing_model(TOY), DecodeOptions()).padding.choice.strategy == "none"


@pytest.mark.parametrize("option", ("full", "none", "silence_cache"))
def test_a_model_with_a_small_window_is_given_no_more_than_it_takes(tiny_model: MakeModel, option: str) -> None:
    small = tiny_model(0, n_audio_ctx=100)
    recognizer = WhisperRecognizer(small, DecodeOptions(), padding=option)
    longest = small.model.dims.n_audio_ctx / 50
    assert recognizer.window_seconds <= longest
    heard = recognizer.hear(noise(longest), language="en").words
    assert heard and heard[-1].end <= longest


def test_a_missing_hush_word_names_the_command_that_makes_one(hearing: HearingModel, own_folder: Path) -> None:
    with pytest.raises(ModelError, match=r"no hush word for the model .*earshot train hush-word --model"):
        WhisperRecognizer(hearing, DecodeOptions(), padding="hush")


def test_the_arithmetic_of_whisper_medium_is_the_published_one() -> None:
    medium = PUBLISHED["medium"].dims
    assert encoder_macs(medium, 1500) / 1e9 == pytest.approx(569.0, abs=0.1)
    assert encoder_macs(medium, 489) / 1e9 == pytest.approx(161, abs=1)  # the paper's mean utterance and a hush word
    assert encoder_macs(medium, 775) / 1e9 == pytest.approx(266, abs=1)  # 15 s and a hush word


def test_cached_frames_cost_attention_alone() -> None:
    dims = PUBLISHED["medium"].dims
    more = encoder_macs(dims, 400, beside=1100) - encoder_macs(dims, 400)
    assert more == dims.n_audio_layer * 2 * 400 * 1100 * dims.n_audio_state


def test_a_padding_counts_what_it_encodes(hearing: HearingModel, word: HushWord) -> None:
    dims, samples = hearing.model.dims, 5 * 16_000
    counted = {option: make_padding(hearing, option, word).macs(hearing.model.dims, samples) for option in EVERY}
    assert counted["full"] == encoder_macs(dims, 1500)
    assert counted["none"] == encoder_macs(dims, 250)
    assert counted["hush"] == counted["zeros:0.5"] == counted["noise:0.5"] == encoder_macs(dims, 275)
    assert counted["silence_cache"] == encoder_macs(dims, 255, beside=1245)
    richer = make_padding(hearing, "hush", with_kept(word, hearing.model))
    assert richer.macs(hearing.model.dims, samples) == encoder_macs(dims, 275, beside=5)


def test_a_published_model_without_a_hush_word_hears_as_was_measured(
    hearing: HearingModel, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.hear.whisper.measured_padding.own_hush_words", lambda: own_folder)
    published = replace(hearing, model=Whisper(PUBLISHED["tiny"].dims))
    work = {"full": 10.0, "none": 1.0, "silence_cache": 2.0}
    measured = MeasuredPadding("tiny", "Two recordings.", {"full": 0.1, "none": 0.05, "silence_cache": 0.104}, work)
    path = save_measured_padding(published, measured)
    assert own_padding(published) == "silence_cache"  # what "none" costs within a word is not known
    save_measured_padding(published, replace(measured, word_errors={"full": 0.1, "silence_cache": 0.106}))
    assert own_padding(published) == "full"
    path.write_text('{"word_errors": []}')
    with pytest.raises(ModelError, match="is damaged"):
        own_padding(published)
