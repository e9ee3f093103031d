"""Whole files of every kind that Earshot reads, small enough to be spoilt by the thousand."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from app.history.kept.schema import FILE_NAME as HISTORY
from app.history.store import HistoryStore
from app.preferences.preferences import Preferences
from app.preferences.preferences_file import FILE_NAME as PREFERENCES
from app.preferences.preferences_file import export_preferences
from engine.events import Caption, Word
from engine.hear.whisper.model import ModelDimensions
from engine.language.llama_cpp.binding import is_installed
from tests.gguf_models import write_gguf
from tests.language_models import write_language_model
from tests.random_whisper import TINY, random_weights, write_random_model
from tests.weights.other_formats import write_ctranslate2, write_ggml

SMALL = TINY | {"n_audio_ctx": 16, "n_audio_state": 8, "n_text_state": 8, "n_text_ctx": 8}
SOUNDS = {
    "tone.wav": ("WAV", "PCM_16"),
    "float.wav": ("WAV", "FLOAT"),
    "tone.flac": ("FLAC", "PCM_16"),
    "tone.ogg": ("OGG", "VORBIS"),
    "tone.opus": ("OGG", "OPUS"),
    "tone.mp3": ("MP3", "MPEG_LAYER_III"),
    "tone.aiff": ("AIFF", "PCM_16"),
    "tone.caf": ("CAF", "PCM_16"),
    "tone.au": ("AU", "PCM_16"),
}


@dataclass(frozen=True, slots=True)
class Original:
    """A file or a folder as it should be.

    Attributes:
        reader: which reader of `readers.READERS` reads it.
        files: what is in the folder, by name; all of them are spoilt in turn.
        place: what is given to the reader: a file's name, or "" for the folder.
    """

    name: str
    reader: str
    files: Mapping[str, bytes]
    place: str = ""


def originals() -> list[Original]:
    """Make one of each kind."""
    return [*_sounds(), *_models(), *_texts(), _history()]


def _sounds() -> list[Original]:
    wave = (0.1 * np.sin(np.arange(8000) / 9)).astype(np.float32)
    made = []
    for name, (kind, coding) in SOUNDS.items():
        file = io.BytesIO()
        soundfile.write(file, np.stack([wave, wave], 1), 16_000, format=kind, subtype=coding)
        made.append(Original(name, "sound", {name: file.getvalue()}, name))
    return made


def _models() -> list[Original]:
    dims = ModelDimensions(**SMALL)
    weights = random_weights(SMALL)
    models = [
        _made("whisper", "hearing", lambda folder: write_random_model(folder, SMALL)),
        _made("faster-whisper", "hearing", lambda folder: write_ctranslate2(folder, weights, dims)),
        _made("faster-whisper int8", "hearing", lambda folder: write_ctranslate2(folder, weights, dims, "int8")),
        _made("whisper.cpp", "hearing", lambda folder: write_ggml(folder / "ggml-tiny.bin", weights, dims)),
        _made("qwen", "language", lambda folder: write_language_model(folder)),
    ]
    if is_installed():  # there is no llama.cpp on a Mac
        models.append(_made("llama.cpp", "gguf", lambda folder: write_gguf(folder / "tiny.gguf"), "tiny.gguf"))
    return models


def _texts() -> list[Original]:
    glossary = "# terms\nmeeting = Besprechung\ndraft = Entwurf\nquarter = Quartal\n"
    pairs = "Good morning.\tGuten Morgen.\nThank you.\tDanke.\tVielen Dank.\n"
    return [
        Original("glossary", "glossary", {"terms.txt": glossary.encode()}, "terms.txt"),
        Original("sentences", "sentences", {"pairs.tsv": pairs.encode()}, "pairs.tsv"),
        _made("settings", "settings", lambda folder: export_preferences(Preferences(), folder / PREFERENCES)),
    ]


def _history() -> Original:
    def write(folder: Path) -> None:
        store = HistoryStore(folder / HISTORY)
        for number in range(3):
            session = store.begin("captions", f"session {number}", "microphone", "starter", "en")
            word = Word(f" word{number}", 0.0, 1.0, 0.9)
            store.put_caption(session, Caption(1, 1, 0.0, 1.0, (word,), (), True, 1.0, 1.2))
            store.end(session)
        store.close()

    return _made("history", "history", write, HISTORY)


def _made(name: str, reader: str, write: Callable[[Path], object], place: str = "") -> Original:
    """Make an original of the files that `write` leaves in a folder."""
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "made"
        folder.mkdir()
        write(folder)
        files = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.stat().st_size}
    return Original(name, reader, files, place)
