"""Piper's voices: VITS networks in ONNX files, each with a file that lists its phonemes and speakers.

A network is cut in two. Its first part makes frames of a whole piece of text; its second, which takes most of the time,
turns frames into sound. That part sees only a few frames around a moment, so it is run chunk by chunk: the first sound
comes early, and an utterance that is given up costs nothing more.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.audio import Samples
from engine.errors import OptionError, VoiceError
from engine.speak.joining import trimmed
from engine.speak.onnx_model import Network, fingerprint, inputs_of, part_of, read_model
from engine.speak.phonemes import clauses, pieces
from engine.speak.voice import has_words, in_chunks, named, plain_text

USUAL_WORDS_PER_MINUTE = 175
FIRST_FRAMES, NEXT_FRAMES = 24, 64
"""Frames of the first chunk of sound, and of the later ones; a frame is 11.6 ms of a medium voice."""

OVERLAP_FRAMES = 12
"""Frames on each side of a chunk that its sound depends on."""

LONG_TEXT, MOST_PHONEMES = 120, 400
"""Phonemes from which on the first clause is spoken by itself, and the most that are spoken at once."""

MOST_NOISE = 10.0
"""Largest scale of noise that a voice may ask for."""

PAUSE_SECONDS = 0.12
"""Pause between two pieces of a sentence, in seconds."""

_DECODER = "/dec/conv_pre/Conv"
"""Node of Piper's exports at which the decoder begins."""

_PAD, _BEGIN, _END = "_", "^", "$"


@dataclass(frozen=True, slots=True)
class PiperSettings:
    """The file beside a voice.

    Attributes:
        language: espeak-ng's voice that finds the phonemes.
        ids: numbers of each phoneme.
        speakers: numbers of the speakers by name; empty if there is one without a name.
        scales: noise, length and noise of the lengths.
    """

    language: str
    rate_hz: int
    ids: dict[str, list[int]]
    speakers: dict[str, int]
    scales: tuple[float, float, float]


class PiperVoice:
    """A voice of Piper's as a Voice.

    Attributes:
        name, rate_hz, language, words_per_minute, store_name: see Voice.
    """

    def __init__(self, folder: Path, speaker: str | None = None, words_per_minute: int = 175) -> None:
        """Load the voice in a folder; `speaker` is one of its names, None the first.

        Raises:
            OptionError: there is no such speaker.
            VoiceError: the folder holds no whole voice.
        """
        file = piper_file(folder)
        self._settings = settings = read_settings(file)
        if speaker is not None and speaker not in settings.speakers:
            known = named(settings.speakers) or "this voice has one without a name"
            raise OptionError(f"speaker must be one of {file.stem}'s, not {speaker!r}: {known}.")
        self._speaker = settings.speakers.get(speaker, 0) if speaker is not None else 0
        self._frames, self._decoder, self._value = _networks(file)
        self.name = f"piper {file.stem}{f'/{speaker}' if speaker else ''} {words_per_minute}"
        self.rate_hz = settings.rate_hz
        self.language: str | None = settings.language.partition("-")[0]
        self.words_per_minute = words_per_minute
        self.store_name: str | None = f"{self.name} {fingerprint(file)}"

    def speak(self, sentence: str) -> Generator[Samples, None, None]:
        """Start a sentence (see Voice)."""
        text = plain_text(sentence)
        if has_words(text):
            yield from in_chunks(self._sound(text), self.rate_hz)

    def _sound(self, text: str) -> Iterator[Samples]:
        for number, piece in enumerate(pieces(clauses(text, self._settings.language), LONG_TEXT, MOST_PHONEMES)):
            if number:
                yield np.zeros(round(PAUSE_SECONDS * self.rate_hz), np.float32)
            yield from trimmed(self._chunks(self._ids(piece)), self.rate_hz)

    def _ids(self, phonemes: str) -> NDArray[np.int64]:
        """Return the numbers of phonemes (1, n), as Piper writes them: a pad follows each."""
        known = self._settings.ids
        found = [*known[_BEGIN], *known[_PAD]]
        for phoneme in unicodedata.normalize("NFD", phonemes):
            if phoneme in known:
                found += [*known[phoneme], *known[_PAD]]
        return np.array([[*found, *known[_END]]], np.int64)

    def _chunks(self, ids: NDArray[np.int64]) -> Iterator[Samples]:
        noise, length, noise_of_lengths = self._settings.scales
        values: dict[str, NDArray[Any]] = {
            "input": ids,
            "input_lengths": np.array([ids.shape[1]], np.int64),
            "scales": np.array(
                [noise, length * USUAL_WORDS_PER_MINUTE / self.words_per_minute, noise_of_lengths], np.float32
            ),
            "sid": np.array([self._speaker], np.int64),
        }
        made = self._frames.run(values)
        if self._decoder is None:
            yield _clean(made)
            return
        count, begin = made.shape[-1], 0
        while begin < count:
            end = min(count, begin + (NEXT_FRAMES if begin else FIRST_FRAMES))
            first, last = max(0, begin - OVERLAP_FRAMES), min(count, end + OVERLAP_FRAMES)
            part = np.ascontiguousarray(made[..., first:last])
            sound = _clean(self._decoder.run({**values, self._value: part}))
            hop = len(sound) // (last - first)
            yield sound[(begin - first) * hop : (end - first) * hop]
            begin = end


