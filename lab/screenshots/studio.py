"""The app with its engines left out and made-up content put in, so that it can be pictured in any state."""

from __future__ import annotations

import itertools
import json
import math
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QCoreApplication, QElapsedTimer, QEvent, QEventLoop, QRect, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from app.application import Application
from app.assistant.turn_figures import ANSWER_ACCEPTANCE, ENDPOINT, FIRST_SOUND, PREMADE
from app.captions.figures import (
    CAPTION_ACCEPTANCE,
    CAPTION_ERASURE,
    REAL_TIME_FACTOR,
    TRANSLATION_ACCEPTANCE,
    TRANSLATION_ERASURE,
    WORD_LATENCY,
    Sample,
)
from app.captions.state import State
from app.history.store import HistoryStore
from app.preferences.preferences import Look, Preferences
from app.share.page_server import PageServer
from app.sound.audio_devices import InputDevice
from app.sound.output_devices import OutputDevice
from app.transcript.caption_model import CaptionModel
from app.tuning.replay import Comparison, Replayed, as_record
from engine.events import Caption, Latency, RoundStats, Summary
from engine.process.messages import Progress, Ready
from engine.turns import Turn
from lab.bench.notes.meetings import captions_of, joined, meetings
from lab.screenshots import content
from lab.screenshots.browser import chromium
from lab.screenshots.staged_engine import StagedClient, StagedSource

PATIENCE_SECONDS = 120.0
LAYOUT_ROUNDS = 6
"""Wrapped texts find their height in a second round or a third, however long a busy machine takes for one."""

HERE = "127.0.0.1"
PHONE = 390, 844
"""Width and height of a phone's screen, in the pixels of its pages."""

FILM = QSize(1280, 720)
DEMO_LANGUAGE = "pt"
"""Language into which the demo is translated."""

MEETING_SECONDS = 1800.0
CHUNK_SECONDS = 0.1
SAMPLES = 60
_FIGURES = {
    WORD_LATENCY: (1.1, 0.35),
    REAL_TIME_FACTOR: (0.42, 0.06),
    CAPTION_ERASURE: (0.06, 0.02),
    CAPTION_ACCEPTANCE: (0.74, 0.12),
    TRANSLATION_ERASURE: (0.11, 0.03),
    TRANSLATION_ACCEPTANCE: (0.68, 0.15),
    FIRST_SOUND: (0.62, 0.2),
    ENDPOINT: (0.42, 0.05),
    ANSWER_ACCEPTANCE: (0.8, 0.12),
    PREMADE: (0.7, 0.3),
}
"""Typical value of each figure, and its deviation."""


