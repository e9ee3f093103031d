"""Files that follow captions while they run, for OBS and scripts: the newest lines, and subtitles that grow. No Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal, Protocol

from app.history.export.bilingual import bilingual_cues
from app.history.export.cues import LINE_CELLS, MAX_LINES
from app.history.export.formats import ExportError, begun_by_name, check_place, srt_block, write_file
from app.look.text_layout import folded
from app.transcript.caption_text import UNSURE, composed, composed_translation
from app.transcript.pairs import Pairs
from engine.errors import OptionError, reason_of
from engine.events import Caption, SpeakerLabel, Translation, Written

LIVE_ENDINGS = (".txt", ".srt")
_KEPT_CAPTIONS = 4  # more than fill the lines


class LiveFile(Protocol):
    """A file that follows captions; each method raises ExportError where it cannot be written."""

    path: Path

    def show(self, shown: Written) -> None: ...

    def release(self) -> None:
        """Note that no translation of the captions shown so far will come."""
        ...

    def close(self) -> None: ...


def check_live_file(path: Path) -> None:
    """Refuse a file that could not be written. Raises OptionError for its ending, ExportError for its place."""
    if path.suffix.lower() not in LIVE_ENDINGS:
        raise OptionError(f"A live file ends in {' or '.join(LIVE_ENDINGS)}, not as {path.name}.")
    check_place(path)


def live_file(path: Path, *, translated: bool, labelled: bool = False) -> LiveFile:
    """Begin a file by its ending; an existing one is replaced."""
    check_live_file(path)
    if path.suffix.lower() == ".srt":
        return GrowingSubtitles(path, translated=translated, labelled=labelled)
    return NewestLines(path, labelled=labelled)


class NewestLines:
    """A text file that always holds the newest two lines, with those of their translation below.

    Words that may still change are among them. The file is empty before the first word and after the last. It is
    replaced as a whole, so that nobody reads half a line.
    """

    def __init__(self, path: Path, *, labelled: bool = False) -> None:
        """Begin the file; where captions are `labelled`, a dash stands for a speaker who is not sure yet."""
        self.path = path
        self._unsure = UNSURE if labelled else ""
        self._captions: dict[int, Caption] = {}
        self._translations: dict[int, Translation] = {}
        self._written: str | None = None
        self._write("")

    def show(self, shown: Written) -> None:
        """Show a newer state of a caption or translation, or a speaker."""
        if isinstance(shown, SpeakerLabel):
            if shown.speaker and shown.id in self._captions:
                self._captions[shown.id] = replace(self._captions[shown.id], speaker=shown.speaker)
        elif isinstance(shown, Translation):
            if shown.id in self._captions:
                self._translations[shown.id] = shown
        elif not (shown.committed or shown.pending):
            self._captions.pop(shown.id, None)
        elif not shown.first_text:  # a line that was read does not change
            self._captions[shown.id] = replace(shown, speaker=shown.speaker or self._unsure)
            for old in sorted(self._captions)[:-_KEPT_CAPTIONS]:
                del self._captions[old]
                self._translations.pop(old, None)
        captions = [self._captions[number] for number in sorted(self._captions)]
        translations = [self._translations[each.id] for each in captions if each.id in self._translations]
        names = ["", *(each.speaker for each in captions)]
        spoken = _last_lines(
            composed(each, named=each.speaker != before)[0] for each, before in zip(captions, names, strict=False)
        )
        read = _last_lines(composed_translation(each.text) for each in translations)
        self._write("".join(f"{line}\n" for line in (*spoken, *read)))

    def release(self) -> None:
        """Do nothing: no line waits for its translation here."""

    def close(self) -> None:
        """Empty the file, so that nobody takes the last words for new ones."""
        self._write("")

    def _write(self, text: str) -> None:
        if text != self._written:
            self._written = text
            write_file(self.path, text.encode(), lasts=False)


class GrowingSubtitles:
    """A SubRip file to which each caption is added once it is finished, with its translation if there is one.

    What stands in it does not change any more.
    """

    def __init__(self, path: Path, *, translated: bool, labelled: bool = False) -> None:
        self.path = path
        self._pairs = Pairs(translated=translated, labelled=labelled)
        self._cues = 0
        self._written: set[int] = set()
        self._ends: dict[str, int] = {}  # of the last cue of each speaker, in milliseconds
        self._add("", "w")

    def show(self, shown: Written) -> None:
        """Receive a newer state of a caption or translation, or a speaker."""
        if shown.id not in self._written:  # what a reader has does not change
            self._pairs.add(shown)
            self._write_finished()

    def release(self) -> None:
        """Write captions that waited for a translation."""
        self._pairs.release()
        self._write_finished()

    def close(self) -> None:
        """Write what waited."""
        self._pairs.release_all()
        self._write_finished()

    def _write_finished(self) -> None:
        for caption, translation in self._pairs.finished():
            self._written.add(caption.id)
            below = {caption.id: translation} if translation is not None else {}
            # The next caption is not known yet: a cue stays at most for what has been heard.
            heard_seconds = max(caption.audio_seconds, caption.end)
            for cue in bilingual_cues([begun_by_name(caption)], below, heard_seconds):
                start = max(cue.start_ms, self._ends.get(cue.speaker, 0))
                end = self._ends[cue.speaker] = max(cue.end_ms, start + 1)
                block = srt_block(self._cues + 1, replace(cue, start_ms=start, end_ms=end))
                self._add("\n" * bool(self._cues) + block, "a")
                self._cues += 1

    def _add(self, text: str, mode: Literal["a", "w"]) -> None:
        try:
            with self.path.open(mode, encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            raise ExportError(f"Cannot write {self.path}: {reason_of(error)}.") from error


def _last_lines(texts: Iterable[str]) -> list[str]:
    return [line for text in texts for line in folded(text, LINE_CELLS)][-MAX_LINES:]
