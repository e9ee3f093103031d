"""Speakers of live captions: a label once it is sure, and better labels for the transcript at the end.

A window is heard when a finished caption waits for its label, at most every few seconds, so silence costs nothing.
At the end all windows are grouped as those of a recording are, and labels that come out otherwise are sent again.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count, pairwise
from typing import TYPE_CHECKING

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.buffer import AudioBuffer
from engine.errors import error_sentence
from engine.events import FIRST_CAPTION, Caption, Incident, KnownVoice, SpeakerLabel, Word
from engine.speakers.diarization import label_people
from engine.speakers.local_speakers import SPEAKS, HeardWindow
from engine.speakers.segmentation import FRAME_CENTRE_SECONDS, FRAME_SECONDS, WINDOW_SAMPLES, WINDOW_SECONDS
from engine.speakers.turns import LAG_SECONDS, turns_of
from engine.speakers.voice_book import VoiceBook
from engine.speakers.words import TurnWords, steady

if TYPE_CHECKING:
    from engine.clock import Clock
    from engine.speakers.local_speakers import LocalSpeakers

LEAST_STEP_SECONDS = 3.0
"""Shortest time from one window's end to the next."""

MOST_STEP_SECONDS = 8.0
"""Longest time from one window's end to the next while somebody speaks."""

SETTLED_SECONDS = 0.3
"""Audio behind a caption that its window must hold."""

KEPT_SECONDS = 45.0
"""Audio that is kept for windows. A caption that waits longer gets no label before the end."""

KEPT_WINDOWS = 4
"""Newest windows that captions are labelled by."""

MOST_WINDOWS_OF_A_CAPTION = 2
"""Windows after which a caption that is still not sure stays without a label until the end."""

SURE_SHARE = 0.7
"""Least share of a caption's words that have its speaker."""

LEAST_TURN_SECONDS = 0.6
"""Shortest speech of each of two voices between which an open caption ends."""


