"""Translation of growing sentences: every update offers the last translation as draft.

Self-speculative biased decoding (SSBD; Zeng et al., "Self-Speculative Biased Decoding for Faster Live Translation").
In an update the source is made safe, and the model's cache is kept. The tokens of the sentence's last translation are
verified behind the prompt with a bias towards them, and the model continues from the first one that it overrules. The
end of the result is hidden from the screen. When the sentence is finished, what is on the screen stays, unless the
model finds its own translation of the whole clearly likelier, so that no early mistake outlives it. Both become
context of the next sentence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from engine.events import TranslationStats
from engine.options import TranslationOptions
from engine.translate.display import units
from engine.translate.faults import until_echo
from engine.translate.for_files import for_files
from engine.translate.languages import UNSPACED, base_of
from engine.translate.mending import Mender, Steps, until_foreign_number
from engine.translate.preparation import Preparation, prepared
from engine.translate.prompt import History, PromptLayout
from engine.translate.source import PICTURE, agreed_words, clean, key_of
from engine.translate.update import USUAL, Drafting, SentenceState, SentenceUpdate

if TYPE_CHECKING:
    from engine.language.speculative_decoding import SpeculationOptions
    from engine.language.token_model import TranslationModel

UNCHECKED = UNSPACED | {"ko"}
"""Languages that count in ten thousands or write numbers beside letters: theirs are not compared with the source's."""

DOTTED = frozenset({"tr", "az"})
"""Languages whose small "i" has another capital."""

LONGEST_REPAIRED = 400
"""Most characters of a source whose translation is searched for again: it takes as long as the first time."""


@dataclass(frozen=True, slots=True)
class Translated:
    """The outcome of an update of a sentence's translation.

    Attributes:
        text: the visible part.
        hidden: the rest; joined to `text` as it stands it is the whole translation.
        source: the translated text, as given.
        final: the sentence is finished.
        new: whether there is a new translation; False if the last one stands: the source has nothing new, or the model
            ran in a loop and the result was discarded.
        stats: its cost.
    """

    text: str
    hidden: str
    source: str
    final: bool
    new: bool
    stats: TranslationStats = field(default=TranslationStats(), compare=False)

    @property
    def whole(self) -> str:
        return self.text + self.hidden


class TextTranslator(ABC):
    """Translates sentences; several may be open at a time, each with a number.

    A generator of `steps` stores its result at its end; closed earlier, it leaves everything as it was.

    Attributes:
        options: as given.
        sources: codes of the languages that it translates from; None if any may be tried.
        supports_glossary: it can use a glossary.
        left_out: terms of the glossary that the model is not told about.
    """

    options: TranslationOptions
    sources: tuple[str, ...] | None
    supports_glossary: bool
    left_out: tuple[str, ...]

    @property
    @abstractmethod
    def share_done(self) -> float:
        """Return how much of the newest source is translated, from 0 to 1; a long one is translated in parts."""

    @abstractmethod
    def steps(
        self, source: str, *, final: bool = False, sentence: int = 0, settled: str | None = None
    ) -> Generator[None, None, Translated]:
        """Translate the present source of a sentence; pauses often.

        `settled` is the beginning of the source that no revision will change.
        """

    def update(self, source: str, *, final: bool = False, sentence: int = 0, settled: str | None = None) -> Translated:
        """Run all steps at once."""
        steps = self.steps(source, final=final, sentence=sentence, settled=settled)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                result: Translated = end.value
                return result


