"""Translation by a model on a server.

A server shows no probabilities, so that there are no drafts, no bias and no candidates: every revision of a caption is
translated from its beginning, as in plain re-translation. The visible words of a growing caption are those on which its
last two translations agree (LocalAgreement), or all but a fixed number of the last ones (mask-k).
"""

from __future__ import annotations

from collections.abc import Generator

from engine.language.servers.model import ServedModel
from engine.language.token_model import USUAL_SENTENCES
from engine.options import TranslationOptions
from engine.translate.display import common_words, visible
from engine.translate.languages import check_target
from engine.translate.prompt import (
    History,
    TranslatedPair,
    conversation,
    glossary_lines,
    most_output,
    plain_instruction,
    with_glossary,
)
from engine.translate.source import clean, key_of
from engine.translate.translator import TextTranslator, Translated

WAIT_SECONDS = 0.02
"""Longest wait for more of an answer, before hearing gets its turn."""

OFF = "A server shows no probabilities: captions are translated without drafts, bias and candidates."
"""Limits of translation by a server, for people."""

QUOTES = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("'", "'"))
"""Quotation marks that some models put around their whole answer."""


class ServedTranslator(TextTranslator):
    """Translates sentences by a model on a server. See TextTranslator."""

    sources = None
    supports_glossary = True
    left_out = ()

    def __init__(self, model: ServedModel, options: TranslationOptions) -> None:
        """Translate with a model. Raises OptionError for an unknown language."""
        self.options = options
        self._model = model
        told = plain_instruction(options, check_target(options.target, None, model.name))
        self._system = with_glossary(told, glossary_lines(options.glossary))
        self._history = History(USUAL_SENTENCES)
        self._open: dict[int, Translated] = {}

    @property
    def share_done(self) -> float:
        return 1.0

    def steps(
        self, source: str, *, final: bool = False, sentence: int = 0, settled: str | None = None
    ) -> Generator[None, None, Translated]:
        """Translate the present source of a sentence; pauses while the server writes. Raises ModelError if it fails.

        Where nothing shown may change, only finished sentences are translated.
        """
        before = self._open.get(sentence, Translated("", "", "", final=False, new=False))
        words = clean(source)
        if not key_of(words):
            return Translated(words if final else "", "", source, final, new=final)
        if not final and (self.options.stable or key_of(words) == key_of(clean(before.source))):
            return Translated(before.text, before.hidden, source, final, new=False)
        if final:
            self._open.pop(sentence, None)
        whole = yield from self._answered(words)
        if final:
            self._history = self._history.added(TranslatedPair(words, whole))
            return Translated(whole, "", source, final, new=True)
        masked = self.options.display == "mask-k"
        shown = visible(whole, self.options.mask, before.text) if masked else common_words(whole, before.whole)
        self._open[sentence] = Translated(shown, whole[len(shown) :], source, final, new=True)
        return self._open[sentence]

    def _answered(self, words: str) -> Generator[None, None, str]:
        messages = conversation(self._system, self._history.pairs, words)
        answer = self._model.answer(messages, most_output(len(words)))
        try:
            while answer.ended is None:
                answer.read(WAIT_SECONDS)
                yield
        finally:
            if answer.ended is None:  # given up: the server need not write on
                answer.close()
        return _unquoted(clean(answer.text), words)


def _unquoted(text: str, source: str) -> str:
    """Return an answer without quotation marks around it that its source does not have."""
    marked = any(len(text) > 2 and text[0] == first and text[-1] == last for first, last in QUOTES)
    return text[1:-1].strip() if marked and source[:1].isalnum() else text
