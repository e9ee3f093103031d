"""Texts for the benchmark of translation: with references, and how they grow while they are heard."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Literal, get_args

from engine.errors import OptionError
from engine.events import Caption, Word, text_of
from engine.hear.rounds.entries import CaptionEntries
from engine.models.catalogue import ASSETS
from engine.translate.display import joined
from engine.translate.source import surely_heard
from lab.bench.errors import BenchError
from lab.bench.translation.metrics import is_spaceless
from lab.recipes.sentences.spoken import held_out_dialogue
from lab.recipes.sentences.text import fraction, is_held_out

TestSet = Literal["bundled", "tatoeba", "long", "dialogue", "acl6060"]
TEST_SETS: tuple[str, ...] = get_args(TestSet)

TATOEBA = {"de": "deu", "fr": "fra", "es": "spa", "ja": "jpn", "zh": "cmn"}
BUNDLED_TARGETS = ("de", "fr", "es", "pt")
LAG_WORDS = 1
"""Number of words by which a text grows between two translations: about as many as a round of hearing brings. The SSBD
paper's lag-k has a k of 3 throughout."""

WORD_SECONDS = 0.35
"""Time in which a word is said, in seconds."""

ALL_AT_ONCE = 1000
"""Number of words that no text has."""

LONG_WORDS = 12
MOST_CHARACTERS = 240
"""Longest entry of Tatoeba that is a sentence."""


@dataclass(frozen=True, slots=True)
class Text:
    """Something to translate and how others translated it."""

    source: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Revision:
    """The text of a caption at some moment; a final one is its last.

    Attributes:
        settled: its committed words, which no revision will change; None where that is not known.
        sure: its beginning without doubtful words; None where that is not known.
    """

    caption: int
    source: str
    final: bool = False
    settled: str | None = None
    sure: str | None = None


@dataclass(frozen=True, slots=True)
class GrowingText:
    """A text as it comes in.

    Attributes:
        revisions: of all captions that it became, in the order in which they come; several may be open at a time.
        references: translations of the whole.
    """

    name: str
    revisions: tuple[Revision, ...]
    references: tuple[str, ...]

    @property
    def source(self) -> str:
        """All of it as it was known at the end."""
        return joined(revision.source for revision in self.revisions if revision.final)

    @property
    def finished(self) -> GrowingText:
        """The same text, of which nothing is seen before its captions are final."""
        return replace(self, revisions=tuple(revision for revision in self.revisions if revision.final))


def growing(texts: Iterable[Text], words: int = LAG_WORDS) -> list[GrowingText]:
    """Return texts as if they were heard without a mistake, this many words at a time."""
    return [
        GrowingText(f"text {number}", revisions_of(captions_of(text.source, words)), text.references)
        for number, text in enumerate(texts, 1)
    ]


def captions_of(text: str, words: int = LAG_WORDS) -> Iterator[Caption]:
    """Caption a text that grows by this many words at a time, by the rules of a session of captions.

    The newest words are pending until the next ones come. Characters are words in scripts without spaces.
    """
    pattern = r"\s*\S" if any(map(is_spaceless, text)) else r"\s*\S+"
    spoken = [
        Word(found.group(), place * WORD_SECONDS, (place + 1) * WORD_SECONDS)
        for place, found in enumerate(re.finditer(pattern, text))
    ]
    entries = CaptionEntries()
    enter = partial(entries.update, sentence_ended=False, audio_seconds=0.0, emitted_seconds=0.0, language="en")
    moments = [*range(0, len(spoken), words), len(spoken)]
    for earlier, (known, heard) in zip([0, *moments], pairwise(moments), strict=False):
        yield from enter(spoken[earlier:known], spoken[known:heard], ended=False)
    yield from enter(spoken[moments[-2] :], (), ended=True)


def revisions_of(captions: Iterable[Caption]) -> tuple[Revision, ...]:
    """List what captions say from revision to revision, without repetitions but for the final one."""
    found: list[Revision] = []
    newest: dict[int, Revision] = {}
    for caption in captions:
        source = text_of((*caption.committed, *(() if caption.final else caption.pending)))
        revision = Revision(caption.id, source, caption.final, caption.text, surely_heard(caption))
        if caption.final or newest.get(caption.id, Revision(caption.id, "", settled="", sure="")) != revision:
            found.append(revision)
        newest[caption.id] = revision
    return tuple(found)


