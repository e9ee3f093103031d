"""Mistakes that a prompt causes: a decoder passes over words that it says already, copies them over other speech, or
ends in the middle of it.

What is doubtful is heard again without the prompt, once while nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from engine.events import Word
from engine.hear.rounds.audio_span import AudioSpan, Hear
from engine.hear.rounds.policy import key_of

LONG_SECONDS, LONG_CHARACTER_SECONDS = 0.55, 0.1
"""Duration from which a word may hide another one, in seconds, and that of each of its characters if that is more."""

SURE, DOUBTFUL_SHARE = 0.7, 0.7
"""Probability of a word below which a share of this duration is enough: what hides another word is doubtful, mostly."""

SAID_AGAIN_WORDS = 5
"""Most words at the end of the prompt that may be said again in the middle of the speech behind it."""

COPIED_WORDS, COPIED_ENDING = 3, 2
"""Fewest words in a row of the prompt that may be copied, and fewest if they are its last ones."""

LEFT_OUT_WORDS = 3
"""Fewest words of the draft behind the last word of a decoder that ended too early."""

DOUBTFUL = 0.5
"""Probability below which one of several copied words is, and one of the last of a decoder that ended too early.

It is sure of words that are really said again, and of the end of a sentence behind which the next one has begun.
"""

APART_SECONDS = 0.5
"""Shortest time between the ends of equal words of two hearings that are not the same word, in seconds."""


class Prompted:
    """The prompt's mistakes in the rounds of one stream."""

    def __init__(self) -> None:
        self._compared: tuple[object, ...] = ()  # the newest speech and words that were heard without the prompt
        self._heard: tuple[Word, ...] = ()  # what was heard then

    def mended(
        self, words: tuple[Word, ...], span: AudioSpan, draft: tuple[Word, ...], known_until: float, hear: Hear
    ) -> tuple[Word, ...]:
        """Return the words of a span without the prompt's mistakes; the same tuple if there are none.

        `draft` has no prompt, and tells what was passed over or left out. `hear` returns the words of a span that is
        heard without a prompt. Words that end by `known_until` seconds are committed, and no copies.
        """
        prompted = [key_of(Word(text, 0.0, 0.0)) for text in span.prompt.split()]
        if span.voiced_from is None or not prompted:
            return words
        copied = _copied_from(words, prompted, known_until)
        if copied is not None:
            return self._without_copies(words, copied, span, hear)
        if _ends_early(words, draft, known_until):
            alone = self._alone(span, hear, "early", *map(key_of, words))
            return alone if len(alone) > len(words) else words
        return self._with_passed_over(words, prompted, span, draft, hear)

    def _without_copies(self, words: tuple[Word, ...], copied: int, span: AudioSpan, hear: Hear) -> tuple[Word, ...]:
        """Return the words with what is heard without the prompt from the word at `copied` on."""
        copies = list(map(key_of, words[copied:]))
        alone = self._alone(span, hear, "copied", *copies)
        rest = alone[_place_behind(words[:copied], alone) :]
        return words if not rest or list(map(key_of, rest)) == copies else (*words[:copied], *rest)

    def _with_passed_over(
        self, words: tuple[Word, ...], prompted: list[str], span: AudioSpan, draft: tuple[Word, ...], hear: Hear
    ) -> tuple[Word, ...]:
        """Return the words with those that the decoder passed over since its prompt says them already.

        Then there are none, or the first one seems to last too long, or one that the prompt ends with.
        """
        keys = [key_of(word) for word in words]
        said_again = prompted[-SAID_AGAIN_WORDS:]
        ends = [word.end for word in words]
        if ends and span.voiced_until is not None:
            ends[-1] = max(ends[-1], span.voiced_until)
        doubtful = {
            place
            for place, (word, end) in enumerate(zip(words, ends, strict=True))
            if (place == 0 or keys[place] in said_again) and _lasts_long(word, end)
        }
        if words and not doubtful:
            return words
        whole = tuple(_with_repeats(words, draft, doubtful, set(prompted)))
        growing = round(2 * ends[-1]) if len(words) - 1 in doubtful else 0  # speech goes on behind it
        if len(whole) == len(words):
            alone = self._alone(span, hear, growing, *(keys[place] for place in sorted(doubtful)))
            whole = tuple(_with_repeats(words, alone, doubtful, set(prompted)))
        return words if len(whole) == len(words) else whole

    def _alone(self, span: AudioSpan, hear: Hear, *doubtful: object) -> tuple[Word, ...]:
        """Return the words of a span without the prompt: those of the last time if the same is doubtful as then.

        The next round may have begun with the prompt before this one was finished, and then makes the same mistakes.
        """
        compared = (span.offset_seconds, span.voiced_from, span.final, *doubtful)
        if compared != self._compared:
            self._compared, self._heard = compared, hear(span)
        return self._heard


