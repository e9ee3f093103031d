"""Translation models compute what the published equations say, in blocks, rows and pieces alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.language.chat_tokenizer import Message
from engine.language.marian import kernels as kernels_module
from engine.language.marian.kernels import Kernels, MlxKernels, NumpyKernels
from engine.language.marian.model import MarianModel
from engine.language.speculative_decoding import SpeculationOptions, SpeculativeSession
from engine.machine import backend
from tests.marian_models import OPUS, TOKENS, Sizes, plain_logits, write_firefox, write_opus

SOURCE = "the cat leaves at nine"
WRITTEN = [7, 12, 3, 3, 41]
KINDS = {
    "ssru": Sizes(),
    "attention": Sizes(recurrent=False),
    "deep swish": Sizes(encoder=3, decoder=1, width=24, heads=3, swish=True),
}


@pytest.fixture(autouse=True, scope="module")
def prepared() -> None:
    backend.prepare()


def read(model: MarianModel, written: list[int], blocks: tuple[int, ...]) -> np.ndarray:
    """Return the logits behind a translation's beginning that is read in blocks of these sizes."""
    prompt, cache = model.chat([Message("user", SOURCE)]), model.new_cache()
    rows = [model.logits(prompt, cache, 1)]
    for start, end in zip((0, *np.cumsum(blocks)), np.cumsum(blocks), strict=False):
        rows.append(model.logits(written[start:end], cache, end - start))
    return np.concatenate(rows)


@pytest.mark.parametrize("sizes", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("computing", [NumpyKernels(), MlxKernels()], ids=["numpy", "mlx"])
def test_the_logits_of_marians_file_are_those_of_the_published_equations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: Sizes, computing: Kernels
) -> None:
    monkeypatch.setattr(kernels_module, "has_byte_products", lambda: False)
    weights = write_firefox(tmp_path, sizes, quantized=False)
    model = MarianModel("tiny", tmp_path, computing)
    source = [*model.encode(SOURCE), 0]
    expected = plain_logits(weights, sizes, source, WRITTEN)
    for blocks in ((5,), (1, 1, 1, 1, 1), (2, 3)):
        np.testing.assert_allclose(read(model, WRITTEN, blocks), expected, atol=2e-4)


@pytest.mark.parametrize("computing", [NumpyKernels(), MlxKernels()], ids=["numpy", "mlx"])
def test_the_logits_of_opus_mt_are_those_of_the_published_equations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, computing: Kernels
) -> None:
    monkeypatch.setattr(kernels_module, "has_byte_products", lambda: False)
    weights = write_opus(tmp_path)
    model = MarianModel("tiny", tmp_path, computing)
    expected = plain_logits(weights, OPUS, [*model.encode(SOURCE), 0], WRITTEN, opus=True)
    found = read(model, WRITTEN, (2, 3))
    np.testing.assert_allclose(found[:, :-1], expected[:, :-1], atol=2e-4)
    assert (found[:, -1] < -1e8).all()  # padding is never written
    assert (model.sources, model.targets) == (("en",), ("de",))


def test_eight_bits_stand_for_what_the_file_says(tmp_path: Path) -> None:
    """Stored bytes stay as they are; only the rows that are multiplied are rounded, to two bytes."""
    weights = write_firefox(tmp_path)
    model = MarianModel("tiny", tmp_path, NumpyKernels())
    expected = plain_logits(weights, Sizes(), [*model.encode(SOURCE), 0], WRITTEN)
    np.testing.assert_allclose(read(model, WRITTEN, (2, 3)), expected, atol=0.01)


@pytest.mark.parametrize("sizes", KINDS.values(), ids=KINDS)
def test_drafts_change_no_translation(tmp_path: Path, sizes: Sizes) -> None:
    write_firefox(tmp_path, sizes)
    model = MarianModel("tiny", tmp_path, NumpyKernels())
    session, plain = (
        SpeculativeSession(model, SpeculationOptions(reuse_cache=reuses, resync=reuses)) for reuses in (True, False)
    )
    random, draft = np.random.default_rng(3), ()
    words = SOURCE.split()
    for count in (1, 2, 4, 3, 5, 5):
        prompt = model.chat([Message("user", " ".join(words[:count]))])
        expected = plain.update(prompt, max_tokens=20)
        shaken = [int(random.integers(1, TOKENS)) if random.random() < 0.3 else token for token in draft]
        found = session.update(prompt, shaken, max_tokens=20)
        assert found is not None and expected is not None
        assert (found.tokens, found.ended) == (expected.tokens, expected.ended)
        again = session.update(prompt, found.tokens, max_tokens=20)
        assert again is not None and again.tokens == found.tokens and again.forwards == 1
        draft = found.tokens


