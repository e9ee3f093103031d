"""Kokoro: one network in an ONNX file that speaks with the voices of a second file.

Its sound depends on the whole piece of text that is spoken, so a piece is computed at once, on another thread: whoever
asks for its sound gets empty chunks until it is there, and can do other work between two of them.
"""

from __future__ import annotations

import copy
import json
import zipfile
from collections.abc import Generator, Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.audio import Samples
from engine.errors import OptionError, VoiceError
from engine.speak.joining import trimmed
from engine.speak.onnx_model import BackgroundRun, Network, fingerprint, inputs_of, read_model
from engine.speak.phonemes import clauses, pieces
from engine.speak.voice import has_words, in_chunks, named, plain_text

USUAL_WORDS_PER_MINUTE = 175
RATE_HZ = 24_000
LANGUAGES = {"a": "en-us", "b": "en-gb", "e": "es", "f": "fr-fr", "h": "hi", "i": "it", "p": "pt-br"}
"""Languages by the first letter of a speaker's name. Japanese and Mandarin need phonemes that espeak-ng lacks."""

BEST = ("af_heart", "bf_emma", "ff_siwis", "ef_dora")
"""Speakers that are preferred for their languages."""

LONG_TEXT, MOST_PHONEMES = 40, 300
"""Phonemes from which on the first clause is spoken by itself, and the most that are spoken at once."""

PAUSE_SECONDS = 0.12
"""Pause between two pieces of a sentence, in seconds."""

THREADS = 2
"""Threads of a run: with one it would be slower than its sound on many machines."""

WAIT_SECONDS = 0.02
"""Longest wait for a sound that is being computed, in seconds."""

_STYLES = 510
"""Styles of a voice: one for each number of phonemes."""


class KokoroVoice:
    """Kokoro as a Voice.

    Attributes:
        name, rate_hz, language, words_per_minute, store_name: see Voice.
    """

    def __init__(
        self, folder: Path, speaker: str | None = None, words_per_minute: int = 175, language: str = "en"
    ) -> None:
        """Load the network in a folder, and the voice of `speaker`, such as "bf_emma"; None is one of `language`.

        Raises:
            OptionError: there is no such speaker.
            VoiceError: the folder holds no whole Kokoro.
        """
        known = read_speakers(folder)
        self._speaker = speaker or _usual(known, language) or known[0]
        if self._speaker not in known:
            raise OptionError(f"speaker must be one of Kokoro's, not {self._speaker!r}: {named(known)}.")
        self._folder = folder
        self._style = _style(folder, self._speaker)
        self._vocabulary = read_vocabulary(folder)
        model = read_model(network_file(folder))
        self._checksum = fingerprint(network_file(folder))
        inputs = inputs_of(model)
        self._tokens = next((name for name in ("tokens", "input_ids") if name in inputs), "")
        if not self._tokens or not {"style", "speed"} <= inputs:
            raise VoiceError(f"{folder} holds no Kokoro: its network reads {', '.join(sorted(inputs))}.")
        self._network = Network(model, "Kokoro", THREADS)
        self.rate_hz = RATE_HZ
        self.words_per_minute = words_per_minute
        self._name_sound()

    def speak(self, sentence: str) -> Generator[Samples, None, None]:
        """Start a sentence (see Voice)."""
        text = plain_text(sentence)
        if has_words(text):
            yield from in_chunks(self._sound(text), self.rate_hz)

    def into(self, language: str) -> KokoroVoice | None:
        """Return the voice of a speaker of another language on the same network; None if there is none.

        Raises VoiceError if the folder is gone, or holds no speakers any more.
        """
        speaker = _usual(read_speakers(self._folder), language)
        if not speaker:
            return None
        other = copy.copy(self)
        other._speaker, other._style = speaker, _style(self._folder, speaker)
        other._name_sound()
        return other

    def _name_sound(self) -> None:
        self.name = f"kokoro {self._speaker} {self.words_per_minute}"
        self.language: str | None = code_of(self._speaker)
        self.store_name: str | None = f"{self.name} {self._checksum}"

    def _sound(self, text: str) -> Iterator[Samples]:
        phonemes = clauses(text, LANGUAGES[self._speaker[0]])
        known = ("".join(each for each in clause if each in self._vocabulary) for clause in phonemes)
        for number, piece in enumerate(pieces(filter(None, known), LONG_TEXT, MOST_PHONEMES)):
            if number:
                yield np.zeros(round(PAUSE_SECONDS * self.rate_hz), np.float32)
            yield from trimmed(self._computed(piece), self.rate_hz)

    def _computed(self, piece: str) -> Iterator[Samples]:
        """Yield empty chunks until the sound of a piece is there, then the sound."""
        tokens = [0, *(self._vocabulary[each] for each in piece), 0]
        values: dict[str, NDArray[Any]] = {
            self._tokens: np.array([tokens], np.int64),
            "style": self._style[min(len(piece), _STYLES) - 1],
            "speed": np.array([self.words_per_minute / USUAL_WORDS_PER_MINUTE], np.float32),
        }
        run = BackgroundRun(self._network, values)
        try:
            while (sound := run.wait(WAIT_SECONDS)) is None:
                yield np.zeros(0, np.float32)
            yield np.clip(np.nan_to_num(sound.reshape(-1)), -1, 1)
        finally:
            run.cancel()


