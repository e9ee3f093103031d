"""Captions with their translations and speakers, put together until all are finished. No Qt."""

from __future__ import annotations

from dataclasses import replace

from app.transcript.caption_text import UNSURE
from engine.events import Caption, SpeakerLabel, Translation, Written


class Pairs:
    """Captions with their translations until both are finished.

    Attributes:
        captions: captions that are not finished, or wait for an earlier one that is not, by id.
        translations: the newest translation of each.
    """

    def __init__(self, *, translated: bool, labelled: bool = False) -> None:
        self.captions: dict[int, Caption] = {}
        self.translations: dict[int, Translation] = {}
        self._translated = translated
        self._labelled = labelled
        self._waiting: list[int] = []  # captions whose final translation is to come, in its order
        self._unlabelled: set[int] = set()  # captions whose speaker is to be told apart
        self._named: dict[int, str] = {}

    def add(self, shown: Written) -> None:
        """Add a caption, translation or label; one whose caption is gone is ignored."""
        if isinstance(shown, SpeakerLabel):
            self._label(shown)
            return
        if isinstance(shown, Caption) and shown.first_text and not self._is_waited_for(shown):
            return  # its line is printed
        if isinstance(shown, Translation):
            if shown.id in self.captions:
                self.translations[shown.id] = shown
            if shown.final and shown.id in self._waiting:
                del self._waiting[: self._waiting.index(shown.id) + 1]
        elif not (shown.committed or shown.pending):  # all words withdrawn: nothing may wait for this caption
            self.captions.pop(shown.id, None)
        else:
            unsure = UNSURE if self._labelled else ""
            self.captions[shown.id] = replace(shown, speaker=self._named.get(shown.id, shown.speaker) or unsure)
            if shown.final and self._labelled and not shown.is_gap and shown.id not in self._named:
                self._unlabelled.add(shown.id)
            if shown.final and self._translated and shown.id not in self._waiting:
                self._waiting.append(shown.id)

    def _is_waited_for(self, caption: Caption) -> bool:
        """Return whether the line of a better caption, or of a part of one, is not printed yet."""
        read = {each.first_text for each in self.captions.values()}
        return caption.id in self.captions or caption.first_text in read

    def _label(self, label: SpeakerLabel) -> None:
        caption = self.captions.get(label.id)
        self._unlabelled.discard(label.id)
        if caption is not None:
            self._named[label.id] = label.speaker or caption.speaker
            self.captions[label.id] = replace(caption, speaker=self._named[label.id])

    def release(self) -> None:
        """Make no present caption wait for a translation."""
        self._waiting.clear()

    def release_all(self) -> None:
        """Make no present caption wait for a translation or a speaker."""
        self._waiting.clear()
        self._unlabelled.clear()

    def finished(self) -> list[tuple[Caption, Translation | None]]:
        """Remove and return, in order, what will not change any more; an unfinished translation is dropped."""
        done: list[tuple[Caption, Translation | None]] = []
        while self.captions and self._is_finished(first := self.in_order[0]):
            self._named.pop(first.id, None)
            translation = self.translations.pop(first.id, None)
            whole = translation is not None and translation.final
            done.append((self.captions.pop(first.id), translation if whole else None))
        return done

    @property
    def in_order(self) -> list[Caption]:
        """Return the captions by their time: a part of one has a later number."""
        return sorted(self.captions.values(), key=lambda each: (each.start, each.id))

    def clear(self) -> None:
        self.captions.clear()
        self.translations.clear()

    def _is_finished(self, caption: Caption) -> bool:
        return caption.final and caption.id not in self._waiting and caption.id not in self._unlabelled
