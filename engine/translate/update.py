"""One update of one sentence: its source is cut if it is too long, each part translated with its draft and bias."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from engine.events import TranslationStats
from engine.options import TranslationOptions
from engine.translate.candidates import likeliest
from engine.translate.display import common_words, joined, units, unmasked, visible
from engine.translate.prompt import History, PromptLayout, TranslatedPair, most_output
from engine.translate.source import after, agreed_words, begins_alike, clean, first_part, first_sentence
from engine.translate.stability import AGREED_WORDS, NONE_LATELY, Lately, known, likely, stops

if TYPE_CHECKING:
    from engine.language.speculative_decoding import Chance, Doubtful, Speculation, SpeculativeSession
    from engine.language.token_model import TranslationModel

LONGEST_TOKEN = 32
"""Longest token, in characters. A text that is longer than the model's room by this measure need not be counted."""

_REPEATS = 2

GENERAL_PREFERENCE = 3.0
"""Times as much as the user prefers what is on the screen at the end of a caption, with a model that was not made to
translate: of many good translations another one is often a little likelier."""

Ending = Literal["biased", "own", "likelier"]


@dataclass(frozen=True, slots=True)
class Drafting:
    """Variants of the use of the last translation as a draft. The defaults are Earshot's; a bench compares others.

    Attributes:
        drafts: offer the last translation as a draft; otherwise every update translates from nothing.
        biases_hidden: the bias is for all of the draft, as published; otherwise only for words on the screen.
        ending: rule for the last translation of a caption: "biased" as all others, as published; "own" is what the
            model alone would write; "likelier" keeps what is on the screen, unless the model's own translation of the
            caption is clearly likelier as a whole.
        trims_draft: leave words that are held back out of the draft, too.
        skips_hidden: skip a revision of an unfinished caption if next to nothing new could be shown.
        repairs: repair finished translations that lost a number or are no language; models made to translate only.
        looks_no_further: write no more of an unfinished caption's translation than can be shown.
        least_odds: smallest score of a word that is shown live, as a logarithm of odds; see `stability.likely`.
        agreed_words: words by which the source grows while a word stays, so that it is shown whatever its odds, where
            shown words may not change; 0 never shows it for that.
    """

    drafts: bool = True
    biases_hidden: bool = False
    ending: Ending = "likelier"
    trims_draft: bool = False
    skips_hidden: bool = True
    repairs: bool = True
    looks_no_further: bool = True
    least_odds: float = 1.25
    agreed_words: int = AGREED_WORDS


USUAL = Drafting()


@dataclass(frozen=True, slots=True)
class SentencePart:
    """A part of a sentence that is translated at once; mostly all of it.

    Attributes:
        source: without space around it.
        tokens: its translation as the model wrote it, without an end.
        text: the text of the tokens.
        biased: the bias alone kept a token.
        sound: the model ended it by itself.
        whole: all of it is a translation of this source.
        chances: of its tokens, and of its end; where they end earlier, the tokens behind are those of an earlier
            translation.
    """

    source: str = ""
    tokens: tuple[int, ...] = ()
    text: str = ""
    biased: bool = False
    sound: bool = True
    chances: tuple[Chance, ...] = ()
    whole: bool = True


@dataclass(frozen=True, slots=True)
class SentenceState:
    """The state of a sentence after its last update.

    Attributes:
        parts: all but the last are finished: they were cut off a source that does not fit into the model's context.
        shown: the text on the screen.
        whole: the last translation, which begins with it.
        key: the compared text of its source; None before the first update.
        source: the translated text; None if the translation was discarded.
        history: the model's context before it.
        newest: the source of its last revision, translated or not.
        agreed: number of words that the translated revision has in common with the one before, at their beginning.
        lately: its newest translations.
    """

    parts: tuple[SentencePart, ...] = (SentencePart(),)
    shown: str = ""
    whole: str = ""
    key: str | None = None
    source: str | None = None
    history: History | None = None
    newest: str = ""
    agreed: int = 0
    lately: Lately = NONE_LATELY

    @property
    def unbiased(self) -> bool:
        """Return whether the model would write the same without a draft."""
        return self.sound and not any(part.biased for part in self.parts)

    def grown_to(self, source: str) -> bool:
        """Return whether a source is the newest one with more words, so that nothing was heard otherwise since."""
        return agreed_words(source, self.newest) == len(units(self.newest))

    @property
    def sound(self) -> bool:
        """Return whether the model ended all parts by itself."""
        return all(part.sound and part.whole for part in self.parts)


