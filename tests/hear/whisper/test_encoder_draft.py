"""Drafts of the encoder: a network that is what it was trained as, and texts that are those of plain decoding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import ModelError
from engine.events import Hypothesis, Word
from engine.hear import recognizer as whisper_recognizer
from engine.hear.decode.reference import continued
from engine.hear.recognizer import ModelRecognizer, WhisperRecognizer
from engine.hear.speech_llama import recognizer as speech_llama_recognizer
from engine.hear.speech_llama.load import load_speech_llama
from engine.hear.speech_llama.recognizer import SpeechLlamaRecognizer
from engine.hear.whisper import encoder_draft
from engine.hear.whisper.encoder_draft import find_draft, load_draft, save_draft, spoken
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.options import DecodeOptions
from tests.hear.short_decoding import short_decoding
from tests.random_draft import PIECES, random_draft
from tests.random_speech_llama import write_random_speech_llama
from tests.random_whisper import write_random_model


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    """Decodings end after 6 tokens, and pass."""
    with short_decoding(6):
        yield


def noise(seconds: float, seed: int = 0) -> np.ndarray:
    return (0.1 * np.random.default_rng(seed).normal(size=round(seconds * 16_000))).astype(np.float32)


@dataclass
class Prompter:
    """A draft network that says what it is told."""

    said: str

    def words(self, features: np.ndarray, offset_seconds: float) -> tuple[Word, ...]:
        assert features.shape[0] == 100, "the frames of two seconds, without what follows the audio"
        return (Word(self.said, offset_seconds, offset_seconds + 1),)


def test_a_path_of_pieces_is_written_down_once_each() -> None:
    assert spoken(np.array([9, 4, 4, 9, 4, 5, 5, 9]), 9) == [1, 4, 5]
    assert spoken(np.array([4]), 9) == [0]
    draft, nothing = random_draft(8), len(PIECES)
    path = [256, 256, nothing, ord("m"), nothing, ord("m"), nothing, 257, 195, nothing]  # 195 is half a letter
    assert draft.spelled(np.array(path)) == (Word(" themm", 0.0, 0.24), Word(" and", 0.28, 0.36))
    assert draft.spelled(np.array(path), 10.0)[0] == Word(" themm", 10.0, 10.24)


def test_any_number_of_frames_is_read(tmp_path: Path) -> None:
    draft = random_draft(8)
    features = np.random.default_rng(1).normal(size=(7, 8)).astype(np.float32)
    logits = draft.logits(features)
    assert logits.shape == (4, len(PIECES) + 1)
    padded = np.concatenate([features, np.zeros((1, 8), np.float32)])
    np.testing.assert_array_equal(draft.logits(padded), logits)
    assert draft.words(features) == draft.spelled(logits.argmax(axis=1))


def test_a_file_is_its_models_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_draft, "SHIPPED", tmp_path)
    draft = random_draft(8)
    path = tmp_path / "abc.safetensors"
    save_draft(draft, path, "abc", "somebody")
    found = find_draft("abc")
    assert found is not None and found.pieces == draft.pieces and found.shape == draft.shape
    for name, array in draft.weights.items():
        np.testing.assert_array_equal(found.weights[name], array.astype(np.float16))
    assert found.digest == load_draft(path, "abc").digest != draft.digest
    assert find_draft("xyz") is None
    with pytest.raises(ModelError, match="another model, somebody"):
        load_draft(path, "xyz")


@pytest.mark.parametrize("harm", ["cut", "shape", "pieces", "nan", "no-shape"])
def test_a_damaged_file_is_said_to_be_one(tmp_path: Path, harm: str) -> None:
    from safetensors.numpy import load_file, save_file

    path = tmp_path / "abc.safetensors"
    save_draft(random_draft(8), path, "abc", "somebody")
    if harm == "cut":
        path.write_bytes(path.read_bytes()[:-100])
    else:
        from safetensors import safe_open

        with safe_open(str(path), framework="numpy") as file:
            about = dict(file.metadata())
        weights = load_file(path)
        if harm == "shape":
            weights["enter.weight"] = weights["enter.weight"][:, :-1].copy()
        elif harm == "pieces":
            about["pieces"] = "[1, 2]"
        elif harm == "nan":
            weights["enter.bias"][0] = np.nan
        else:
            about["shape"] = "[]"
        save_file(weights, path, about)
    with pytest.raises(ModelError, match=r"abc\.safetensors"):
        load_draft(path, "abc")


def test_the_network_computes_what_was_trained() -> None:
    torch = pytest.importorskip("torch")
    from lab.recipes.draft.network import Network

    draft = random_draft(8)
    network = Network(draft.shape, 0.1).eval()
    network.load_state_dict({name: torch.from_numpy(array) for name, array in draft.weights.items()})
    features = np.random.default_rng(1).normal(size=(2, 20, 8)).astype(np.float32)
    with torch.inference_mode():
        found = network(torch.from_numpy(features), torch.tensor([10, 6]))[0].numpy()
    np.testing.assert_allclose(found[0], draft.logits(features[0]), atol=1e-4)
    np.testing.assert_allclose(found[1, :6], draft.logits(features[1, :12]), atol=1e-4)


@pytest.mark.parametrize(
    ("reference", "draft", "expected"),
    [
        ((), (1, 2, 3), (1, 2, 3)),
        ((1, 2), (1, 2, 3, 4), (1, 2, 3, 4)),
        ((8, 1, 2), (9, 1, 2, 3), (8, 1, 2, 3)),
        ((1, 2, 7), (1, 2, 3, 4), (1, 2, 7)),  # the draft does not find back
        ((5, 2), (1, 2, 3, 2, 4), (5, 2, 4)),  # the last place is the likeliest
        ((1, 2), (), (1, 2)),
    ],
)
def test_a_reference_goes_on_where_a_draft_has_its_end(
    reference: tuple[int, ...], draft: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    assert continued(reference, draft) == expected


@pytest.fixture(scope="module")
def recognizers(tmp_path_factory: pytest.TempPathFactory) -> Sequence[ModelRecognizer]:  # type: ignore[type-arg]
    folder = tmp_path_factory.mktemp("models")
    hearing: HearingModel = load_hearing_model(write_random_model(folder / "whisper"))
    speech_llama = load_speech_llama(write_random_speech_llama(folder / "speech-llama"))
    return (
        WhisperRecognizer(hearing, DecodeOptions()),
        SpeechLlamaRecognizer(speech_llama, DecodeOptions()),
        WhisperRecognizer(hearing, DecodeOptions(beam_size=3)),
        SpeechLlamaRecognizer(speech_llama, DecodeOptions(beam_size=3)),
    )


@pytest.mark.parametrize("kind", range(4))
def test_a_draft_changes_no_text_and_a_good_one_saves_forwards(
    recognizers: Sequence[ModelRecognizer],  # type: ignore[type-arg]
    kind: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recognizer = recognizers[kind]
    tokenizer = recognizer._hearing.tokenizer
    samples = noise(2.0)

    def heard(said: str | None) -> Hypothesis:
        monkeypatch.setattr(recognizer, "_draft", None if said is None else Prompter(said))
        return recognizer.hear(samples, language="en")

    plain = heard(None)
    tokens = [token for word in plain.words for token in word.tokens]
    assert plain.forwards > 3
    most_of_all = 3 if recognizer.options.beam_size == 1 else plain.forwards  # a beam over random weights goes anywhere
    for drafted, most in ((tokens, most_of_all), ([*tokens[:2], *tokens[3:]], plain.forwards), ([], plain.forwards)):
        monkeypatch.setattr(tokenizer, "encode", lambda text, drafted=drafted: list(drafted))
        found = heard("spelled as above")
        assert [word.tokens for word in found.words] == [word.tokens for word in plain.words]
        assert found.text == plain.text and found.forwards <= most


@pytest.mark.parametrize("kind", [1, 3])
def test_heads_are_not_believed_where_a_draft_says_otherwise_or_nothing(
    recognizers: Sequence[ModelRecognizer],  # type: ignore[type-arg]
    kind: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    greedy = recognizers[kind]
    options = replace(greedy.options, decoder="multitoken", acceptance="threshold", threshold=1e-9)
    believing = SpeechLlamaRecognizer(greedy._hearing, options)
    samples = noise(2.0)
    plain = greedy.hear(samples, language="en")
    assert believing.hear(samples, language="en").text != plain.text
    tokens = [token for word in plain.words for token in word.tokens]
    monkeypatch.setattr(believing, "_draft", Prompter("spelled as below"))
    for drafted in (tokens, tokens[:2], [*tokens[:2], *tokens[3:]]):
        monkeypatch.setattr(greedy._hearing.tokenizer, "encode", lambda text, drafted=drafted: list(drafted))
        assert believing.hear(samples, language="en").text == plain.text


def test_a_draft_is_looked_for_where_it_saves_time(
    recognizers: Sequence[ModelRecognizer],  # type: ignore[type-arg]
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, DecodeOptions]] = []
    options = DecodeOptions()

    def found(fingerprint: str) -> None:
        asked.append((fingerprint, options))

    monkeypatch.setattr(whisper_recognizer, "find_draft", found)
    monkeypatch.setattr(speech_llama_recognizer, "find_draft", found)
    whisper, llama = (recognizer._hearing for recognizer in recognizers[:2])
    one, beam, none = DecodeOptions(), DecodeOptions(beam_size=3), DecodeOptions(draft=False)
    pruned = DecodeOptions(beam_size=3, reuse="prune")
    assert whisper.model.fast_decoder is not None
    for options in (one, beam, none, pruned):
        WhisperRecognizer(whisper, options)
        SpeechLlamaRecognizer(llama, options)
    assert asked == [(whisper.fingerprint, one), (llama.ear, one), (llama.ear, beam)]
    monkeypatch.setattr(whisper.model, "fast_decoder", None)  # as on a GPU
    options = beam
    WhisperRecognizer(whisper, options)
    assert asked[3:] == [(whisper.fingerprint, beam)]
