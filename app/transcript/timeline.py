"""Where an engine session's captions belong in the whole transcript.

Every session counts captions and seconds from zero; a transcript may hold several, one after the other: a recording
that was stopped and taken up again, or an engine that was restarted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.events import Caption, Translation, Word


@dataclass(frozen=True, slots=True)
class Begun:
    """A caption that a session goes on with.

    Attributes:
        number: what the session calls it.
        id: what it is in the transcript.
        revisions: how many revisions it has had there.
    """

    number: int
    id: int
    revisions: int


@dataclass(frozen=True, slots=True)
class Place:
    """The beginning of one session in the transcript.

    Attributes:
        first_id: what is added to the ids of its captions.
        start_seconds: its first second.
        begun: the captions that a session before has begun and this one goes on with.
    """

    first_id: int = 0
    start_seconds: float = 0.0
    begun: tuple[Begun, ...] = ()

    def of_translation(self, translation: Translation) -> Translation:
        """Give the translation of a session's caption that caption's id in the transcript."""
        return replace(
            translation,
            id=self._id(translation),
            revision=self._revision(translation),
            emitted_seconds=translation.emitted_seconds + self.start_seconds,
        )

    def of(self, caption: Caption) -> Caption:
        """Give a session's caption its id and its times in the transcript."""
        shift = self.start_seconds
        return replace(
            caption,
            id=self._id(caption),
            revision=self._revision(caption),
            start=caption.start + shift,
            end=caption.end + shift,
            committed=moved(caption.committed, shift),
            pending=moved(caption.pending, shift),
            audio_seconds=caption.audio_seconds + shift,
            emitted_seconds=caption.emitted_seconds + shift,
        )

    def _id(self, shown: Caption | Translation) -> int:
        begun = self._begun(shown)
        return shown.id + self.first_id if begun is None else begun.id

    def _revision(self, shown: Caption | Translation) -> int:
        begun = self._begun(shown)
        return shown.revision if begun is None else shown.revision + begun.revisions

    def _begun(self, shown: Caption | Translation) -> Begun | None:
        return next((each for each in self.begun if each.number == shown.id), None)


def moved(words: Iterable[Word], shift: float) -> tuple[Word, ...]:
    """Words that many seconds later."""
    return tuple(replace(word, start=word.start + shift, end=word.end + shift) for word in words)
