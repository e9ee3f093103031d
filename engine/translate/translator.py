"""Translation of growing sentences: the last translation is the draft of the next one.

Self-speculative biased decoding (SSBD; Zeng et al., "Self-Speculative Biased Decoding for Faster Live Translation").
An update makes the source safe, keeps the model's cache, verifies the tokens of the sentence's last translation behind
the prompt with a bias towards them, decodes on from the first one that the model overrules, and holds the end of the
result back from the screen. The translation of a finished sentence is verified once more without the bias, so that no
early mistake remains. Source and translation become context of the next sentence.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.events import TranslationStats
from engine.options import TranslationOptions
from engine.translate.display import units
from engine.translate.languages import UNSPACED, base_of
from engine.translate.prompt import History, PromptLayout
from engine.translate.source import as_taught, clean, key_of
from engine.translate.update import USUAL, Drafting, Sentence, SentenceUpdate

if TYPE_CHECKING:
    from engine.language.language_model import LanguageModel
    from engine.language.speculative_decoding import SpeculationOptions


@dataclass(frozen=True, slots=True)
class Translated:
    """The outcome of an update of a sentence's translation.

    Attributes:
        text: the text to show.
        hidden: the end that is held back; `text + hidden` is the whole translation.
        source: the translated text, as it was given.
        final: the sentence is finished.
        new: there is a new translation. False if the last one stands, since the source says nothing new or the result
            was discarded.
        stats: cost of the update.
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


class Translator:
    """Translates sentences; several may be open at a time, each with a number.

    `steps` changes the state when it ends: a generator that is closed before leaves everything as it was.

    Attributes:
        options: as given.
        sources: codes of the languages that the model translates from; None if any may be tried.
        takes_glossary: the model can be told a glossary.
        left_out: terms of the glossary that the model is not told.
    """

    def __init__(
        self,
        model: LanguageModel,
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

        Raises:
            OptionError: the model does not know the language.
            ModelError: its context is too short.
        """
        from engine.language.speculative_decoding import SpeculationOptions, SpeculativeSession

        self.options = options
        self._model = model
        self._layout = PromptLayout(model, options)
        self._drafting = drafting
        self._context_sentences = model.context_sentences if context_sentences is None else context_sentences
        self._session = SpeculativeSession(model, spending or SpeculationOptions(look_ahead=True))
        self.sources = model.sources
        self.takes_glossary = model.translation_instruction is None
        self.left_out = self._layout.left_out
        self.reset()

    def reset(self) -> None:
        """Forget all sentences, the finished ones too."""
        self._history = History(self._context_sentences)
        self._open: dict[int, Sentence] = {}

    def restart(self, sentence: int = 0) -> None:
        """Forget an unfinished sentence; its next update begins it again."""
        self._open.pop(sentence, None)

    def update(self, source: str, *, final: bool = False, sentence: int = 0) -> Translated:
        """Do all the steps at once."""
        steps = self.steps(source, final=final, sentence=sentence)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                result: Translated = end.value
                return result

    def steps(self, source: str, *, final: bool = False, sentence: int = 0) -> Generator[None, None, Translated]:
        """Translate the present source of a sentence; pauses after every forward of the model.

        Nothing is computed if an unfinished source differs from the last one only in case and marks, if a final one is
        unchanged and its translation is what the model alone would write, or if everything new would be held back. An
        output of the longest length (1.6 tokens for each of the source, and 16) is mostly a loop: it is discarded and
        the last translation stands; of a final one only the repetitions are cut off. Pictures, which a taught model
        does not know, are appended when the sentence is final.
        """
        before = self._open.get(sentence, Sentence())
        whole = clean(source)
        words, pictures = as_taught(whole) if self._model.translation_instruction else (whole, "")
        key = key_of(words)
        if not final and (key == before.key or (key and self._is_hidden(before, words))):
            return _shown(before, source, new=False)
        update = SentenceUpdate(self._model, self._layout, self._session, self.options, self._drafting, self._history)
        if key:
            after = yield from update.run(before, words, final=final)
        else:
            after, pictures = self._untranslated(before, whole), ""
        if final:
            if pictures:
                after = replace(after, shown=f"{after.shown} {pictures}", whole=f"{after.whole} {pictures}")
            self._open.pop(sentence, None)
            self._history = update.history
            return _shown(after, source, final=True, stats=update.stats)
        self._open[sentence] = replace(after, key=key)
        return _shown(after, source, new=not update.lost, stats=update.stats)

    def _is_hidden(self, before: Sentence, words: str) -> bool:
        """Tell whether next to nothing new could be shown, since all words that are new or differ are held back."""
        if not self._drafting.skips_hidden or base_of(self.options.target) in UNSPACED:
            return False
        now, then = units(words), units(before.source or "")
        if not before.shown and len(now) <= self.options.mask:
            return True
        settled = max(0, len(then) - self.options.mask)
        alike = [key_of(unit) for unit in now[:settled]] == [key_of(unit) for unit in then[:settled]]
        return alike and len(now) <= len(then)

    def _untranslated(self, before: Sentence, words: str) -> Sentence:
        """Return a sentence of nothing but marks as it is; in stable mode the shown text stays."""
        if self.options.stable and before.shown:
            return replace(before, whole=before.shown, source=None)
        return Sentence(shown=words, whole=words)


def _shown(
    sentence: Sentence, source: str, *, final: bool = False, new: bool = True, stats: TranslationStats | None = None
) -> Translated:
    hidden = sentence.whole[len(sentence.shown) :]
    return Translated(sentence.shown, hidden, source, final, new, stats or TranslationStats())