@pytest.mark.parametrize("computing", [NumpyKernels(), MlxKernels()], ids=["numpy", "mlx"])
@pytest.mark.parametrize("sizes", [Sizes(), Sizes(recurrent=False)], ids=["ssru", "attention"])
def test_rows_of_a_beam_are_read_as_each_alone(tmp_path: Path, sizes: Sizes, computing: Kernels) -> None:
    write_firefox(tmp_path, sizes)
    model = MarianModel("tiny", tmp_path, computing)
    prompt, cache = model.chat([Message("user", SOURCE)]), model.new_cache()
    model.logits(prompt, cache, 1)
    model.next_logits([5, 9, 11], [0, 0, 0], cache)
    found = model.next_logits([8, 2], [2, 0], cache)
    assert cache.batch == 2
    for row, written in zip(found, ([11, 8], [5, 2]), strict=True):
        # Sums in another order are rounded to other bytes now and then.
        np.testing.assert_allclose(row, read(model, written, (2,))[-1], atol=5e-4)


def test_a_source_is_encoded_once_while_it_stays_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_firefox(tmp_path)
    model = MarianModel("tiny", tmp_path, NumpyKernels())
    encoded: list[int] = []
    whole = model._network.encoded
    monkeypatch.setattr(model._network, "encoded", lambda source: (encoded.append(len(source)), whole(source))[1])
    session = SpeculativeSession(model)
    for text in ("the cat", "the cat", "the cat sat"):
        session.update(model.chat([Message("user", text)]), max_tokens=5)
    assert len(encoded) == 2


@pytest.mark.parametrize("computing", [NumpyKernels(), MlxKernels()], ids=["numpy", "mlx"])
@pytest.mark.parametrize("sizes", KINDS.values(), ids=KINDS)
def test_the_word_that_is_translated_does_not_depend_on_the_blocks(
    tmp_path: Path, sizes: Sizes, computing: Kernels
) -> None:
    write_firefox(tmp_path, sizes)
    model = MarianModel("tiny", tmp_path, computing)
    found: list[list[int]] = []
    for blocks in ((5,), (1, 1, 1, 1, 1), (2, 3)):
        cache = model.new_cache()
        assert model.words_ahead(cache) == []
        model.logits(model.chat([Message("user", SOURCE)]), cache, 1)
        for start, end in zip((0, *np.cumsum(blocks)), np.cumsum(blocks), strict=False):
            model.logits(WRITTEN[start:end], cache, end - start)
        found.append(model.words_ahead(cache) or [])
        cache.trim_to(len(cache.tokens) - 2)
        assert model.words_ahead(cache) == found[-1][:-2]
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == len(WRITTEN) + 1
    assert all(0 <= words < len(SOURCE.split()) for words in found[0])


def test_only_what_is_behind_a_source_has_logits(tmp_path: Path) -> None:
    write_firefox(tmp_path)
    model = MarianModel("tiny", tmp_path, NumpyKernels())
    cache = model.new_cache()
    assert model.logits(model.encode(SOURCE), cache, 0).shape == (0, TOKENS)
    with pytest.raises(ValueError, match="before it has ended"):
        model.logits([3], cache, 1)
    with pytest.raises(ValueError, match="cannot be cut"):
        cache.trim_to(99)


def test_text_is_spelt_and_read_back(tmp_path: Path) -> None:
    write_firefox(tmp_path / "firefox")
    write_opus(tmp_path / "opus")
    for folder in ("firefox", "opus"):
        model = MarianModel("tiny", tmp_path / folder, NumpyKernels())
        assert model.decode([*model.encode(SOURCE), 0]) == SOURCE
