"""Kokoro, a neural voice, run by mlx-audio: an extra that is imported only if selected, and downloads nothing.

Kokoro reads phonemes. espeak-ng, which is installed anyway, provides them with stress and punctuation, as for
kokoro-onnx; mlx-audio's own phonemizer needs spaCy and downloads a model for it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from engine.audio import Samples
from engine.errors import OptionError, VoiceError
from engine.models.catalogue import cached_repository
from engine.speak.espeak_library import espeak_library
from engine.speak.voice import has_words, in_chunks, named, plain_text

REPOSITORIES = ("mlx-community/Kokoro-82M-bf16", "prince-canuma/Kokoro-82M", "hexgrad/Kokoro-82M")
USUAL_SPEAKER = "af_heart"
USUAL_WORDS_PER_MINUTE = 175
LANGUAGES = {"a": "en-us", "b": "en-gb", "e": "es", "f": "fr-fr", "h": "hi", "i": "it", "p": "pt-br"}
"""Languages by the first letter of a speaker's name. Japanese and Mandarin need phonemes that espeak-ng lacks."""

MOST_PHONEMES = 500
_PUNCTUATION = ";:,.!?—…"
_LOOKED_AHEAD = 4  # characters of the next clause that the library has already read


class KokoroVoice:
    """Kokoro as a Voice. It runs on the thread that asks for its chunks, which is the one that runs all models.

    Attributes:
        name: see Voice.
        rate_hz: see Voice.
    """

    def __init__(self, speaker: str | None = None, words_per_minute: int = 175, folder: Path | None = None) -> None:
        """Select `speaker`, such as "bf_emma", with the model in `folder` or, if None, in Hugging Face's cache.

        Raises:
            OptionError: there is no such speaker.
            VoiceError: mlx-audio or the model is missing, or the model is damaged.
        """
        self._load = _loader()
        self._folder = folder or _folder()
        speakers = _speakers(self._folder)
        self._speaker = speaker or (USUAL_SPEAKER if USUAL_SPEAKER in speakers else next(iter(speakers)))
        if self._speaker not in speakers:
            raise OptionError(f"speaker must be one of Kokoro's voices, not {speaker!r}: {named(speakers)}.")
        self._model, self._style = _loaded(self._load, self._folder, speakers[self._speaker])
        self._speed = words_per_minute / USUAL_WORDS_PER_MINUTE
        self.name = f"kokoro {self._speaker} {words_per_minute}"
        self.rate_hz = int(self._model.sample_rate)

    def speak(self, sentence: str) -> Generator[Samples, None, None]:
        """Start a sentence (see Voice). Nearly always all of it is synthesized before its first chunk."""
        text = plain_text(sentence)
        if has_words(text):
            yield from in_chunks(map(self._made, self._pieces(text)), self.rate_hz)

    def _pieces(self, text: str) -> Iterator[str]:
        """Yield phonemes in pieces that the model can read, cut between clauses if possible."""
        piece = ""
        for clause, phonemes in espeak_library().phonemes(text, LANGUAGES[self._speaker[0]]):
            marks = [each for each in clause.rstrip()[-_LOOKED_AHEAD:] if each in _PUNCTUATION]
            known = "".join(each for each in phonemes if each in self._model.vocab)
            added = f"{known}{''.join(marks[-1:])} "
            if piece and len(piece) + len(added) > MOST_PHONEMES:
                yield piece
                piece = ""
            piece += added
            while len(piece) > MOST_PHONEMES:
                yield piece[:MOST_PHONEMES]
                piece = piece[MOST_PHONEMES:]
        if piece.strip():
            yield piece

    def _made(self, phonemes: str) -> Samples:
        spoken = phonemes.strip()
        try:
            audio = self._model(spoken, self._style[len(spoken) - 1], self._speed)
            samples = np.array(audio, dtype=np.float32).reshape(-1)
        except (ArithmeticError, AssertionError, LookupError, RuntimeError, TypeError, ValueError) as error:
            raise VoiceError(f"Kokoro failed: {_one_line(error)}. Choose the voice espeak.") from error
        return np.clip(np.nan_to_num(samples), -1, 1)


def _loader() -> Any:
    try:
        from mlx_audio.tts.utils import load_model
    except ImportError as error:
        raise VoiceError(
            "The voice kokoro needs mlx-audio: 'uv sync --extra kokoro' or 'pip install mlx-audio' adds it."
        ) from error
    return load_model


def _folder() -> Path:
    found = next((folder for name in REPOSITORIES if (folder := cached_repository(name)) is not None), None)
    if found is None:
        raise VoiceError("Kokoro is not on this machine. Fetch it with `earshot models get kokoro` (330 MB).")
    return found


def _speakers(folder: Path) -> dict[str, Path]:
    """Return the files of the speakers that come with the model, by name."""
    files = sorted((folder / "voices").glob("*.safetensors"))
    speakers = {file.stem: file for file in files if file.stem[:1] in LANGUAGES}
    if not speakers:
        raise VoiceError(
            f"{folder} holds no voices of Kokoro's. Fetch it again: `earshot models remove kokoro`, then `get`."
        )
    return speakers


def _loaded(load: Any, folder: Path, speaker: Path) -> tuple[Any, Any]:
    """Return the model, and its speaker's styles by number of phonemes (510, 1, 256)."""
    import mlx.core as mx

    try:
        model = load(folder)
        tensors: Any = mx.load(str(speaker))
        style = next(iter(tensors.values()))
        mx.eval(model.parameters(), style)
    except (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
        raise VoiceError(f"The Kokoro in {folder} cannot be loaded: {_one_line(error)}. Fetch it again.") from error
    return model, style


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__} {error}".split())
