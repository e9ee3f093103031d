"""Marian's files are read as they were written; whatever else they hold is refused in one line."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.language.chat_tokenizer import Message
from engine.language.marian.folder import check_translation, is_aligned, is_translation_folder, languages_of
from engine.language.marian.model import MarianModel
from engine.language.speculative_decoding import SpeculativeSession
from engine.weights.marian import read_marian
from engine.weights.storage import files_of, storage_of
from tests.marian_models import Sizes, marian_bytes, random_tensors, settings_of, write_firefox, write_opus
from tests.plain_decoding import result_of

SIZES = Sizes(encoder=1, decoder=1)
NAME = "model.ende.intgemm.alphas.bin"


def test_tensors_come_back_as_they_were_written(tmp_path: Path) -> None:
    stands = write_firefox(tmp_path, SIZES)
    file = read_marian(tmp_path / NAME)
    assert file.settings["enc-depth"] == "1" and file.settings["transformer-preprocess"] == ""
    assert {name for name in file.tensors if not name.endswith("_QuantMultA")} == stands.keys()
    for name, values in stands.items():
        if min(values.shape) == 1:
            np.testing.assert_array_equal(file.vector(name), values.reshape(-1))
        else:
            embeds = name == "Wemb"
            read = file.matrix(name, embeds=embeds).values()
            np.testing.assert_allclose(read, values if embeds else values.T, rtol=1e-6)


def test_eight_bits_are_half_a_step_from_what_they_were(tmp_path: Path) -> None:
    written = random_tensors(SIZES)
    write_firefox(tmp_path, SIZES)
    file = read_marian(tmp_path / NAME)
    for name in ("Wemb", "encoder_l1_self_Wq", "decoder_l1_ffn_W2"):
        matrix = file.matrix(name, embeds=name == "Wemb")
        assert matrix.scales is not None and matrix.weights.dtype == np.int8
        difference = matrix.values() - (written[name] if name == "Wemb" else written[name].T)
        assert np.abs(difference).max() <= matrix.scales.max() / 2 * 1.001


@pytest.mark.parametrize(
    ("name", "aligned"),
    [("Helsinki-NLP/opus-mt-en-de", True), ("Helsinki-NLP/opus-mt-tc-big-en-de", False), ("me/mine-en-de", False)],
)
def test_models_that_were_taught_which_word_they_translate_are_told_from_others(
    name: str, aligned: bool, tmp_path: Path
) -> None:
    write_firefox(tmp_path / "firefox")
    assert is_aligned(tmp_path / "firefox")
    write_opus(tmp_path / "mine")
    config = tmp_path / "mine" / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"_name_or_path": name}))
    assert is_aligned(tmp_path / "mine") == aligned
    model = MarianModel("mine", tmp_path / "mine")
    found = result_of(SpeculativeSession(model).steps(model.chat([Message("user", "a")]), max_tokens=4, rated=True))
    assert found.chances
    assert all((chance.ahead is not None) == aligned for chance in found.chances)


def test_a_folder_of_marians_is_told_from_others(tmp_path: Path) -> None:
    write_firefox(tmp_path / "firefox")
    write_opus(tmp_path / "opus-mt-en-fr")
    assert storage_of(tmp_path / "firefox") == "marian"
    assert [path.name for path in files_of(tmp_path / "firefox")] == [NAME]
    assert is_translation_folder(tmp_path / "firefox") and is_translation_folder(tmp_path / "opus-mt-en-fr")
    assert languages_of(tmp_path / "firefox") == ("en", "de")
    assert languages_of(tmp_path / "opus-mt-en-fr") == ("en", "de")  # its configuration says so
    assert not is_translation_folder(tmp_path)
    for name in ("firefox", "opus-mt-en-fr"):
        check_translation(tmp_path / name)


@pytest.mark.parametrize("length", [0, 15, 16, 200, 3000, -1])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, length: int) -> None:
    write_firefox(tmp_path, SIZES)
    path = tmp_path / NAME
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ModelError, match=r"cut off|no binary file"):
        read_marian(path)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(place=st.integers(0, 5000), byte=st.integers(0, 255))
def test_a_damaged_file_gives_a_sentence_or_other_numbers(tmp_path: Path, place: int, byte: int) -> None:
    write_firefox(tmp_path, SIZES)
    path = tmp_path / NAME
    data = bytearray(path.read_bytes())
    data[place] = byte
    path.write_bytes(bytes(data))
    try:
        check_translation(tmp_path)
    except ModelError as error:
        assert str(error).endswith(".") and "\n" not in str(error)


def changed(tmp_path: Path, change: dict[str, object], settings: str = "") -> Path:
    """Write a model with some tensors or settings replaced; None removes one."""
    tensors = random_tensors(SIZES) | change
    tensors = {name: values for name, values in tensors.items() if values is not None}
    write_firefox(tmp_path, SIZES)
    text = settings or settings_of(SIZES)
    (tmp_path / NAME).write_bytes(marian_bytes(tensors, text)[0])  # type: ignore[arg-type]
    return tmp_path


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"encoder_l1_self_Wq": None}, "lacks 1 of .* encoder_l1_self_Wq first"),
        ({"encoder_l1_self_Wq": np.zeros((16, 8), np.float32) + 1}, r"has the shape \(16, 8\)"),
        ({"encoder_l2_self_Wq": np.ones((16, 16), np.float32)}, "is no part of the translation models"),
        ({"Wemb": np.ones((49, 16), np.float32)}, "has the shape|lacks"),
    ],
)
def test_other_tensors_than_the_settings_ask_for_are_refused(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    with pytest.raises(ModelError, match=said):
        check_translation(changed(tmp_path, change))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("dec-cell: ssru", "dec-cell: gru", "decoder of gru"),
        ("type: transformer", "type: s2s", "has type 's2s'"),
        ("enc-depth: 1", "enc-depth: 9999999999", "do not say enc-depth"),
        ("enc-depth: 1", "enc-depth: 0", "describes no translation model"),
        ("transformer-heads: 2", "transformer-heads: 3", "describes no translation model"),
        ("transformer-postprocess: dan", "transformer-postprocess: n", "has transformer-postprocess 'n'"),
    ],
)
def test_networks_that_are_not_computed_are_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        check_translation(changed(tmp_path, {}, settings_of(SIZES).replace(old, new)))


def test_values_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    folder = changed(tmp_path, {"decoder_l1_ffn_b1": np.full((1, 32), np.nan, np.float32)})
    with pytest.raises(ModelError, match="not finite"):
        read_marian(folder / NAME).vector("decoder_l1_ffn_b1")


def test_types_for_one_kind_of_processor_are_refused(tmp_path: Path) -> None:
    write_firefox(tmp_path, SIZES)
    path = tmp_path / NAME
    data = bytearray(path.read_bytes())
    struct.pack_into("<Q", data, 16 + 8, 0x8101)
    path.write_bytes(bytes(data))
    with pytest.raises(ModelError, match=r"0x8101.*Earshot reads float32 and intgemm8"):
        read_marian(path)


def test_a_missing_damaged_or_foreign_vocabulary_is_named(tmp_path: Path) -> None:
    write_firefox(tmp_path, SIZES)
    vocabulary = tmp_path / "vocab.ende.spm"
    pieces = vocabulary.read_bytes()
    vocabulary.write_bytes(pieces[:100])
    with pytest.raises(ModelError, match="no vocabulary of SentencePiece"):
        check_translation(tmp_path)
    vocabulary.rename(tmp_path / "other.model")
    assert not is_translation_folder(tmp_path)
    with pytest.raises(ModelError, match="has no SentencePiece vocabulary"):
        check_translation(tmp_path)


def test_several_models_in_one_folder_are_refused(tmp_path: Path) -> None:
    write_firefox(tmp_path, SIZES)
    (tmp_path / "model.enfr.bin").write_bytes((tmp_path / NAME).read_bytes())
    with pytest.raises(ModelError, match="holds several models"):
        check_translation(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"normalize_before": True}, "of another kind"),
        ({"activation_function": "gelu"}, "of another kind"),
        ({"d_model": "16"}, "does not say d_model"),
        ({"encoder_layers": 3}, "lacks"),
        ({"eos_token_id": 99}, "does not have"),
        ({"decoder_ffn_dim": 8}, "different sizes"),
    ],
)
def test_configurations_of_hugging_faces_that_do_not_fit_are_refused(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    import json

    write_opus(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), encoding="utf-8")
    with pytest.raises(ModelError, match=said):
        check_translation(tmp_path)