def _usual(speakers: Sequence[str], language: str) -> str:
    """Return the preferred speaker of a language; empty if there is none."""
    return next((each for each in (*BEST, *speakers) if each in speakers and code_of(each) == language), "")


def code_of(speaker: str) -> str:
    """Return the code of a speaker's language, such as "pt"; empty if it is unknown."""
    return LANGUAGES.get(speaker[:1], "").partition("-")[0]


def read_speakers(folder: Path) -> tuple[str, ...]:
    """Return the speakers whose languages espeak-ng knows. Raises VoiceError if there are none."""
    file = voices_file(folder)
    try:
        if file.suffix == ".safetensors":
            from safetensors import safe_open

            with safe_open(file, "numpy") as tensors:
                names = sorted(tensors.keys())
        else:
            with zipfile.ZipFile(file) as archive:
                names = sorted(name.removesuffix(".npy") for name in archive.namelist())
    except Exception as error:  # safetensors has an error of its own
        raise VoiceError(f"{file} is damaged: {type(error).__name__}. Fetch Kokoro again.") from error
    known = tuple(name for name in names if name[:1] in LANGUAGES)
    if not known:
        raise VoiceError(f"{file} holds no voices of Kokoro's. Fetch Kokoro again.")
    return known


def voices_file(folder: Path) -> Path:
    """Return the file of the voices in a folder. Raises VoiceError if there is none."""
    found = sorted((*folder.glob("voices*.safetensors"), *folder.glob("voices*.bin")))
    if not found:
        raise VoiceError(f"{folder} holds no voices*.bin beside Kokoro's network. Fetch Kokoro again.")
    return found[0]


def network_file(folder: Path) -> Path:
    files = sorted(folder.glob("*.onnx"))
    if len(files) != 1:
        raise VoiceError(f"{folder} holds {len(files)} files .onnx. Give a folder with one, and its voices*.bin.")
    return files[0]


def _style(folder: Path, speaker: str) -> NDArray[np.float32]:
    """Return a speaker's styles (_STYLES, 1, 256)."""
    file = voices_file(folder)
    try:
        if file.suffix == ".safetensors":
            from safetensors import safe_open

            with safe_open(file, "numpy") as tensors:
                style = tensors.get_tensor(speaker)
        else:
            with np.load(file, allow_pickle=False) as arrays:
                style = arrays[speaker]
        return np.asarray(style, np.float32).reshape(_STYLES, 1, 256)
    except Exception as error:
        raise VoiceError(f"{file} is damaged: {type(error).__name__}. Fetch Kokoro again.") from error


def read_vocabulary(folder: Path) -> dict[str, int]:
    """Return the number of each phoneme: the folder's own, or version 1.0's."""
    own = folder / "vocab.json"
    try:
        if own.is_file():
            return {str(phoneme): int(number) for phoneme, number in json.loads(own.read_bytes())["vocab"].items()}
        content = resources.files(__package__).joinpath("kokoro.json").read_text(encoding="utf-8")
        return dict(json.loads(content))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise VoiceError(f"{own} is damaged: {type(error).__name__}. Delete it, or fetch Kokoro again.") from error
