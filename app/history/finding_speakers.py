"""Speakers of a kept transcript, found in its sound: a bar with the progress, and names that can be undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import count, islice
from pathlib import Path

from app.engine_link.engine_client import EngineClient
from app.history.changes import Changes
from app.history.records import Transcript
from app.history.work_bar import WorkBar
from engine.events import Caption, KnownVoice
from engine.process.messages import Progress, SpeakersFound
from engine.speakers.search import SpeakerSearch

MARGIN_SECONDS = 0.1
"""Sound beside a line that is searched with it."""


class SpeakersOfTranscript(WorkBar):
    """Finds the speakers of a transcript.

    Lines that have a speaker already, such as the sides of a call, keep theirs. A line is split where a turn of another
    speaker begins, unless a person has corrected it or it is translated.

    Attributes:
        known_voices: returns the voices that are known by name.
    """

    def __init__(self, changes: Changes, client: EngineClient | None = None) -> None:
        super().__init__(self.tr("The speakers were not found: {}"), client)
        self.progress.setAccessibleName(self.tr("Sound that was searched for speakers"))
        self.label.setText(self.tr("Telling the speakers apart…"))
        self.known_voices: Callable[[], Sequence[KnownVoice]] = lambda: ()
        self._changes = changes
        self._split = ""  # the speaker whose voices are told apart; empty for all of the session
        self._taken: set[str] = set()  # names of the speakers before
        self._whole: set[int] = set()  # captions that are not split: their text, or their translation, is one
        self._client.progressed.connect(self._show_progress)
        self._client.speakers_found.connect(self._keep)

    def begin(self, transcript: Transcript, sound: Path, speaker: str = "") -> None:
        """Find the speakers in the sound of a transcript, and name its lines.

        With a `speaker`, find the two voices in the lines of that speaker: one of them keeps the name.
        """
        meant = lines_of_speaker(transcript, speaker)
        if self.is_busy or transcript.session is None or not meant:
            return
        self._split, self._taken = speaker, {each.speaker for each in transcript.captions}
        self._whole = {*transcript.heard, *transcript.translated}
        if transcript.session.is_running:
            self._whole.update(each.id for each in meant)  # its next lines have the next numbers
        self.progress.setRange(0, 0)
        self._open(transcript.session.id)
        name = self.tr("Speaker {}")
        search = SpeakerSearch(name=name, known=tuple(self.known_voices()))
        if speaker:
            spans = tuple((each.start - MARGIN_SECONDS, each.end + MARGIN_SECONDS) for each in meant)
            search = SpeakerSearch(number=2, name=name, spans=spans)
        self._client.find_speakers(sound, meant, search)

    def _show_progress(self, progress: Progress) -> None:
        self.progress.setRange(0, max(1, round(progress.total_seconds)))
        self.progress.setValue(round(progress.audio_seconds))

    def _keep(self, found: SpeakersFound) -> None:
        session = self._close()
        if session is None:
            return
        names = {caption: said for caption, said in found.names.items() if any(said)}
        whole: dict[int, Sequence[str]] = {
            each: (_most_of(said),) * len(said) if each in self._whole else said for each, said in names.items()
        }
        if self._split:
            whole = self._told_apart(whole)
        people = list(dict.fromkeys(name for said in whole.values() for name in said))
        if not people or people == [self._split]:
            told = self.tr("Only one voice is heard in the lines of “{}”.").format(self._split)
            self.finished.emit(told if self._split else self.tr("Only one person speaks in this session."))
            return
        told = self.tr("{} speakers were found.").format(len(people))
        if self._split:
            told = self.tr("“{}” was split by voice.").format(self._split)
        elif len(people) == 1:
            told = self.tr("Only “{}” speaks in this session.").format(people[0])
        self._changes.name_words(session, whole, self._split, told)

    def _told_apart(self, names: Mapping[int, Sequence[str]]) -> dict[int, Sequence[str]]:
        """Return the speaker's own name for the voice that says most, and a free one for each other voice."""
        free = (name for number in count(1) if (name := self.tr("Speaker {}").format(number)) not in self._taken)
        voices = [voice for voice, _ in Counter(voice for said in names.values() for voice in said).most_common()]
        called = dict(zip(voices, (self._split, *islice(free, len(voices))), strict=False))
        return {caption: [called[voice] for voice in said] for caption, said in names.items()}


def _most_of(names: Sequence[str]) -> str:
    return Counter(names).most_common(1)[0][0]


def lines_of_speaker(transcript: Transcript, speaker: str = "") -> list[Caption]:
    """Return the captions with words of a speaker; of nobody in particular for an empty name."""
    return [caption for caption in transcript.captions if caption.committed and caption.speaker == speaker]
