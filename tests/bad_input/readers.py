"""The product's own readers, one for each kind of file, and the process in which they meet spoilt ones.

Run as a module, it reads requests from standard input, one JSON object a line, and answers each with one.
"""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path

from engine.errors import EngineError
from engine.language.llama_cpp.binding import is_installed

MEMORY_BYTES = 300 * 1024 * 1024
LONGEST_LINE = 1000


def _read_sound(path: Path) -> None:
    from engine.audio.source import stream_audio

    for _ in stream_audio(path, report=lambda sentence: None):
        pass


def _read_hearing(folder: Path) -> None:
    from engine.hear.whisper.load import load_hearing_model
    from engine.loading.check import check_model

    check_model(folder)
    load_hearing_model(folder)


def _read_language(folder: Path) -> None:
    from engine.language.language_model import Message, load_language_model
    from engine.loading.check import check_model

    check_model(folder)
    model = load_language_model(folder)
    model.chat([Message("user", "Good morning.")])


def _read_glossary(path: Path) -> None:
    from app.preferences.glossary import read_glossary

    read_glossary(path)


def _read_sentences(path: Path) -> None:
    from lab.bench.translation.texts import read_pairs

    read_pairs(path)


def _read_settings(folder: Path) -> None:
    from app.preferences.preferences import Preferences
    from app.preferences.preferences_file import FILE_NAME, PreferencesFile, import_preferences

    try:
        import_preferences(folder / FILE_NAME, Preferences())
    finally:
        PreferencesFile(folder).load()


def _read_history(path: Path) -> None:
    from app.history.store import HistoryStore

    store = HistoryStore(path)
    try:
        for session in (*store.sessions(), *store.sessions("word")):
            store.transcript(session.id)
        store.end(store.begin("captions", "after", "microphone", "starter", "en"))
    except sqlite3.Error as error:  # what HistoryStore says it raises; the archive says it in a sentence
        raise EngineError(str(error)) from error
    finally:
        store.close()


def _read_gguf(path: Path) -> None:
    from engine.language.llama_cpp.model import GgufModel

    model = GgufModel("spoilt", path)
    model.logits(model.encode("Good morning."), model.new_cache(), 1)


READERS: dict[str, Callable[[Path], None]] = {
    "sound": _read_sound,
    "hearing": _read_hearing,
    "language": _read_language,
    **({"gguf": _read_gguf} if is_installed() else {}),
    "glossary": _read_glossary,
    "sentences": _read_sentences,
    "settings": _read_settings,
    "history": _read_history,
}


def read(reader: str, path: Path) -> dict[str, object]:
    """Read, and tell how it went: "read", "refused" with one clear line, or a fault."""
    began = time.process_time()
    outcome, line = "read", ""
    try:
        READERS[reader](path)
    except EngineError as error:
        line = str(error)
        is_clear = bool(line.strip()) and "\n" not in line and "Traceback" not in line and len(line) <= LONGEST_LINE
        outcome = "refused" if is_clear else "unclear"
    except MemoryError as error:
        outcome, line = "memory", repr(error)
    except BaseException as error:
        outcome, line = "traceback", f"{type(error).__name__}: {error}"
    return {"outcome": outcome, "line": line[:LONGEST_LINE], "seconds": time.process_time() - began}


def _import_everything() -> None:
    """Load what the readers load at their first file, so that memory is counted from there on."""
    import engine.hear.whisper.load
    import engine.language.language_model
    import engine.loading.check
    import engine.weights.ctranslate2
    import engine.weights.ggml  # noqa: F401


def _limit_memory() -> None:
    """Limit this process to MEMORY_BYTES more than it has now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main() -> None:
    """Answer requests until there are no more."""
    _import_everything()
    warm = json.loads(sys.stdin.readline())
    for reader, path in warm:
        read(reader, Path(path))
    _limit_memory()
    print("ready", flush=True)
    for line in sys.stdin:
        reader, path = json.loads(line)
        print(json.dumps(read(reader, Path(path))), flush=True)


if __name__ == "__main__":
    main()
