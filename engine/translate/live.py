"""Captions in, their translations out, a step at a time, so that hearing can run between two steps.

The newest revision of a caption waits in the place of an earlier one (latest wins). A final one waits until its turn
comes, before all that are not final. Its translation is then made step by step and shown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

from engine.audio import Samples
from engine.errors import ModelError
from engine.events import Caption, Incident, Translation, text_of
from engine.translate.languages import NAMES, accepts_language, base_of, described
from engine.translate.source import surely_heard
from engine.translate.translator import TextTranslator, Translated


@dataclass(slots=True)
class _Work:
    """A caption that is being translated."""

    caption: Caption
    steps: Generator[None, None, Translated]


class LiveTranslation:
    """Translates the captions of a session while they grow. All methods are for one thread.

    Pending words of a live caption are translated too, up to the first doubtful one; in stable mode, where nothing on
    the screen may change, only the committed ones are. A caption in the target language is passed on as it is, so that
    a reader of the translations alone misses nothing. One in a language that the model does not translate from has no
    translation; an incident reports that once for each language.

    Attributes:
        options: the translator's.
        incidents: to be reported, newest last; whoever reports them removes them.
    """

    def __init__(self, translator: TextTranslator, is_sure: Callable[[str, str], bool] | None = None) -> None:
        """Translate with `translator`. Translations are dated 0: the session dates them when it shows them.

        `is_sure` judges a finished translation, given its source; one that it rejects becomes empty, unless some of it
        was shown and stays.
        """
        self.options = translator.options
        self.incidents: deque[Incident] = deque()
        self._translator = translator
        self._is_sure = is_sure
        self._finals: deque[Caption] = deque()
        self._growing: dict[int, Caption] = {}  # the newest revisions that are not final, the longest waiting first
        self._finished: set[int] = set()
        self._running: _Work | None = None
        self._refused: set[str] = set()  # languages that were reported
        self._kept: set[int] = set()  # captions whose shown translation stays
        self._told = ""  # the last problem of a server
        if translator.left_out:
            terms = ", ".join(translator.left_out)
            why = "The glossary is too long for the translation model"
            why = why if translator.supports_glossary else "The translation model uses no glossary"
            self.incidents.append(Incident(f"{why}; left out: {terms}."))

    @property
    def translator(self) -> TextTranslator:
        """Return the translator."""
        return self._translator

    @property
    def sources(self) -> tuple[str, ...] | None:
        """Codes of the languages that it translates from; None if any may be tried."""
        return self._translator.sources

    @property
    def busy(self) -> bool:
        """Return whether a step would do anything."""
        return self._running is not None or bool(self._finals) or bool(self._growing)

    def add_audio(self, chunk: Samples, end_seconds: float) -> None:
        """Do nothing: text is translated."""

    def offer(self, caption: Caption) -> None:
        """Offer a caption that has changed; nothing is computed before `step`.

        A final revision discards the translation of an earlier one. A revision that comes after its caption was final
        is ignored, unless that has got better words and what is shown may change.
        """
        better = bool(caption.first_text) and not self.options.stable
        if (caption.id in self._finished and not better) or self._refuses(caption):
            return
        if not caption.final:
            self._growing[caption.id] = caption
            return
        self._finished.add(caption.id)
        self._growing.pop(caption.id, None)
        if self._running is not None and self._running.caption.id == caption.id:
            self._running.steps.close()
            self._running = None
        self._finals = deque(each for each in self._finals if each.id != caption.id)
        self._finals.append(caption)

    def step(self) -> Translation | None:
        """Work for about one forward of the model; return a translation that is ready to be shown."""
        work = self._running or self._next()
        if work is None:
            return None
        self._running = work
        try:
            next(work.steps)
        except StopIteration as end:
            self._running, self._told = None, ""
            return self._translation(work.caption, end.value)
        except ModelError as error:  # a server that fails; captions go on
            self._running = None
            self._tell(str(error))
            return self._translation(work.caption, Translated("", "", "", work.caption.final, work.caption.final))
        except BaseException:
            self._running = None
            raise
        return None

    def finish(self) -> Iterator[Translation]:
        """Work until nothing waits; yield every translation when it is ready."""
        while self.busy:
            translation = self.step()
            if translation is not None:
                yield translation

    def close(self) -> None:
        """Discard all unfinished translations."""
        if self._running is not None:
            self._running.steps.close()
            self._running = None
        self._finals.clear()
        self._growing.clear()

    def _next(self) -> _Work | None:
        if self._finals:
            caption = self._finals.popleft()
        elif self._growing:
            caption = self._growing.pop(next(iter(self._growing)))
        else:
            return None
        if caption.is_gap or base_of(caption.language) == base_of(self.options.target):
            return _Work(caption, _passed_on(caption))
        steps = self._translator.steps(
            self._source(caption), final=caption.final, sentence=caption.id, settled=caption.text
        )
        return _Work(caption, steps)

    def _source(self, caption: Caption) -> str:
        return caption.text if self.options.stable else surely_heard(caption)

    def _translation(self, caption: Caption, done: Translated) -> Translation | None:
        if not done.new:
            return None
        stays = caption.id in self._kept
        if self.options.stable and done.text:
            self._kept.add(caption.id)
        judged = self._is_sure is not None and caption.final and not stays and done.text != done.source
        rejected = judged and self._is_sure is not None and not self._is_sure(done.source, done.text)
        return Translation(
            id=caption.id,
            revision=caption.revision,
            text="" if rejected else done.text,
            hidden=done.hidden,
            source=done.source,
            language=self.options.target,
            final=caption.final,
            stats=done.stats,
        )

    def _tell(self, problem: str) -> None:
        """Report a problem, once until a translation comes again."""
        if problem != self._told:
            self.incidents.append(Incident(problem))
        self._told = problem

    def _refuses(self, caption: Caption) -> bool:
        """Return whether the caption is in a language that the model does not know; report the first one."""
        language = base_of(caption.language)
        sources = self._translator.sources
        if language == base_of(self.options.target) or accepts_language(language, sources):
            return False
        if language not in self._refused:
            self._refused.add(language)
            spoken, known = NAMES.get(language, language), described(sources or ())
            self.incidents.append(
                Incident(f"The translation model translates from {known} only: captions in {spoken} stay as they are.")
            )
        return True


def _passed_on(caption: Caption) -> Generator[None, None, Translated]:
    """Return the translation of a caption that needs none."""
    text = text_of((*caption.committed, *(() if caption.final else caption.pending)))
    yield from ()
    return Translated(text, "", text, caption.final, new=True)
