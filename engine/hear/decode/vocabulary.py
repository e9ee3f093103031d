"""The user's words and names: offered in place of what a decoder wrote, and taken where the sound supports them.

A model writes a name that it does not know as words that sound like it, and doubts them. Where doubtful words sound
like a listed entry (engine.hear.decode.pronunciation), the decoder reads the entry beside them as a branch. It is taken
if it is less probable than those by no more than a margin: the rule of self-speculative biased decoding (SSBD), for
words instead of tokens. The decoder hears the audio while it reads the branch, so that the sound decides. Nothing is
added where nothing was written, so that silence stays silent.

Whisper's prompt can hold such a list, too, but only a short one, and the decoder may copy from it what nobody said.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from typing import TypeVar

from engine.hear.decode.beam import TextCandidate
from engine.hear.decode.decoder import Reader
from engine.hear.decode.pronunciation import Pronunciations
from engine.hear.decode.resync import begins_word
from engine.hear.decode.rules import log_sum_exp
from engine.hear.decode.search import Terms
from engine.hear.decode.steps import Steps
from engine.hear.decode.tokenizer import LANGUAGES_WITHOUT_SPACES, TextTokens

MARGIN = 6.0
"""Largest lead in log-probability (natural) of the written words over a listed entry that is taken in their place."""

NEAR = 0.3
"""Largest distance of an entry's sound from that of the written words, as a share of the entry's length."""

CLOSE, FAR = 0.2, 0.43
"""Distances up to which the whole margin counts, and at which none would be left."""

DOUBT = 0.4
"""Least doubt (negative logarithm of the probability) of written words at which an entry is offered for them."""

MOST_WORDS = 4
"""Largest number of written words that an entry is offered for."""

MOST_BRANCHES = 3
"""Largest number of entries that are offered for the same words."""

MOST_CHARACTERS = 8
"""The same for languages without spaces, in characters."""

CLEARLY, MOST_LOST = 2.0, 4096
"""Log-probability by which a branch must miss the margin, or keep it, to be remembered for the same words in the next
rounds; and the number of branches that are remembered because they lost.
"""

MOST_WON = 8
"""Number of branches that are remembered because they were taken."""

POSSESSIVES = ("'s", "’s")
"""Endings that stay when a name is replaced."""

SENTENCE_ENDS = ".?!。？！"
"""Marks that no entry reaches across."""

FOLLOWING = 3
"""Tokens after the branch whose probability counts: a wrong word makes the words after it less probable."""


Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Branch:
    """A listed entry in place of the tokens `first` to `end` of a text.

    Attributes:
        tokens: of the entry.
        distance: of its sound from that of the written words.
    """

    first: int
    end: int
    tokens: tuple[int, ...]
    distance: float

    @property
    def margin(self) -> float:
        """Largest lead of the written words over the entry: smaller where it sounds less alike."""
        return MARGIN * min(1.0, (FAR - self.distance) / (FAR - CLOSE))


class Vocabulary:
    """The listed words and names, in the tokens of one model."""

    def __init__(self, entries: Sequence[str], tokenizer: TextTokens) -> None:
        self._entries = tuple(entries)
        self._known = {entry.casefold(): entry for entry in entries}
        self._tokenizer = tokenizer
        self._pronunciations: dict[str, Pronunciations] = {}
        self._lost: OrderedDict[tuple[tuple[int, ...], tuple[int, ...]], None] = OrderedDict()
        self._won: OrderedDict[tuple[int, ...], tuple[int, ...]] = OrderedDict()
        self._trie = Trie()
        for entry in entries:
            for tokens in self._spellings(entry):
                self._trie.add(tokens)

    def listed(self, tokens: Sequence[int]) -> list[range]:
        """Return the places of listed entries in a text, without overlaps, the longest first at each place.

        The end of the text is left out, since its last word may be the beginning of a longer one.
        """
        begins = begins_word(self._tokenizer)
        found, place = [], 0
        while place < len(tokens):
            end = self._trie.longest(tokens, place)
            if place < end < len(tokens) and begins(tokens[place]) and begins(tokens[end]):
                found.append(range(place, end))
            place = max(end, place + 1)
        return found

    def reconsider(
        self,
        reader: Reader,
        prefix: Sequence[int],
        text: TextCandidate,
        language: str,
        terms: Terms,
        *,
        goes_on: bool = False,
    ) -> Steps[TextCandidate]:
        """Return the text with listed entries in place of words that sound like them, where the decoder supports it.

        Where speech `goes_on` nothing is offered for the last word, which may be cut off: it will be heard again.

        The cache of the reader holds the beginning of the prefix and the text. The text is reconsidered from its end to
        its beginning, so that the cache is only cut. Pauses after every forward.
        """
        for branches in reversed(clusters(self._branches(text, language, goes_on))):
            first, end = min(branch.first for branch in branches), max(branch.end for branch in branches)
            around = tuple(text.tokens[max(0, first - 1) : end + 1])
            same = [branch for branch in branches if branch.tokens == self._won.get(around)]
            if same and end < len(text.tokens):
                text = replaced(text, same[0], MARGIN)
                continue
            offered = [branch for branch in branches if (around, branch.tokens) not in self._lost][:MOST_BRANCHES]
            if not offered:
                continue
            odds = _odds(reader, prefix, text, offered, first, end, terms)
            yield
            spare = [odd + branch.margin for branch, odd in zip(offered, odds, strict=True)]
            for branch, left in zip(offered, spare, strict=True):
                if left < -CLEARLY:
                    _remember(self._lost, (around, branch.tokens), None, MOST_LOST)
            best = max(range(len(offered)), key=lambda place: spare[place])
            if spare[best] >= 0:
                text = replaced(text, offered[best], spare[best])
            if spare[best] >= CLEARLY:
                _remember(self._won, around, offered[best].tokens, MOST_WON)
        return text

    def _branches(self, text: TextCandidate, language: str, goes_on: bool) -> Iterator[Branch]:
        """Yield the entries that sound like doubtful words of a text, in the order of these words."""
        words = Words(self._tokenizer, text.tokens, language)
        whole = len(words) - goes_on
        for first in range(whole):
            for last in takewhile(lambda word: word < whole, words.spans(first)):
                written, place = words.text(first, last), slice(words.first(first), words.end(last))
                same = self._known.get(written.strip().casefold())
                if same is not None:
                    spelled = self._spelled(same, written, "")
                    if same[1:] != same[1:].lower() and spelled != text.tokens[place]:
                        yield Branch(place.start, place.stop, spelled, 0.0)
                    continue
                if sum(text.logprobs[place]) > -DOUBT:
                    continue
                possessive = next((ending for ending in POSSESSIVES if written.endswith(ending)), "")
                bare = [*words.said[first:last], words.said[last].removesuffix(possessive)]
                for entry, distance in self._near(bare, language):
                    if entry.casefold() in written.casefold():
                        continue  # else it would take the place of its neighbours, too
                    spelled = self._spelled(entry, written, possessive)
                    yield Branch(place.start, place.stop, spelled, distance)

    def _near(self, words: Sequence[str], language: str) -> list[tuple[str, float]]:
        known = self._pronunciations.get(language)
        if known is None:
            known = self._pronunciations[language] = Pronunciations(self._entries, language, NEAR)
        return known.near(tuple(words))

    def _spelled(self, entry: str, written: str, ending: str) -> tuple[int, ...]:
        """Return the tokens of an entry in place of written words: a lower-case entry takes their capital letter."""
        begun = written.lstrip()
        if entry == entry.lower() and begun[:1].isupper():
            entry = entry[:1].upper() + entry[1:]
        return tuple(self._tokenizer.encode(written[: len(written) - len(begun)] + entry + ending))

    def _spellings(self, entry: str) -> Iterator[list[int]]:
        for spelling in {entry, entry[:1].upper() + entry[1:]}:
            yield self._tokenizer.encode(f" {spelling}")
            yield self._tokenizer.encode(spelling)


class Words:
    """The spoken words of a text, and the tokens that each consists of."""

    def __init__(self, tokenizer: TextTokens, tokens: Sequence[int], language: str) -> None:
        texts, groups = tokenizer.split_to_words(tokens, language)
        ends = list(accumulate(len(group) for group in groups))
        spoken = [place for place, text in enumerate(texts) if any(character.isalnum() for character in text)]
        self._texts = texts
        self._spoken = spoken
        self._ends = [ends[place] for place in spoken]
        self._firsts = [ends[place] - len(groups[place]) for place in spoken]
        self._most = MOST_CHARACTERS if language in LANGUAGES_WITHOUT_SPACES else MOST_WORDS
        self.said = [texts[place].strip() for place in spoken]

    def __len__(self) -> int:
        return len(self._spoken)

    def spans(self, first: int) -> Iterator[int]:
        """Yield the last words of spans that begin with a word, up to the end of its sentence."""
        for last in range(first, min(first + self._most, len(self))):
            yield last
            if last + 1 < len(self) and set(SENTENCE_ENDS) & set(self._between(last)):
                return

    def text(self, first: int, last: int) -> str:
        return "".join(self._texts[self._spoken[first] : self._spoken[last] + 1])

    def first(self, word: int) -> int:
        return self._firsts[word]

    def end(self, word: int) -> int:
        return self._ends[word]

    def _between(self, word: int) -> str:
        return "".join(self._texts[self._spoken[word] + 1 : self._spoken[word + 1]])


class Trie:
    """A prefix tree of token sequences."""

    def __init__(self) -> None:
        self._following: dict[int, Trie] = {}
        self._ends = False

    def add(self, tokens: Iterable[int]) -> None:
        node = self
        for token in tokens:
            node = node._following.setdefault(token, Trie())
        node._ends = True

    def longest(self, tokens: Sequence[int], place: int) -> int:
        """Return the end of the longest sequence that begins at a place; the place itself if none does."""
        node, end = self, place
        for position in range(place, len(tokens)):
            following = node._following.get(tokens[position])
            if following is None:
                break
            node = following
            end = position + 1 if node._ends else end
        return end


def clusters(branches: Iterable[Branch]) -> list[list[Branch]]:
    """Group branches in place of overlapping words, the nearest in sound first, in the order of the words."""
    found: list[list[Branch]] = []
    end = 0
    for branch in branches:
        if found and branch.first < end:
            found[-1].append(branch)
        else:
            found.append([branch])
        end = max(end, branch.end)
    return [sorted(cluster, key=lambda branch: branch.distance) for cluster in found]


def _odds(
    reader: Reader,
    prefix: Sequence[int],
    text: TextCandidate,
    branches: Sequence[Branch],
    first: int,
    end: int,
    terms: Terms,
) -> list[float]:
    """Return the lead in log-probability (natural) of each branch over the tokens `first` to `end` of the text.

    Of a branch that has clearly lost, a part of the log-probability counts.
    """
    tokens, written = text.tokens, [*text.logprobs]
    until = min(end + FOLLOWING, len(tokens))
    ending = [terms.eot] if text.has_ended and until < end + FOLLOWING else []
    if ending:
        written.append(text.sum_logprob - sum(text.logprobs))
    start = len(prefix) + first - 1
    reader.fill([*prefix, *tokens], start)
    before = prefix[-1] if first == 0 else tokens[first - 1]
    blocks = [
        [*tokens[first : branch.first], *branch.tokens, *tokens[branch.end : until], *ending] for branch in branches
    ]
    logits = reader.branches([[before, *block[:-1]] for block in blocks], [branch.first - first for branch in branches])
    odds = []
    for branch, block, rows in zip(branches, blocks, logits, strict=True):
        lead = -sum(written[branch.first : until + len(ending)])
        for place, row in enumerate(rows, branch.first - first):
            terms.allow(row, [*tokens[:first], *block[:place]])
            lead += float(row[block[place]]) - log_sum_exp(row)
            if lead < -branch.margin - CLEARLY:  # and it only falls
                break
        odds.append(lead)
    return odds


def replaced(text: TextCandidate, branch: Branch, spare: float) -> TextCandidate:
    """Return the text with a branch in it; its tokens get the probability that follows from what it has to spare."""
    logprob = confidence(spare)
    count, ending = len(branch.tokens), text.sum_logprob - sum(text.logprobs)
    logprobs = (*text.logprobs[: branch.first], *[logprob] * count, *text.logprobs[branch.end :])
    return replace(
        text,
        tokens=(*text.tokens[: branch.first], *branch.tokens, *text.tokens[branch.end :]),
        logprobs=logprobs,
        sum_logprob=sum(logprobs) + ending,
        heads=(*text.heads[: branch.first], *[1] * count, *text.heads[branch.end :]),
    )


def confidence(odds: float) -> float:
    """Return the log-probability of something with these odds (natural logarithm)."""
    return -math.log1p(math.exp(-odds))


def _remember(known: OrderedDict[Key, Value], key: Key, value: Value, most: int) -> None:
    """Add an entry, and forget the oldest beyond `most`."""
    known[key] = value
    known.move_to_end(key)
    if len(known) > most:
        known.popitem(last=False)
