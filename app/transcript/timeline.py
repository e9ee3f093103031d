"""Where an engine session's captions belong in the whole transcript.

Every session counts captions and seconds from zero; a transcript may hold several, one after the other: a recording
that was stopped and taken up again, or an engine that was restarted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.events import FIRST_CAPTION, Caption, Translation, Word


@dataclass(frozen=True, slots=True)
class Place:
    """The beginning of one session in the transcript.

    Attributes:
        first_id: what is added to the ids of its captions.
        start_seconds: its first second.
        revisions: how many revisions its first caption has had, where that was begun by a session before.
    """

    first_id: int = 0
    start_seconds: float = 0.0
    revisions: int = 0

    def of_translation(self, translation: Translation) -> Translation:
        """Give the translation of a session's caption that caption's id in the transcript."""
        return replace(
            translation,
            id=translation.id + self.first_id,
            revision=self._revision(translation),
            emitted_seconds=translation.emitted_seconds + self.start_seconds,
        )

    def of(self, caption: Caption) -> Caption:
        """Give a session's caption its id and its times in the transcript."""
        shift = self.start_seconds
        return replace(
            caption,
            id=caption.id + self.first_id,
            revision=self._revision(caption),
            start=caption.start + shift,
            end=caption.end + shift,
            committed=moved(caption.committed, shift),
            pending=moved(caption.pending, shift),
            audio_seconds=caption.audio_seconds + shift,
            emitted_seconds=caption.emitted_seconds + shift,
        )

    def _revision(self, shown: Caption | Translation) -> int:
        return shown.revision + (self.revisions if shown.id == FIRST_CAPTION else 0)


def moved(words: Iterable[Word], shift: float) -> tuple[Word, ...]:
    """Words that many seconds later."""
    return tuple(replace(word, start=word.start + shift, end=word.end + shift) for word in words)