def read_pairs(path: Path) -> list[Text]:
    """Read lines of source TAB reference [TAB reference ...], maybe packed with gzip.

    A source that comes again gets more references; the order is that of the first time.

    Raises:
        BenchError: the file is missing, is no text, or has a line without a reference.
    """
    lines = _lines(path)
    found: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        source, *references = (field.strip() for field in line.split("\t"))
        if not source and not any(references):
            continue
        if not source or not any(references):
            raise BenchError(f"Line {number} of {path} must be a source, a tab and its translation.")
        found.setdefault(source, []).extend(reference for reference in references if reference)
    if not found:
        raise BenchError(f"{path} holds no sentence to translate.")
    return [Text(source, tuple(dict.fromkeys(references))) for source, references in found.items()]


def _lines(path: Path) -> list[str]:
    """Read the lines of a text, maybe packed with gzip. BenchError if it is missing or is no text."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            return file.read().split("\n")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise BenchError(f"Cannot read {path}: {getattr(error, 'strerror', None) or 'it is not text'}.") from error


def read_set(name: str, target: str, data: Path | None = None) -> list[Text]:
    """Return the texts of a set, translated into a language.

    "bundled" comes with Earshot: the first texts of "long". The others are read from a folder like the project's data.
    "tatoeba": the sentences that no model of this project was trained on. "long": the same, strung together (see
    `strung_together`). "dialogue": lines of BConTrasT (German) or DiaBLa (French) that no model was trained on.
    "acl6060": sentences of talks about computational linguistics (ACL 60/60, its development set; French), 17 words
    long on average.

    Raises:
        OptionError: there is no such set, or a folder is needed.
        BenchError: the set is not there in this language.
    """
    if name not in TEST_SETS:
        raise OptionError(f"--set must be one of {', '.join(TEST_SETS)}, not {name!r}.")
    if name == "bundled":
        return read_pairs(_existing(ASSETS / "bench" / f"translations.en-{target}.tsv", name, target))
    if data is None:
        raise OptionError(f"--set {name} needs --data FOLDER, where its sentences are.")
    if name == "dialogue":
        return _dialogue(data, target)
    if name == "acl6060":
        return _aligned(_existing(data / "text" / "acl6060" / f"dev.en-{target}.aligned.txt", name, target))
    pairs = data / "text" / "parallel" / f"tatoeba-eng-{TATOEBA.get(target, target)}.tsv.gz"
    sentences = held_out(read_pairs(_existing(pairs, name, target)))
    return sentences if name == "tatoeba" else strung_together(sentences)


def _aligned(path: Path) -> list[Text]:
    """Read groups of a source and its translation, a line each, with an empty line behind each group."""
    groups = "\n".join(_lines(path)).strip().split("\n\n")
    pairs = [group.strip().split("\n") for group in groups]
    if bad := next((number for number, pair in enumerate(pairs, 1) if len(pair) != 2), None):
        raise BenchError(f"Group {bad} of {path} must be two lines: a source and its translation.")
    return [Text(source.strip(), (reference.strip(),)) for source, reference in pairs]


def _dialogue(data: Path, target: str) -> list[Text]:
    found = [Text(source, references) for source, references in held_out_dialogue(data, target)]
    if not found:
        raise BenchError(f"The set 'dialogue' has no translations into {target!r} in {data / 'text' / 'spoken'}.")
    return found


def held_out(texts: Iterable[Text]) -> list[Text]:
    """Return the texts whose sources no model of this project was trained on, in a fixed shuffled order."""
    kept = [text for text in texts if len(text.source) <= MOST_CHARACTERS and is_held_out(text.source)]
    return sorted(kept, key=lambda text: (fraction(text.source, "test"), text.source))


def strung_together(sentences: Sequence[Text], words: int = LONG_WORDS) -> list[Text]:
    """Join sentences to texts of at least this many words, a new text as soon as there are enough.

    Sentences of Tatoeba have six words on average, too few to grow: nothing is gained by a draft that is offered once.
    The rule chooses nothing; what is left over at the end is dropped. A text has as many references as the sentence
    of it with the most.
    """
    found: list[Text] = []
    waiting: list[Text] = []
    for sentence in sentences:
        waiting.append(sentence)
        if sum(len(text.source.split()) for text in waiting) >= words:
            found.append(_joined(waiting))
            waiting = []
    return found


def _joined(texts: Sequence[Text]) -> Text:
    most = max(len(text.references) for text in texts)
    joined = (" ".join(text.references[i % len(text.references)] for text in texts) for i in range(most))
    return Text(" ".join(text.source for text in texts), tuple(joined))


def _existing(path: Path, name: str, target: str) -> Path:
    if not path.is_file():
        raise BenchError(f"The set {name!r} has no translations into {target!r}: {path} is missing.")
    return path