class SentenceUpdate:
    """Computes the next state of a sentence; only the session's cache changes.

    Attributes:
        history: of the finished sentences, and after `run` with the parts of this one.
        lost: the translation reached its greatest length before the model ended it; the last one stands.
        stats: its cost.
        share_done: how much of the source is translated, from 0 to 1, by characters.
    """

    def __init__(
        self,
        model: TranslationModel,
        layout: PromptLayout,
        session: SpeculativeSession,
        options: TranslationOptions,
        drafting: Drafting,
        history: History,
        restored: Callable[[str], str] = str,
    ) -> None:
        """Prepare an update; `restored` puts back what was set aside from the source into a translation's beginning."""
        self.history = history
        self._restored = restored
        self.lost = False
        self.stats = TranslationStats()
        self.share_done = 0.0
        self._model = model
        self._layout = layout
        self._session = session
        self._options = options
        self._drafting = drafting
        self._searches = options.candidates > 1 and model.supports_candidates

    def run(
        self, before: SentenceState, source: str, *, final: bool, agreed: int = 0
    ) -> Generator[None, None, SentenceState]:
        """Translate a source, clean and not empty, of which the first words, as many as `agreed`, are known.

        Pauses after every forward.

        Nothing is computed if the last translation is of the same source and is the model's own text.
        """
        seen = self.history
        searched = final and self._searches
        settled = before.unbiased or (self._drafting.ending == "biased" and before.sound)
        if (before.source, before.history) == (source, seen) and settled and not searched:
            for part in before.parts:
                self._remember(part)
            return replace(before, shown=before.whole if final else before.shown)
        parts, rest = self._finished(before, source)
        for part in parts:
            self._remember(part)
        while rest or not parts:
            draft = before.parts[len(parts)] if len(parts) < len(before.parts) else SentencePart()
            stretch, rest = self._cut(rest, draft.source)
            if rest and self._options.stable and stretch == draft.source:
                part = draft  # its shown text stays, and so it ends here
            else:
                closing = final or bool(rest)
                part = yield from self._translate(stretch, draft, self._on_screen(before, parts), closing=closing)
                if not part.sound and not closing:
                    self.lost = True
                    return replace(before, parts=(*parts, draft), source=None)
            self._remember(part)
            parts.append(part)
            self.share_done = 1 - len(rest) / len(source)
        whole = joined(part.text for part in parts)
        if self._options.stable and not whole.startswith(before.shown):
            whole = before.shown  # a tokenizer that spells the same tokens differently beside others
        heard = self._known(whole, source, agreed, parts[-1])
        if not before.grown_to(source):
            heard = common_words(heard, self._written(before))
        lately = before.lately.with_another(len(units(source)), whole, self._apart) if self._apart else before.lately
        shown = whole if final else self._visible(whole, parts[-1], before.shown, heard)
        if self._options.display == "live":
            shown = max(shown, common_words(lately.agreed(self._apart), heard), key=len)
        return SentenceState(tuple(parts), shown, whole, source=source, history=seen, lately=lately)

    def revealed(self, before: SentenceState, agreed: int) -> SentenceState:
        """Return a sentence of whose unchanged source more words are agreed on; nothing is computed."""
        if before.source is None or self._options.display == "mask-k":
            return before
        heard = self._known(before.whole, before.source, agreed, before.parts[-1])
        return replace(before, shown=self._visible(before.whole, before.parts[-1], before.shown, heard), agreed=agreed)

    def _known(self, whole: str, source: str, agreed: int, last: SentencePart) -> str:
        """Return the beginning of a translation whose source is agreed on; one that breaks off is as long as that."""
        words = len(units(source))
        return known(whole, agreed / words, 0 if last.whole else words)

    def _written(self, before: SentenceState) -> str:
        """Return the last translation as far as it is one of its source, without a word that may go on."""
        last = before.parts[-1]
        if last.whole:
            return before.whole
        whole = before.whole
        end = len(whole) - len(last.text) + len(self._text(last.tokens[: len(last.chances)]))
        return whole[: max((stop for stop in stops(whole) if stop <= end and stop < len(whole)), default=0)]

    def _visible(self, whole: str, last: SentencePart, shown: str, heard: str) -> str:
        """Return the visible beginning of a translation that is not final.

        last: its last part. heard: its beginning that is of words which were surely heard.
        """
        if self._options.display == "mask-k" or not whole.endswith(last.text):
            return visible(whole, self._options.mask, shown)
        kept, start = common_words(whole, shown), len(whole) - len(last.text)
        spelt = partial(self._covering, last.tokens)
        least = self._drafting.least_odds
        steady, _ = likely(last.text, last.chances, spelt, least, max(0, len(kept) - start))
        found = whole[:start] + steady
        return max(kept, common_words(found, heard), key=len)

    def _finished(self, before: SentenceState, source: str) -> tuple[list[SentencePart], str]:
        """Return the parts that are finished and still stand, and the source behind them."""
        parts: list[SentencePart] = []
        for part in before.parts[:-1]:
            rest = after(source, part.source)
            if rest is None and self._options.stable:  # its shown text stays, even if the words have changed
                rest = "".join(units(source)[len(units(part.source)) :]).strip()
            if not rest:
                break
            parts.append(part)
            source = rest
        return parts, source

    def _cut(self, source: str, last: str) -> tuple[str, str]:
        """Cut a source into the part to translate now and the rest; `last` was translated at once before."""
        if self._model.one_sentence and len(sentence := first_sentence(source)) < len(source):
            head, more = self._cut(sentence.strip(), last)
            return head, f"{more} {source[len(sentence) :]}".strip()
        room = self._layout.most_source
        head = source[: room * LONGEST_TOKEN]
        if len(head) == len(source) and self._layout.count(source) <= room:
            return source, ""
        grown = after(source, last) if self._options.stable and last else None
        if grown:
            return last, grown
        stretch = first_part(head, lambda text: self._layout.count(text) <= room)
        return stretch.strip(), source[len(stretch) :].strip()

    def _remember(self, part: SentencePart) -> None:
        """Add a part to the history as an example, unless it went wrong."""
        if part.sound:
            written = clean(self._model.decode(part.tokens))
            self.history = self.history.added(TranslatedPair(part.source, written))

    def _on_screen(self, before: SentenceState, parts: Sequence[SentencePart]) -> str:
        """Return the beginning of the part behind `parts` that is on the screen."""
        return before.shown[len(joined(part.text for part in parts)) :].strip()

    def _translate(
        self, source: str, last: SentencePart, shown: str, *, closing: bool
    ) -> Generator[None, None, SentencePart]:
        """Translate one part; `last` is its last translation, `shown` its beginning that is on the screen."""
        draft, biases, certain = self._draft(source, last, shown, closing=closing)
        most = max(most_output(self._layout.count(source)), certain)
        prompt = self._layout.fitting(self.history.pairs, source, most)
        if closing and self._searches and not certain:
            found = yield from likeliest(self._model, prompt, self._options.candidates, most)
            self._count(found)
            if found.ended == "end":
                return SentencePart(source, found.tokens, self._text(found.tokens))
        open_ended = (
            self._options.display == "live" and self._drafting.looks_no_further and not (closing or self._apart)
        )
        doubtful = partial(self._doubtful, shown) if open_ended else None
        result = yield from self._verified(prompt, draft, biases, most, doubtful)
        self._count(result)
        if result.ended == "enough":
            tokens = self._continued(result.tokens, draft)
            return SentencePart(source, tokens, self._text(tokens), chances=result.chances, whole=False)
        if closing and result.held and not certain and self._drafting.ending == "likelier":
            own = yield from self._verified(prompt, result.tokens, [0.0] * len(result.tokens), most)
            self._count(own)
            gone = words_gone(shown, self._text(own.tokens))
            result = own if _likelier(own, result) > gone * self._preference else result
        tokens = result.tokens
        if result.ended == "limit":
            tokens = tokens[: max(certain, len(without_loop(tokens)))]
        biased = any(place < len(tokens) for place in result.held)
        chances = result.chances[: len(tokens)] if result.ended != "end" else result.chances
        return SentencePart(source, tokens, self._text(tokens), biased, result.ended == "end", chances)

    def _continued(self, tokens: tuple[int, ...], draft: Sequence[int]) -> tuple[int, ...]:
        """Return tokens with the rest of a draft, from a word behind them on: it is the draft of the next update."""
        own = units(self._text(tokens))
        for start in range(len(tokens), len(draft)):
            whole = (*tokens, *draft[start:])
            if units(self._text(whole))[: len(own)] == own:
                return whole
        return tokens

    def _verified(
        self,
        prompt: Sequence[int],
        draft: Sequence[int],
        biases: Sequence[float],
        most: int,
        doubtful: Doubtful | None = None,
    ) -> Generator[None, None, Speculation]:
        """Answer a prompt with a draft; the text at the pauses is not used."""
        rated = self._options.display == "live" or self._drafting.ending == "likelier"
        steps = self._session.steps(prompt, draft, bias=biases, max_tokens=most, rated=rated, doubtful=doubtful)
        try:
            while True:
                try:
                    next(steps)
                except StopIteration as end:
                    result: Speculation = end.value
                    return result
                yield
        finally:
            steps.close()

    @property
    def _apart(self) -> int:
        """Return by how many words the sources of translations that are compared differ; 0 if none are.

        What is compared is written to its end.
        """
        return self._drafting.agreed_words if self._options.stable else 0

    def _doubtful(self, shown: str, tokens: Sequence[int], chances: Sequence[Chance]) -> bool:
        """Return whether a word of a translation so far, of which `shown` is on the screen, is not to be shown."""
        text = self._text(tokens)
        spelt = partial(self._covering, tokens)
        return likely(text, chances, spelt, self._drafting.least_odds, len(common_words(text, shown)))[1]

    def _draft(
        self, source: str, last: SentencePart, shown: str, *, closing: bool
    ) -> tuple[tuple[int, ...], list[float], int]:
        """Return the draft, the bias of each of its tokens, and the number of those that must stay."""
        visible = self._covering(last.tokens, shown) if shown else 0
        certain = visible if self._options.stable else 0
        draft = last.tokens if self._drafting.drafts else last.tokens[:certain]
        if self._drafting.trims_draft:
            draft = draft[: max(certain, self._within(draft, unmasked(last.text, self._options.mask)))]
        grown = self._drafting.biases_hidden or begins_alike(source, last.source)
        bias = self._options.bias if grown else 0.0
        if closing and self._drafting.ending != "biased":
            bias = float(bias > 0 and self._drafting.ending == "likelier")
        biased = len(draft) if self._drafting.biases_hidden else visible
        return draft, [1.0 if place < certain else bias * (place < biased) for place in range(len(draft))], certain

    @property
    def _preference(self) -> float:
        """Return the odds by which the user prefers a word on the screen: infinite with a bias of 1."""
        odds = self._options.bias / (1 - self._options.bias) if self._options.bias < 1 else math.inf
        return odds * (GENERAL_PREFERENCE if self._model.takes_instructions else 1.0)

    def _covering(self, tokens: Sequence[int], text: str) -> int:
        """Return how many tokens spell all of a text at their beginning."""
        return bisect_left(range(len(tokens)), True, key=lambda count: self._text(tokens[:count]).startswith(text))

    def _within(self, tokens: Sequence[int], text: str) -> int:
        """Return the number of tokens that spell no more than a text."""
        return bisect_right(range(len(tokens) + 1), len(text), key=lambda count: len(self._text(tokens[:count]))) - 1

    def _text(self, tokens: Sequence[int]) -> str:
        return self._restored(clean(self._model.decode(tokens)))

    def _count(self, result: Speculation) -> None:
        mine = self.stats
        self.stats = replace(
            mine,
            drafted=mine.drafted + result.drafted,
            accepted=mine.accepted + result.accepted,
            output=mine.output + len(result.tokens),
            forwards=mine.forwards + result.forwards,
            resync_drafted=mine.resync_drafted + result.resync_drafted,
            resync_accepted=mine.resync_accepted + result.resync_accepted,
            verify_seconds=mine.verify_seconds + result.verify_seconds,
            decode_seconds=mine.decode_seconds + result.decode_seconds,
        )


def _likelier(one: Speculation, other: Speculation) -> float:
    """Return by how much likelier one answer is than another, as a natural logarithm; a complete one always is."""
    if one.ended != other.ended:
        return math.inf if one.ended == "end" else -math.inf
    first, second = (sum(chance.written for chance in each.chances) for each in (one, other))
    return first - second


def words_gone(shown: str, text: str) -> int:
    """Return how many words of a shown text another one does not begin with; a word that grows or shrinks is gone."""
    ends, stays = accumulate(map(len, units(shown))), set(stops(text))
    return sum(not (end in stays and text.startswith(shown[:end])) for end in ends)


def without_loop(tokens: tuple[int, ...]) -> tuple[int, ...]:
    """Return the tokens up to the first round of a loop at their end; all of them if there are not three rounds."""
    longest = 0
    for period in range(1, len(tokens) // (_REPEATS + 1) + 1):
        repeated = 0
        while repeated + period < len(tokens) and tokens[-1 - repeated] == tokens[-1 - repeated - period]:
            repeated += 1
        if repeated >= _REPEATS * period:
            longest = max(longest, repeated)
    return tokens[: len(tokens) - longest]