def _copied_from(words: Sequence[Word], prompted: Sequence[str], known_until: float) -> int | None:
    """Return the place from which new words may be copies of the prompt; None if there are no such words."""
    keys = [key_of(word) for word in words]
    for block in SequenceMatcher(None, keys, prompted, autojunk=False).get_matching_blocks():
        new = [place for place in range(block.a, block.a + block.size) if words[place].end > known_until]
        least = COPIED_ENDING if block.b + block.size == len(prompted) else COPIED_WORDS
        if len(new) >= least and any(words[place].probability < DOUBTFUL for place in new):
            return new[0]
    return None


def _ends_early(words: Sequence[Word], draft: Sequence[Word], known_until: float) -> bool:
    """Return whether the draft has several words behind the last ones of the decoder, which are doubtful."""
    if all(word.probability >= DOUBTFUL for word in words[-LEFT_OUT_WORDS:]):
        return False
    end = max(words[-1].end, known_until)
    return sum(word.middle > end and not word.text.isspace() for word in draft) >= LEFT_OUT_WORDS


def _place_behind(before: Sequence[Word], alone: Sequence[Word]) -> int:
    """Return the place in the words that are heard alone behind those that stand before a copy."""
    keys = [key_of(word) for word in before], [key_of(word) for word in alone]
    blocks = SequenceMatcher(None, *keys, autojunk=False).get_matching_blocks()[:-1]
    end = before[-1].end if before else 0.0
    if blocks and blocks[-1].a + blocks[-1].size == len(before):
        place = blocks[-1].b + blocks[-1].size
        if abs(alone[place - 1].end - end) < APART_SECONDS:
            return place
    return next((place for place, word in enumerate(alone) if word.middle > end), len(alone))


def _lasts_long(word: Word, end: float) -> bool:
    """Return whether a word seems to last so long, up to `end` in seconds, that another one may be hidden in it."""
    usual = max(LONG_SECONDS, LONG_CHARACTER_SECONDS * len(word.text))
    return end - word.start > usual * (1.0 if word.probability >= SURE else DOUBTFUL_SHARE)


def _with_repeats(
    words: Sequence[Word], alone: Sequence[Word], doubtful: set[int], prompted: set[str]
) -> Iterator[Word]:
    """Yield words of a span, and beside the doubtful ones what is heard alone, if that repeats the prompt."""
    known, heard = [key_of(word) for word in words], [key_of(word) for word in alone]
    for kind, begin, end, first, last in SequenceMatcher(None, known, heard, autojunk=False).get_opcodes():
        if kind == "equal":
            for place, same in zip(range(begin, end), alone[first:last], strict=True):
                yield same if place in doubtful else words[place]
        else:
            yield from words[begin:end]
            beside = not words or not doubtful.isdisjoint((begin - 1, begin))
            repeats = [key in prompted for key in heard[first:last]]
            if kind == "insert" and beside and repeats[0] and sum(repeats) >= len(repeats) / 2:
                yield from alone[first:last]
