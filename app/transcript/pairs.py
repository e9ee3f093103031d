"""Captions and their translations, put together until both are finished. No Qt."""

from __future__ import annotations

from engine.events import Caption, Translation


class Pairs:
    """Captions with their translations until both are finished.

    Attributes:
        captions: captions that are not finished, or wait for an earlier one that is not, by id.
        translations: the newest translation of each.
    """

    def __init__(self, *, translated: bool) -> None:
        self.captions: dict[int, Caption] = {}
        self.translations: dict[int, Translation] = {}
        self._translated = translated
        self._waiting: list[int] = []  # captions whose final translation is to come, in its order

    def add(self, shown: Caption | Translation) -> None:
        """Add a caption or translation; a translation whose caption is gone is ignored."""
        if isinstance(shown, Caption) and shown.first_text and shown.id not in self.captions:
            return  # its line is printed
        if isinstance(shown, Translation):
            if shown.id in self.captions:
                self.translations[shown.id] = shown
            if shown.final and shown.id in self._waiting:
                del self._waiting[: self._waiting.index(shown.id) + 1]
        elif not (shown.committed or shown.pending):  # all words withdrawn: nothing may wait for this caption
            self.captions.pop(shown.id, None)
        else:
            self.captions[shown.id] = shown
            if shown.final and self._translated and shown.id not in self._waiting:
                self._waiting.append(shown.id)

    def release(self) -> None:
        """Make no present caption wait for a translation."""
        self._waiting.clear()

    def finished(self) -> list[tuple[Caption, Translation | None]]:
        """Remove and return, in order, what will not change any more; an unfinished translation is dropped."""
        done: list[tuple[Caption, Translation | None]] = []
        while self.captions and self._is_finished(first := self.captions[min(self.captions)]):
            translation = self.translations.pop(first.id, None)
            whole = translation is not None and translation.final
            done.append((self.captions.pop(first.id), translation if whole else None))
        return done

    def clear(self) -> None:
        self.captions.clear()
        self.translations.clear()

    def _is_finished(self, caption: Caption) -> bool:
        return caption.final and caption.id not in self._waiting