class Translator(TextTranslator):
    """Translates with a model that shows the probabilities of its tokens. See TextTranslator."""

    def __init__(
        self,
        model: TranslationModel,
        options: TranslationOptions,
        *,
        drafting: Drafting = USUAL,
        spending: SpeculationOptions | None = None,
        context_sentences: int | None = None,
    ) -> None:
        """Translate with a model.

        Args:
            drafting: use of the last translation as a draft.
            spending: use of the cache and of guesses; None uses all that there is.
            context_sentences: finished sentences that the model sees before the present one; None suits the model.

        Raises OptionError for an unknown language, ModelError if the model's context is too short.
        """
        from engine.language.speculative_decoding import SpeculationOptions, SpeculativeSession

        self.options = options
        self._model = model
        self._layout = PromptLayout(model, options)
        self._drafting = drafting
        self._context_sentences = model.context_sentences if context_sentences is None else context_sentences
        self._session = SpeculativeSession(model, spending or SpeculationOptions(look_ahead=True))
        self.sources = model.sources
        self.supports_glossary = model.takes_instructions
        self.left_out = self._layout.left_out
        self.reset()

    def reset(self) -> None:
        """Forget all sentences, including finished ones."""
        self._history = History(self._context_sentences)
        self._newest: SentenceUpdate | None = None
        self._open: dict[int, SentenceState] = {}

    @property
    def share_done(self) -> float:
        return 1.0 if self._newest is None else self._newest.share_done

    def restart(self, sentence: int = 0) -> None:
        """Forget an unfinished sentence; its next update begins it again."""
        self._open.pop(sentence, None)

    def steps(
        self, source: str, *, final: bool = False, sentence: int = 0, settled: str | None = None
    ) -> Generator[None, None, Translated]:
        """Translate the present source of a sentence; pauses after every forward of the model.

        `settled` is the beginning of the source that no revision will change; where it is not known, it is taken to be
        what the last revision has in common with this one. Of a live translation no more than that share is shown, and
        a word.

        Nothing is computed if the source differs from the last one only in case and marks (more of the last
        translation may be shown, if more is settled); or if it is final, does not differ, and the bias kept nothing
        that the model would have written otherwise. Nor if all new text would be hidden: the whole translation, as
        long as none of it was shown, or its end, if only the last words of the source were revised. An output of the
        greatest allowed length (1.6 tokens for each of the source, and 16) has mostly run into a loop: it is
        discarded and the last translation stands; if it is final, its repetitions are cut off. Pictures, which a
        model that was made to translate does not know, are added when it is final.
        """
        before = self._open.get(sentence, SentenceState())
        whole = clean(source)
        ready = self._ready(whole)
        words, pictures = ready.text, ready.pictures
        key = key_of(words)
        agreed = agreed_words(words, before.newest if settled is None else self._ready(clean(settled)).text)
        update = self._update(ready, self._history)
        if not final and (key == before.key or (key and self._is_hidden(before, words, agreed))):
            revealed = key == before.key and agreed > before.agreed
            after = self._showable(update.revealed(before, agreed), ready) if revealed else before
            self._open[sentence] = replace(after, newest=words)
            return _shown(after, source, new=after.shown != before.shown)
        self._newest = update
        if key:
            after = yield from update.run(before, words, final=final, agreed=agreed)
        else:
            after, pictures = self._untranslated(before, whole), ""
        if key and final and self._repairs:
            after = yield from self._repaired(after, update, ready, whole)
        elif key:
            after = self._showable(after, ready)
        if final:
            if pictures:
                after = replace(after, shown=f"{after.shown} {pictures}", whole=f"{after.whole} {pictures}")
            self._open.pop(sentence, None)
            self._history = update.history
            return _shown(after, source, final=True, stats=update.stats)
        self._open[sentence] = replace(after, key=key, newest=words, agreed=agreed)
        return _shown(after, source, new=not update.lost, stats=update.stats)

    def _is_common(self, word: str) -> bool:
        return len(self._model.encode(f" {word}")) == 1

    def _ready(self, source: str) -> Preparation:
        if self._model.takes_instructions:
            return Preparation(source)
        ready = prepared(source, self._is_common)
        at_once = self._layout.count(ready.text) <= self._layout.most_source  # parts may begin within a sentence
        dotted = base_of(self.options.target) in DOTTED
        return replace(ready, capital=ready.capital and at_once, dotted=dotted)

    def _update(
        self, ready: Preparation, history: History, options: TranslationOptions | None = None
    ) -> SentenceUpdate:
        chosen = options or self.options
        return SentenceUpdate(self._model, self._layout, self._session, chosen, self._drafting, history, ready.restored)

    @property
    def _repairs(self) -> bool:
        """Return whether translations are compared with their sources."""
        checked = base_of(self.options.target) not in UNCHECKED
        return checked and self._drafting.repairs and not self._model.takes_instructions

    def _showable(self, state: SentenceState, ready: Preparation) -> SentenceState:
        """Return an unfinished sentence that shows no wrong number, and nothing twice."""
        if self.options.stable or not self._repairs:
            return state
        return replace(state, shown=until_echo(ready.text, until_foreign_number(ready.text, state.shown)))

    def _repaired(
        self, after: SentenceState, update: SentenceUpdate, ready: Preparation, whole: str
    ) -> Generator[None, None, SentenceState]:
        """Return a finished sentence whose faults are mended."""
        if len(whole) > LONGEST_REPAIRED:
            return after

        def again(other: Preparation, options: TranslationOptions = self.options) -> Steps:
            yield
            another = self._update(other, History(self._context_sentences), options)
            another.stats = update.stats
            state = yield from another.run(SentenceState(), other.text, final=True)
            update.stats = another.stats
            return state.whole

        careful = for_files(self.options)
        more = self._model.supports_candidates and careful != self.options
        searched = partial(again, options=careful) if more else None
        mender = Mender(base_of(self.options.target), self._is_common, again, searched)
        source = " ".join(PICTURE.sub(" ", whole).split())
        text = yield from mender.mended(ready, source, after.whole)
        if self.options.stable and not text.startswith(after.shown):
            return after
        return replace(after, shown=text, whole=text)

    def _is_hidden(self, before: SentenceState, words: str, agreed: int) -> bool:
        """Return whether next to nothing new would be visible, since as many words are hidden as are new or differ."""
        if not self._drafting.skips_hidden or base_of(self.options.target) in UNSPACED:
            return False
        if self.options.display == "live":
            return agreed < before.agreed if before.shown else agreed == 0
        now, then = units(words), units(before.source or "")
        if not before.shown and len(now) <= self.options.mask:
            return True
        settled = max(0, len(then) - self.options.mask)
        alike = [key_of(unit) for unit in now[:settled]] == [key_of(unit) for unit in then[:settled]]
        return alike and len(now) <= len(then)

    def _untranslated(self, before: SentenceState, words: str) -> SentenceState:
        """Return a sentence that is empty or only marks as it is, or with text that is to stay."""
        if self.options.stable and before.shown:
            return replace(before, whole=before.shown, source=None)
        return SentenceState(shown=words, whole=words)


def _shown(
    sentence: SentenceState,
    source: str,
    *,
    final: bool = False,
    new: bool = True,
    stats: TranslationStats | None = None,
) -> Translated:
    hidden = sentence.whole[len(sentence.shown) :]
    return Translated(sentence.shown, hidden, source, final, new, stats or TranslationStats())
