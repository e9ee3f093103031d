"""Questions that people ask in recordings: readers, volunteers and actors of a game.

Nobody wrote a right answer to them, and the starter assistant was taught none of them. The speakers of each source,
sorted as strings, are halved as in lab.bench.captions.people: one half is to choose settings by, one to judge by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path

from lab.bench.captions.clips import Clip, read_manifest
from lab.bench.captions.people import MANIFEST, SPLITS, Split, data_folder, manifest, speakers
from lab.bench.errors import BenchError
from lab.recipes.assistant.dialogues import letters_of, read_dialogues
from lab.recipes.assistant.requests import read_requests
from lab.recipes.sentences.text import fraction

SOURCES = ("speechocean762", "kathleen", "commonvoice_omnilingo", "commonvoice_v1_chetan")
"""Folders of people who speak sentences of their time, in the manifest MORE."""

MORE = Path("speech_more") / "manifest.jsonl"
GAMES = Path("weights") / "queen" / "manifest.jsonl"
"""Manifest of a game's talk, beside the data folder's parent."""

SHORTEST_SECONDS, LONGEST_SECONDS = 1.0, 8.0
"""Shortest and longest recording of a question."""

LEAST_WORDS = 3

_ASKING = frozenset({"what", "who", "whose", "whom", "where", "when", "why", "how"})
_ASKING_OF = frozenset({"what", "whose", "how", "which"})
"""Words that may ask of another word: "which one is", "how many are"."""

_VERBS = frozenset(
    {"is", "are", "was", "were", "am", "do", "does", "did", "can", "could", "will", "would", "shall", "should"}
    | {"have", "has", "had", "may", "might", "must"}
)


def is_question(text: str) -> bool:
    """Return whether a text asks, by its mark, or where it has none by the order of its first words."""
    words = letters_of(text.replace("'s ", " is ").replace("'S ", " IS ")).split()
    if len(words) < LEAST_WORDS:
        return False
    if text.strip().endswith("?"):
        return True
    first, second, third = words[:3]
    asks = first in _VERBS or (first in _ASKING and second in _VERBS) or (first in _ASKING_OF and third in _VERBS)
    return asks and "?" not in text


def questions(split: Split) -> list[Clip]:
    """Return the questions of a split's speakers, one of each source in turn, no text twice; none that was taught.

    Raises:
        BenchError: the data folder has no such recordings.
    """
    taught = taught_letters()
    seen: set[str] = set()
    found = []
    for clip in chain.from_iterable(zip_longest(*_sources(split))):
        letters = letters_of(clip.text) if clip is not None else ""
        if letters and letters not in seen | taught:
            seen.add(letters)
            found.append(clip)
    if not found:
        raise BenchError(f"There are no questions of people in {data_folder()}.")
    return found


def taught_letters() -> frozenset[str]:
    """Return the letters of all that the starter assistant was taught to answer, kept questions included."""
    written = read_dialogues()
    asked = (way for intent in (*written.intents, *written.rows) for way in intent.every_way)
    ways, _ = read_requests()
    return frozenset(map(letters_of, chain(asked, *ways.values())))


def _sources(split: Split) -> Iterator[list[Clip]]:
    """Yield the questions of each source, in a fixed, shuffled order."""
    data = data_folder()
    if manifest() == data / MANIFEST:
        yield _shuffled(chain.from_iterable(speakers(split).values()))
    for path, folders in ((data / MORE, SOURCES), (data.parent.parent / GAMES, (GAMES.parent.name,))):
        clips = read_manifest(path, ["en"]) if path.is_file() else []
        for folder in folders:
            own = [clip for clip in clips if clip.file is not None and clip.file.parent.name == folder and clip.speaker]
            half = _half(sorted({clip.speaker for clip in own}), split)
            yield _shuffled(clip for clip in own if clip.speaker in half)


def _half(names: Sequence[str], split: Split) -> Sequence[str]:
    half = len(names) // 2
    return names[:half] if split == SPLITS[0] else names[half:]


def _shuffled(clips: Iterable[Clip]) -> list[Clip]:
    asked = [clip for clip in clips if _is_short(clip) and is_question(clip.text)]
    return sorted(asked, key=lambda clip: (fraction(clip.text, "questions"), clip.name))


def _is_short(clip: Clip) -> bool:
    return bool(clip.utterances) and SHORTEST_SECONDS <= clip.utterances[-1].end <= LONGEST_SECONDS