class Studio:
    """Brings the app into a state and takes pictures of it.

    Attributes:
        app: the Application; its clients start no engine.
        taken: the files that were written.
    """

    def __init__(
        self, qt: QApplication, data_folder: Path, pictures: Path, given: Callable[[Preferences], Preferences]
    ):
        self.pictures = pictures
        self.taken: list[Path] = []
        self._hears, self._answers = StagedClient(), StagedClient()
        self._microphone = StagedSource(content.MICROPHONE)
        self._recorded = 0.0  # seconds
        self._delays = itertools.cycle(content.TYPICAL_DELAYS)
        self._sessions = _keep_history(data_folder / "history" / "history.sqlite")
        self.app = Application(qt, data_folder, self._hears, self._answers, given)
        self.app.devices.found.emit(_INPUTS)
        self.app.devices.outputs_found.emit(_OUTPUTS)

    def take(self, name: str, widget: QWidget | None = None) -> None:
        """Picture a widget, the main window where none is given."""
        self.settle()
        self._keep(name, (widget or self.app.window).grab())

    def take_overlay(self, name: str) -> None:
        """Picture the overlay where it stands, above something like a film."""
        self.settle()
        overlay = self.app.desktop.overlay
        picture = QPixmap(FILM)
        painter = QPainter(picture)
        _paint_film(painter)
        size = overlay.size()
        place = QRect((FILM.width() - size.width()) // 2, FILM.height() - size.height() - 48, 0, 0).topLeft()
        painter.drawPixmap(place, overlay.grab())
        painter.end()
        self._keep(name, picture)

    def take_phone(self, name: str) -> None:
        """Picture the page for others to read in a browser of the size of a phone, where Chromium runs."""
        model = CaptionModel()
        page = PageServer(model)
        page.open(HERE)
        for caption, said in zip(content.demo_captions(), content.DEMO, strict=True):
            model.show(caption)
            model.translate(content.translation_of(caption, said.translation, DEMO_LANGUAGE))
        path = self.pictures / f"{name}.png"
        with (
            TemporaryDirectory(ignore_cleanup_errors=True) as profile,  # the browser may still write there
            suppress(FileNotFoundError),
            chromium(self.settle, Path(profile)) as phone,
        ):
            phone.open(page.url, *PHONE)
            phone.wait_for(f"document.body.innerText.includes({json.dumps(said.text)})")
            phone.picture(path)
            self.taken.append(path)
        page.close()

    def settle(self, until: Callable[[], bool] = lambda: True, seconds: float = 0.15) -> None:
        """Let the window come to rest, and wait for something."""
        clock = QElapsedTimer()
        clock.start()
        rounds = 0
        while clock.elapsed() < 1000 * seconds or rounds < LAYOUT_ROUNDS or not until():
            rounds += 1
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
            if clock.elapsed() > 1000 * PATIENCE_SECONDS:
                raise TimeoutError("What the next picture waits for did not come.")

    def load_models(self) -> None:
        """Report the models of the engine as loaded."""
        self.app.session.prepare()
        self._hears.model_loaded.emit(Ready(content.HEARD_MODEL, "cpu", 2.1))

    def say_demo(self) -> None:
        """Caption the demo, with its translation, up to the middle of a sentence."""
        captions = content.demo_captions()
        self.app.session.start(self._microphone)
        self.app.captions_page.refresh()
        self._hears.session_started.emit()
        for caption, said in zip(captions, content.DEMO, strict=True):
            last = caption is captions[-1]
            for part in content.growing(caption):
                self._show_round(part)
                if last and len(part.committed) == len(caption.committed) - 2:
                    break
            if not last:
                self._show_round(caption)
            translation = content.translation_of(caption, said.translation, DEMO_LANGUAGE, final=not last)
            self._hears.translation_changed.emit(translation)

    def hold_meeting(self) -> None:
        """Caption a meeting of half an hour in place of what was captioned, with notes of it."""
        self._hears.make_notes_here()
        captions = self.app.session.captions
        captions.clear()
        for caption in captions_of(joined(meetings(), MEETING_SECONDS)):
            captions.show(caption)
        self.app.captions_page.notes.refresh()

    def _show_round(self, caption: Caption) -> None:
        """Show a caption some time after its newest word was said."""
        heard = self._record_until(caption.committed[-1].end + next(self._delays))
        self._hears.caption_changed.emit(caption)
        stats = RoundStats(caption.id, 4.0, 0.03, 0.05, 0.01, 5, 14, 6, 9, audio_seconds=heard)
        self._hears.round_measured.emit(stats)
        self._hears.progressed.emit(Progress(heard, speaking=True))

    def finish_captions(self) -> None:
        """End the recording, with its last words written down."""
        last = content.demo_captions()[-1]
        self.app.session.figure_measured.disconnect(self.app.tuning.add_figure)  # its delay is that of the pictures
        self.app.session.stop()
        self._hears.caption_changed.emit(last)
        translation = content.translation_of(last, content.DEMO[-1].translation, DEMO_LANGUAGE)
        self._hears.translation_changed.emit(translation)
        self.settle(lambda: self.app.session.status.state is State.FINISHING)
        latency = Latency(1.1, 1.0, 1.7)
        self._hears.session_finished.emit(Summary("", last.end, len(content.DEMO), 9.0, 0.4, latency, "en"))

    def converse(self) -> None:
        """Hold a conversation of some turns, with the next question being asked."""
        self._answers.language_model_loaded.emit(Ready(content.LANGUAGE_MODEL, "cpu", 3.4, kind="language"))
        for event in content.conversation():
            self._answers.turn_event_came.emit(event)

    def measure(self) -> None:
        """Fill the live charts; half way through a setting is changed, for the better."""
        draw = random.Random(7)
        for half in range(2):
            for at in range(SAMPLES // 2):
                for name, (middle, spread) in _FIGURES.items():
                    value = middle + spread * (draw.gauss(0, 0.5) + 0.4 * math.sin(at / 5))
                    value *= 1.0 if half else 1.25
                    bounded = min(max(value, 0.01), 1.0 if "acceptance" in name or name == PREMADE else value)
                    self.app.tuning.add_figure(Sample(name, time.monotonic(), bounded))
            if not half:
                self.app.settings.alter(_retuned)

    def profile(self) -> None:
        """Show a profile of threads, as if it had just been measured."""
        ways = [
            {
                "cpu_threads": cpu,
                "gpu_threads": 8 - cpu,
                "pipeline": cpu > 2,
                "word_latency_seconds": delay,
                "round_seconds": 0.3,
            }
            for cpu, delay in ((1, 1.62), (2, 1.31), (3, 0.98), (4, 1.14))
        ]
        box = self.app.tuning.pages.threads.profile
        box.run.ended.emit(json.dumps({"allocations": ways, "best": ways[2]}))
        self.load_models()  # as after every profile

    def compare(self) -> QWidget:
        """Open the comparison, as if it had just been made."""
        self.app.tuning.compare()
        dialog = self.app.tuning.comparison
        assert dialog is not None
        text = " ".join(caption.text for caption in content.demo_captions())
        published = Replayed(2.94, 4.81, 0.71, 0.0, 47, text)
        ours = Replayed(1.02, 1.77, 0.38, 0.06, 47, text)
        record = as_record(Comparison(20.0, published, ours))
        dialog.run.ended.emit(json.dumps(record))
        return dialog

    def choose_session(self, name: str) -> None:
        """Show one of the history's sessions."""
        self.app.history_page.choose(self._sessions[name])

    def alter(self, change: Callable[[Preferences], Preferences]) -> None:
        """Change preferences."""
        self.app.settings.alter(change)

    def close(self) -> None:
        """Leave nothing running."""
        self.app.shut_down()
        self.app.window.hide()
        for part in (self.app.window, self.app.theme, self.app):
            part.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)

    def _record_until(self, seconds: float) -> float:
        """Feed the microphone up to a second of the recording, and return that second."""
        while self._recorded < seconds:
            self._microphone.give(CHUNK_SECONDS)
            self._recorded += CHUNK_SECONDS
            QCoreApplication.processEvents()
        return self._recorded

    def _keep(self, name: str, picture: QPixmap) -> None:
        path = self.pictures / f"{name}.png"
        if not picture.save(str(path)):
            raise OSError(f"{path} cannot be written")
        self.taken.append(path)


@contextmanager
def studio(qt: QApplication, pictures: Path, look: Look, language: str, size: QSize) -> Iterator[Studio]:
    """Yield a studio with its window shown in a look, an interface language and a size."""

    def given(now: Preferences) -> Preferences:
        return replace(
            now,
            appearance=replace(now.appearance, look=look, language=language),
            behaviour=replace(now.behaviour, welcomed=True, hotkey="Ctrl+Alt+E"),
            translates=True,
            translation=replace(now.translation, target=DEMO_LANGUAGE),
        )

    with TemporaryDirectory() as folder:
        made = Studio(qt, Path(folder), pictures, given)
        try:
            made.app.window.resize(size)
            made.app.window.show()
            made.settle(lambda: made.app.window.isVisible())
            yield made
        finally:
            made.close()


_INPUTS = (
    InputDevice(0, "built_in", True, content.MICROPHONE),
    InputDevice(1, "headset", False, "USB headset"),
    InputDevice(2, "speakers.monitor", False, "Speakers", True),
)
_OUTPUTS = (OutputDevice("speakers", True, "Speakers"), OutputDevice("headset", False, "USB headset"))


def _retuned(now: Preferences) -> Preferences:
    """Return preferences with every part changed, so that the charts compare with what was before."""
    voice = replace(now.assistant.voice, words_per_minute=185)
    return replace(
        now,
        captions=replace(now.captions, step_seconds=0.6),
        translation=replace(now.translation, bias=0.2),
        assistant=replace(now.assistant, voice=voice),
    )


def _keep_history(path: Path) -> dict[str, int]:
    """Write sessions of several days; return their ids by their names."""
    ids: dict[str, int] = {}
    store = HistoryStore(path)
    now = datetime.now()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    for kept in sorted(content.HISTORY, key=lambda each: -each.ago):
        day = midnight - timedelta(days=kept.ago) + timedelta(hours=kept.hour)
        began = (day if kept.ago else now - timedelta(hours=kept.hour)).timestamp()
        if kept.kind == "captions":
            ids[kept.name] = _keep_captions(store, kept, began)
        else:
            ids[kept.name] = _keep_turns(store, kept, began)
    store.close()
    return ids


def _keep_captions(store: HistoryStore, kept: content.Kept, began: float) -> int:
    session = store.begin("captions", kept.name, kept.source, content.HEARD_MODEL, "en", began)
    second = 1.0
    delays = itertools.cycle(content.TYPICAL_DELAYS)
    for number, said in enumerate(kept.said):
        seconds = content.WORD_SECONDS * len(said.text.split())
        caption = content.caption_of(number, said.text, second, second + seconds)
        for count in range(1, len(caption.committed) + 1):
            words = caption.committed[:count]
            part = replace(caption, committed=words, revision=count)
            store.put_caption(session, part, words[-1].end + next(delays))
        if said.translation:
            store.put_translation(session, content.translation_of(caption, said.translation, "de"))
        second += seconds + 1.2
    if not kept.crashed:
        store.end(session, began + second)
    return session


def _keep_turns(store: HistoryStore, kept: content.Kept, began: float) -> int:
    session = store.begin("conversation", kept.name, "", content.LANGUAGE_MODEL, "en", began)
    for number, (asked, answer) in enumerate(zip(kept.said[::2], kept.said[1::2], strict=True), 1):
        store.put_turn(session, Turn(number, 0, asked.text, answer.text), began + 20.0 * number)
    store.end(session, began + 20.0 * (len(kept.said) // 2) + 4)
    return session


def _paint_film(painter: QPainter) -> None:
    """Dusk above hills."""
    sky = QLinearGradient(0, 0, 0, FILM.height())
    for place, colour in ((0.0, "#27364f"), (0.55, "#b9785b"), (0.7, "#e9b872"), (1.0, "#e9b872")):
        sky.setColorAt(place, QColor(colour))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRect(0, 0, FILM.width(), FILM.height()), sky)
    painter.setPen(Qt.PenStyle.NoPen)
    for colour, height, across, wide in (
        ("#6c5146", 250, -120, 900),
        ("#4d3d3c", 210, 520, 1000),
        ("#2a2528", 130, -200, 1700),
    ):
        painter.setBrush(QColor(colour))
        painter.drawEllipse(across, FILM.height() - height, wide, 2 * height)