class LiveLabels:
    """Labels the captions of one stream with their speakers. All methods are for one thread.

    Attributes:
        seconds: computation so far.
        heard: number of windows that were heard.
        report: receives incidents.
    """

    def __init__(
        self,
        networks: LocalSpeakers,
        clock: Clock,
        start_seconds: float,
        *,
        name: Callable[[int], str] = "Speaker {}".format,
        known: Sequence[KnownVoice] = (),
        ids: Iterator[int] | None = None,
    ) -> None:
        """Label captions of a stream whose first sample stands at `start_seconds`.

        The nth voice is called `name(n)`, from 1 on, unless it is one of the `known` ones. `ids` numbers new captions.
        """
        self.seconds = 0.0
        self.heard = 0
        self._networks = networks
        self._clock = clock
        self.report: Callable[[Incident], None] = lambda incident: None
        self._has_failed = False
        self._start_seconds = start_seconds
        self._audio = AudioBuffer(KEPT_SECONDS, start_seconds)
        self._book = VoiceBook(name, known)
        self._windows: list[HeardWindow] = []  # in seconds since the first sample
        self._names: list[str] = []  # of each person of each window, as they were when it was heard
        self._recent: deque[tuple[HeardWindow, list[str]]] = deque(maxlen=KEPT_WINDOWS)
        self._heard_until = start_seconds
        self._spoken_until = start_seconds  # end of the newest word
        self._ids = count(FIRST_CAPTION) if ids is None else ids
        self._captions: dict[int, Caption] = {}
        self._waiting: dict[int, int] = {}  # the captions without a label, and the windows that they were looked for in
        self._shown: dict[int, str] = {}
        self._looked_at: tuple[int, int, float] | None = None  # what a turn was last looked for in
        self._ready: deque[SpeakerLabel] = deque()
        self._running: Generator[None, None, HeardWindow] | None = None

    def add(self, samples: Samples) -> None:
        """Keep the next samples (n,) of the stream."""
        self._audio.append(samples)

    def offer(self, captions: Iterable[Caption]) -> None:
        """Note captions that have changed; final ones wait for their label, better words keep the one they have."""
        for caption in captions:
            words = caption.committed or caption.pending
            if not words or caption.is_gap:
                continue
            self._spoken_until = max(self._spoken_until, words[-1].end)
            if caption.final:
                self._captions[caption.id] = caption
                if caption.id not in self._shown:
                    self._waiting.setdefault(caption.id, 0)

    def turn_within(self, words: Sequence[Word]) -> int:
        """Return at which of an open caption's words another voice begins; 0 if nothing new says so."""
        known = [word for word in words if word.end <= self._heard_until]
        state = self.heard, len(known), words[0].start if words else 0.0
        if state == self._looked_at:
            return 0
        self._looked_at = state
        said = [self._speaker_at((word.start + word.end) / 2 - self._start_seconds) for word in known]
        for at in range(1, len(said)):
            said[at] = said[at] or said[at - 1]
        return next(iter(_turns(known, steady(known, said))), 0)

    @property
    def busy(self) -> bool:
        """Return whether a step would do anything now."""
        return bool(self._ready) or (not self._has_failed and (self._running is not None or self._is_due))

    def step(self) -> SpeakerLabel | None:
        """Work for about one pass of a network; return a label, once there is one."""
        if not self._ready:
            started = self._clock.timer()
            self._work()
            self._clock.spend_since(started)
            self.seconds += self._clock.timer() - started
        return self._ready.popleft() if self._ready else None

    def finish(self, *, split: bool = False) -> Iterator[SpeakerLabel | Caption]:
        """Label all captions that wait, then send better labels; no more audio will come.

        Captions in which several voices turn out to speak are `split`: see engine.events.Caption.
        """
        while not self._has_failed and (self._running is not None or self._has_unheard_words):
            self._work(at_end=True)
        for caption in list(self._waiting):
            self._settle(caption, "")
        yield from self._ready
        self._ready.clear()
        yield from self._better_labels(split=split)

    @property
    def _has_unheard_words(self) -> bool:
        return self._spoken_until > self._heard_until and self._audio.end_seconds > self._heard_until

    @property
    def _is_due(self) -> bool:
        since = self._audio.end_seconds - self._heard_until
        if since < LEAST_STEP_SECONDS:
            return False
        if since >= MOST_STEP_SECONDS and self._has_unheard_words:
            return True
        reached = self._audio.end_seconds - SETTLED_SECONDS
        return any(self._captions[each].committed[-1].end <= reached for each in self._waiting)

    def _work(self, *, at_end: bool = False) -> None:
        try:
            if self._running is None:
                self._running = self._begin(at_end=at_end)
            next(self._running)
        except StopIteration as end:
            self._running = None
            self._take(end.value)
        except Exception as error:  # whatever a model may raise: the captions themselves have not failed
            self._running, self._has_failed = None, True
            for caption in list(self._waiting):
                self._settle(caption, "")
            self.report(Incident(f"Speakers are not told apart any more: {error_sentence(error)}"))

    def _begin(self, *, at_end: bool) -> Generator[None, None, HeardWindow]:
        """Begin to hear the newest window, or an older one where words between the last one and it were not heard."""
        oldest, newest = self._audio.start_seconds, self._audio.end_seconds
        begin = max(oldest, newest - WINDOW_SECONDS)
        unheard = [
            word.start
            for caption in self._waiting
            for word in self._captions[caption].committed
            if self._heard_until <= word.start < begin
        ]
        if unheard:
            begin = max(oldest, min(unheard) - SETTLED_SECONDS)
        elif at_end:
            begin = max(oldest, min(begin, self._heard_until))
        self._heard_until = min(newest, begin + WINDOW_SECONDS)
        first = round(begin * SAMPLE_RATE_HZ) - self._audio.start_sample
        samples = self._audio.samples[max(0, first) :][:WINDOW_SAMPLES]
        return self._networks.stages(samples, begin - self._start_seconds)

    def _take(self, window: HeardWindow) -> None:
        """Name the people of a window that was heard, and label the captions in it."""
        self.heard += 1
        prints = [(each.voice_print, each.alone_seconds) for each in window.people if each.voice_print is not None]
        self._book.add(prints)
        found = iter(self._book.names([values for values, _ in prints]))
        names = ["" if each.voice_print is None else next(found) for each in window.people]
        self._windows.append(window)
        self._names += names
        self._recent.append((window, names))
        for caption in list(self._waiting):
            words = self._captions[caption].committed
            if words[-1].end > self._heard_until:
                continue
            name, self._waiting[caption] = self._speaker_of(words), self._waiting[caption] + 1
            if name or self._waiting[caption] >= MOST_WINDOWS_OF_A_CAPTION:
                self._settle(caption, name)

    def _settle(self, caption: int, name: str) -> None:
        del self._waiting[caption]
        self._shown[caption] = name
        self._ready.append(SpeakerLabel(caption, name, self._book.voice(name)))

    def _speaker_of(self, words: Sequence[Word]) -> str:
        """Return the speaker of most of these words; empty if nobody says enough of them."""
        said = Counter[str]()
        for word in words:
            said[self._speaker_at((word.start + word.end) / 2 - self._start_seconds)] += 1
        name, count = said.most_common(1)[0]
        return name if count >= SURE_SHARE * len(words) else ""

    def _speaker_at(self, second: float) -> str:
        """Return the name of the person who most probably speaks, by the newest window that knows it."""
        for window, names in reversed(self._recent):
            frame = round((second - LAG_SECONDS - window.start_seconds - FRAME_CENTRE_SECONDS) / FRAME_SECONDS)
            if window.people and 0 <= frame < len(window.people[0].activity):
                chances = [float(person.activity[frame]) for person in window.people]
                best = int(np.argmax(chances))
                if chances[best] > SPEAKS and names[best]:
                    return names[best]
        return ""

    def _better_labels(self, *, split: bool) -> Iterator[SpeakerLabel | Caption]:
        """Group all windows, and yield the labels of captions that come out otherwise than they were shown."""
        labels = label_people(self._windows)
        people = [person for window in self._windows for person in window.people]
        votes = dict[tuple[int, str], float]()
        for person, label, name in zip(people, labels, self._names, strict=True):
            if label >= 0 and name:
                votes[int(label), name] = votes.get((int(label), name), 0.0) + person.alone_seconds
        called = dict[int, str]()
        for label, name in sorted(votes, key=lambda key: -votes[key]):
            if label not in called and name not in called.values():
                called[label] = name
        turns = turns_of(self._windows, labels)
        names = {
            label: called.get(label) or self._book.new_name() for label in sorted({turn.speaker for turn in turns})
        }
        speakers = TurnWords(turns, lambda label: names[label])
        for caption in list(self._captions.values()):
            words = caption.committed
            said = speakers([word.delayed(-self._start_seconds) for word in words])
            places = [0, *(_turns(words, said) if split else ()), len(words)]
            for part, (begin, end) in enumerate(pairwise(places)):
                number = caption.id if part == 0 else next(self._ids)
                if len(places) > 2:
                    yield _part(caption, words[begin:end], number)
                name = Counter(said[begin:end]).most_common(1)[0][0]
                if name and name != self._shown.get(number, ""):
                    self._shown[number] = name
                    yield SpeakerLabel(number, name, self._book.voice(name))


def _turns(words: Sequence[Word], said: Sequence[str]) -> list[int]:
    """Return at which words another voice begins, by who says each: those between which both speak for long enough."""
    places = [0, *(at for at in range(1, len(said)) if said[at] != said[at - 1]), len(said)]
    return [
        turn
        for begin, turn, end in zip(places, places[1:], places[2:], strict=False)
        if said[begin]
        and min(words[turn - 1].end - words[begin].start, words[end - 1].end - words[turn].start) >= LEAST_TURN_SECONDS
    ]


def _part(caption: Caption, words: tuple[Word, ...], number: int) -> Caption:
    """Return the caption of one voice in a caption of several; the first part has the number of the whole."""
    return replace(
        caption,
        id=number,
        revision=caption.revision + 1 if number == caption.id else 0,
        start=words[0].start,
        end=words[-1].end,
        committed=words,
        first_text=caption.first_text or caption.text,
        moved=caption.moved if number == caption.id else len(words),
    )
