"""Voices of the smallest size in the layouts of Piper, Kokoro and Hibari: networks of a few weights that make noise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper, save

FRAMES_A_PHONEME = 4
HOP = 64
PHONEMES = "_^$ .,!?abdefhijklmnopstuvwzðŋɐɑɔəɛɜɡɪɹʃʊʌʒˈˌːæ"
SPEAKERS = ("af_heart", "bf_emma", "ff_siwis", "jf_alpha")


def write_piper(
    folder: Path, language: str = "en-us", *, speakers: int = 1, whole: bool = False, spoilt: bool = False
) -> Path:
    """Write a voice of Piper's; `whole`: of an export whose parts have no names, `spoilt`: it fails when it is run."""
    folder.mkdir(parents=True, exist_ok=True)
    save(_piper(speakers, whole=whole, spoilt=spoilt), str(folder / "small.onnx"))
    settings = {
        "audio": {"sample_rate": 22_050},
        "espeak": {"voice": language},
        "inference": {"noise_scale": 0.6, "length_scale": 1.0, "noise_w": 0.8},
        "phoneme_type": "espeak",
        "phoneme_id_map": {phoneme: [number] for number, phoneme in enumerate(PHONEMES)},
        "num_speakers": speakers,
        "speaker_id_map": {f"speaker{number}": number for number in range(speakers)} if speakers > 1 else {},
    }
    (folder / "small.onnx.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


def write_kokoro(folder: Path, *, spoilt: bool = False) -> Path:
    """Write a Kokoro; `spoilt`: it fails when it is run."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save(_kokoro(spoilt=spoilt), str(folder / "kokoro.onnx"))
    styles = np.arange(1, 511, dtype=np.float32)[:, None] * np.ones((1, 256), np.float32) / 510
    save_file({speaker: styles for speaker in SPEAKERS}, folder / "voices.safetensors")
    return folder


def write_hibari(folder: Path, *, spoilt: bool = False) -> Path:
    """Write a voice of Hibari's; `spoilt`: it fails when it is run."""
    folder.mkdir(parents=True, exist_ok=True)
    save(_hibari(spoilt=spoilt), str(folder / "hibari.onnx"))
    return folder


def _piper(speakers: int, *, whole: bool, spoilt: bool) -> ModelProto:
    """Build a Piper: frames are phonemes times the length scale, decoded by a convolution over seven of them."""
    rng = np.random.default_rng(1)
    weights = {
        "axes": np.array([1], np.int64),
        "one": np.array([1], np.int64),
        "grow": rng.normal(0, 0.05, (1, 2, FRAMES_A_PHONEME)).astype(np.float32),
        "pre": rng.normal(0, 0.3, (2, 2, 7)).astype(np.float32),
        "up": rng.normal(0, 0.3, (2, 1, HOP)).astype(np.float32),
        "wrong": np.array([7, 7, 7], np.int64),
    }
    inside = "" if whole else "/dec/conv_pre/Conv"
    nodes = [
        helper.make_node("Cast", ["input"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["numbers", "axes"], ["row"]),
        helper.make_node("ConvTranspose", ["row", "grow"], ["grown"], strides=[FRAMES_A_PHONEME]),
        helper.make_node("Gather", ["scales", "one"], ["length"]),
        helper.make_node("Mul", ["grown", "length"], ["z"]),
        helper.make_node("Conv", ["z", "pre"], ["seen"], name=inside, pads=[3, 3]),
        helper.make_node("ConvTranspose", ["seen", "up"], ["long"], strides=[HOP]),
        helper.make_node("Tanh", ["long"], ["sound"]),
    ]
    if speakers > 1:
        nodes.append(helper.make_node("Cast", ["sid"], ["loud"], to=TensorProto.FLOAT))
        nodes.append(helper.make_node("Mul", ["sound", "loud"], ["output"]))
    else:
        nodes.append(helper.make_node("Reshape", ["sound", "wrong"], ["output"]) if spoilt else
                     helper.make_node("Identity", ["sound"], ["output"]))  # fmt: skip
    inputs = [
        helper.make_tensor_value_info("input", TensorProto.INT64, [1, "phonemes"]),
        helper.make_tensor_value_info("input_lengths", TensorProto.INT64, [1]),
        helper.make_tensor_value_info("scales", TensorProto.FLOAT, [3]),
    ]
    if speakers > 1:
        inputs.append(helper.make_tensor_value_info("sid", TensorProto.INT64, [1]))
    return _model(nodes, inputs, ("output",), weights)


def _kokoro(*, spoilt: bool) -> ModelProto:
    """Build a Kokoro: each phoneme is 600 samples, as loud as the style says."""
    weights = {
        "axes": np.array([1], np.int64),
        "up": np.full((1, 1, 600), 0.01, np.float32),
        "flat": np.array([7] if spoilt else [-1], np.int64),
    }
    nodes = [
        helper.make_node("Cast", ["tokens"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["numbers", "axes"], ["row"]),
        helper.make_node("ConvTranspose", ["row", "up"], ["long"], strides=[600]),
        helper.make_node("ReduceMean", ["style"], ["loud"], keepdims=1),
        helper.make_node("Mul", ["long", "loud"], ["louder"]),
        helper.make_node("Div", ["louder", "speed"], ["sound"]),
        helper.make_node("Reshape", ["sound", "flat"], ["audio"]),
    ]
    inputs = [
        helper.make_tensor_value_info("tokens", TensorProto.INT64, [1, "phonemes"]),
        helper.make_tensor_value_info("style", TensorProto.FLOAT, [1, 256]),
        helper.make_tensor_value_info("speed", TensorProto.FLOAT, [1]),
    ]
    return _model(nodes, inputs, ("audio",), weights)


def _hibari(*, spoilt: bool) -> ModelProto:
    """Make each phoneme four frames of one pitch, which rises with the speed."""
    levels = {"lh": -1.0, "theta": 0.0, "ln": -9.0, "lr": -9.0, "phi": 0.0}
    weights = {
        "axes": np.array([1], np.int64),
        "bins": np.zeros((1, 601, FRAMES_A_PHONEME), np.float32),
        "one": np.zeros((1, 1, FRAMES_A_PHONEME), np.float32),
        "pitch": np.array([120], np.float32),
        "flat": np.array([7, 7] if spoilt else [1, -1], np.int64),
    } | {f"{name}_level": np.full(601, level, np.float32) for name, level in levels.items()}
    nodes = [
        helper.make_node("Cast", ["ids"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["numbers", "axes"], ["row"]),
        *(
            helper.make_node("ConvTranspose", ["row", "bins", f"{name}_level"], [name], strides=[FRAMES_A_PHONEME])
            for name in levels
        ),
        helper.make_node("ConvTranspose", ["row", "one", "pitch"], ["low"], strides=[FRAMES_A_PHONEME]),
        helper.make_node("Mul", ["low", "speed"], ["high"]),
        helper.make_node("Reshape", ["high", "flat"], ["f0"]),
    ]
    inputs = [
        helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "phonemes"]),
        helper.make_tensor_value_info("speed", TensorProto.FLOAT, [1]),
    ]
    return _model(nodes, inputs, (*levels, "f0"), weights)


def _model(
    nodes: list[object], inputs: list[object], outputs: Sequence[str], weights: dict[str, np.ndarray]
) -> ModelProto:
    used = {name for node in nodes for name in node.input}  # type: ignore[attr-defined]
    graph = helper.make_graph(
        nodes,
        "small",
        inputs,
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None) for output in outputs],
        [numpy_helper.from_array(values, name) for name, values in weights.items() if name in used],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