def _networks(file: Path) -> tuple[Network, Network | None, str]:
    """Return the network that makes frames, the one that makes sound, and the value between; or one that does both."""
    model = read_model(file)
    if not {"input", "input_lengths", "scales"} <= inputs_of(model):
        raise VoiceError(f"{file} is no voice of Piper's: it reads {', '.join(sorted(inputs_of(model)))}.")
    output = model.graph.output[0].name
    decoder = next((node for node in model.graph.node if node.name == _DECODER), None)
    if decoder is None:
        return Network(model, file.name), None, ""
    value = decoder.input[0]
    parts = part_of(model, [], [value]), part_of(model, [value], [output])
    return Network(parts[0], file.name), Network(parts[1], file.name), value


def piper_file(folder: Path) -> Path:
    """Return the network's file in a folder. Raises VoiceError if there is none, or several."""
    files = sorted(path for path in folder.glob("*.onnx") if path.with_name(f"{path.name}.json").is_file())
    if len(files) != 1:
        what = "no voice of Piper's" if not files else f"several voices: {', '.join(path.stem for path in files)}"
        raise VoiceError(f"{folder} holds {what}. Give a folder with one file .onnx and its .onnx.json.")
    return files[0]


def read_settings(file: Path) -> PiperSettings:
    """Read the file beside a voice. Raises VoiceError if it is damaged, or of a voice that needs other phonemes."""
    path = file.with_name(f"{file.name}.json")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.get("phoneme_type", "espeak") != "espeak":
            raise VoiceError(f"{file.name} needs other phonemes than espeak-ng's. Choose another voice.")
        scales = content["inference"]
        ids = {str(phoneme): [int(each) for each in numbers] for phoneme, numbers in content["phoneme_id_map"].items()}
        settings = PiperSettings(
            str(content["espeak"]["voice"]),
            int(content["audio"]["sample_rate"]),
            ids,
            {str(name): int(number) for name, number in (content.get("speaker_id_map") or {}).items()},
            (float(scales["noise_scale"]), float(scales["length_scale"]), float(scales["noise_w"])),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise VoiceError(f"{path} is damaged: {type(error).__name__}. Fetch the voice again.") from error
    noise, length, noise_of_lengths = settings.scales
    possible = 8000 <= settings.rate_hz <= 48_000 and 0.1 <= length <= 10
    possible = possible and all(0 <= each <= MOST_NOISE for each in (noise, noise_of_lengths))
    if not {_PAD, _BEGIN, _END} <= settings.ids.keys() or not possible:
        raise VoiceError(f"{path} is damaged: it lacks phonemes, or its numbers are impossible. Fetch the voice again.")
    return settings


def _clean(sound: NDArray[np.float32]) -> Samples:
    samples: Samples = np.clip(np.nan_to_num(sound.reshape(-1)), -1, 1)
    return samples
