"""The app as it is, on trial: `python -m` with a JSON object prints what happens, a JSON object a line.

It captions a tape. Now and then something goes wrong (`faults`), and when words appear again, the next thing may.
What is shown as committed is printed at once, so that it is known however this process ends.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.captions.figures import WORD_LATENCY, Sample
from app.captions.session import State, Status
from app.engine_link.engine_client import EngineClient
from app.preferences.preferences import Preferences
from app.sound.audio_sources import demo_clip, demo_script
from app.start import spare_the_collector
from engine.events import Translation
from engine.models.catalogue import catalogue
from engine.process.messages import Progress
from engine.turns import Turn
from lab.bench.captions.clips import Clip, read_manifest
from lab.commands.endurance.faults import FAULTS, QUESTIONS, SAVED, UNSAVED, Steps, Subject, Until
from lab.commands.endurance.played_tape import PlayedTape
from lab.commands.endurance.sound_faults import SOUND_FAULTS
from lab.commands.endurance.tape import Tape
from lab.commands.private_sound_server import sound_server_of_its_own
from lab.commands.window.event_loop_watch import EventLoopWatch
from lab.commands.window.process_load import cpu_seconds, holdings_of
from lab.commands.window.transcript_load import transcript_megabytes

MOMENT_MILLISECONDS = 60_000
"""Seconds of speech between two counts and between two questions, however fast it is played."""

RESTART_MILLISECONDS = 1_000
LOOK_MILLISECONDS, TOLD_SECONDS = 100, 180.0
"""Seconds between two looks whether the app reports what is so, and the longest time that it may take on a busy
machine."""

BETWEEN_FAULTS_SECONDS = (0.5, 4.0)
STUCK_MILLISECONDS, STUCK_COMPUTING_SECONDS, MOST_STUCK_SECONDS = 180_000, 60.0, 800.0
"""No word for so long, though somebody speaks: it does not go on. Where others have taken the processor, it may take
longer, until this one has computed for a minute."""

ASKS_EVERY_MILLISECONDS = 120_000


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a trial.

    Attributes:
        seconds: of the clock; it ends earlier when its faults are through.
        faults: how many things go wrong.
        names: which ones.
        translates: into which language; "" where not.
        through_server: a microphone of a sound server hears the tape.
    """

    folder: str
    manifest: str
    model: str = "starter"
    seconds: float = 60.0
    speed: float = 1.0
    faults: int = 0
    names: tuple[str, ...] = ()
    seed: int = 1
    translates: str = "de"
    asks: bool = False
    through_server: bool = False


class Trial(QObject):
    """Runs the app by a plan and prints what happens."""

    def __init__(self, subject: Subject, plan: Plan) -> None:
        super().__init__()
        self._subject, self._plan = subject, plan
        self._source = subject.room.source if subject.room else subject.tape
        self._random = Random(plan.seed)
        self._left = plan.faults
        self._told: dict[int, int] = {}
        self._delays: list[float] = []
        self._fault, self._steps = "", _none()
        self._behind = 0.0
        self._answers = self._translations = 0
        self._awaited_since = self._computed_before = 0.0
        self._is_ending = False
        self._began = time.monotonic()
        self._watch = EventLoopWatch(self)
        self._next_fault = QTimer(self, singleShot=True)
        self._next_fault.timeout.connect(self._go_wrong)
        self._stuck = QTimer(self, singleShot=True, interval=STUCK_MILLISECONDS)
        self._stuck.timeout.connect(self._note_stuck)
        self._moments = QTimer(self, interval=round(MOMENT_MILLISECONDS / plan.speed))
        self._moments.timeout.connect(self._tell_moment)
        self._questions = QTimer(self, interval=round(ASKS_EVERY_MILLISECONDS / plan.speed))
        self._questions.timeout.connect(lambda: subject.app.assistant.ask(self._random.choice(QUESTIONS)))
        self._connect(subject.app)

    def _connect(self, app: Application) -> None:
        session = app.session
        session.captions.rowsInserted.connect(lambda _, first, last: self._tell_words(first, last))
        session.captions.dataChanged.connect(lambda first, last: self._tell_words(first.row(), last.row()))
        session.figure_measured.connect(self._note_figure)
        session.began.connect(lambda: self._tell("began", session.captions.next_id))
        if self._subject.room:
            session.time_passed.connect(self._subject.room.play_once)
            session.finished.connect(self._subject.room.rest)
        session.engine_crashed.connect(session.restart_engine)  # as a person does who is asked
        session.status_changed.connect(self._note_status)
        session.failed.connect(self._note_failure)
        session.noticed.connect(self._subject.said.append)
        for keeper in (app.archive, app.settings):
            keeper.unsaved.connect(lambda why: self._subject.said.append(f"{UNSAVED}: {why}" if why else SAVED))
        app.client.progressed.connect(self._note_progress)
        app.client.translation_changed.connect(self._count_translation)
        app.assistant.turn_ended.connect(self._count_answer)

    def start(self) -> None:
        """Begin to caption."""
        self._subject.app.session.start(self._source)
        self._watch.start()
        self._moments.start()
        if self._plan.asks:
            self._questions.start()
        QTimer.singleShot(round(1000 * self._plan.seconds), self, self.end)
        self._plan_fault()

    def _tell(self, what: str, about: object) -> None:
        print(json.dumps({"what": what, "about": about, "at": round(time.monotonic(), 3)}), flush=True)

    def _tell_words(self, first: int, last: int) -> None:
        model = self._subject.app.session.captions
        for row in range(first, last + 1):
            caption = model.caption_at(row)
            if caption.committed and self._told.get(caption.id) != len(caption.committed):
                self._told[caption.id] = len(caption.committed)
                self._tell("words", [caption.id, caption.text])

    def _note_figure(self, sample: Sample) -> None:
        if sample.figure == WORD_LATENCY:
            self._delays.append(sample.value)

    def _count_translation(self, translation: Translation) -> None:
        self._translations += translation.final

    def _count_answer(self, turn: Turn) -> None:
        self._answers += bool(turn.reply)

    def _tell_moment(self) -> None:
        """Print what the processes have, and how late the words of the last minute were."""
        self._tell_stall()
        names = {os.getpid(): "window", self._subject.app.client.process_id: "hearing"}
        names[self._subject.talks.process_id] = "assistant"
        holdings = holdings_of(os.getpid())
        private = dict[str, float]()
        for process, each in holdings.items():
            name = names.get(process, "others")
            private[name] = private.get(name, 0.0) + each.private_megabytes
        self._tell(
            "moment",
            {
                "seconds": time.monotonic() - self._began,
                "megabytes": sum(each.megabytes for each in holdings.values()),
                "private_megabytes": private,
                "threads": sum(each.threads for each in holdings.values()),
                "handles": sum(each.handles for each in holdings.values()),
                "history_megabytes": self._subject.app.archive.path.stat().st_size / 1e6,
                "delay_seconds": sorted(self._delays)[len(self._delays) // 2] if self._delays else None,
                "behind_seconds": self._behind,
                "answers": self._answers,
                "translations": self._translations,
            },
        )
        self._delays.clear()
        self._behind = 0.0

    def _tell_stall(self) -> None:
        """Print the longest computation of the window between two turns since the last print."""
        self._tell("stall", round(self._watch.longest_work_seconds, 3))
        self._watch.work.clear()
        self._watch.waits.clear()

    # --- what goes wrong ---

    def _plan_fault(self) -> None:
        if self._left and not self._is_ending:
            self._next_fault.start(round(1000 * self._random.uniform(*BETWEEN_FAULTS_SECONDS)))

    def _go_wrong(self) -> None:
        if self._is_ending:
            return
        self._left -= 1
        name = self._random.choice(self._plan.names or tuple(FAULTS))
        self._tell("fault", name)
        self._tell_stall()
        self._fault, self._steps = name, (FAULTS | SOUND_FAULTS)[name](self._subject, self._random) or _none()
        self._go_on()

    def _go_on(self) -> None:
        """Run the fault's next step; behind the last, wait for words."""
        try:
            step = next(self._steps, None)
        except (OSError, subprocess.SubprocessError) as error:
            self._tell("failed", f"{self._fault} could not be done: {error}")
            step = None
        if self._is_ending:
            return
        if step is None:
            self._await_words()
        elif isinstance(step, Until):
            self._await(step, time.monotonic() + TOLD_SECONDS)
        else:
            QTimer.singleShot(round(1000 * step), self, self._go_on)

    def _await(self, step: Until, until: float) -> None:
        if self._is_ending:
            return
        if not step.holds() and time.monotonic() < until:
            QTimer.singleShot(LOOK_MILLISECONDS, self, partial(self._await, step, until))
            return
        if not step.holds():
            self._tell("untold", f"{self._fault}: not within {TOLD_SECONDS:g} s that {step.what}")
        self._go_on()

    def _await_words(self) -> None:
        self._stuck.start()
        self._awaited_since, self._computed_before = time.monotonic(), cpu_seconds(os.getpid())

    def _note_progress(self, progress: Progress) -> None:
        if self._stuck.isActive():
            self._stuck.stop()
            if self._left:
                self._plan_fault()
            elif self._plan.faults:
                self.end()

    def _note_failure(self, message: str) -> None:
        self._subject.said.append(message)
        if not any(word in message for word in self._subject.excused):
            self._tell("failed", message)

    def _note_stuck(self) -> None:
        computed = cpu_seconds(os.getpid()) - self._computed_before
        if computed < STUCK_COMPUTING_SECONDS and time.monotonic() - self._awaited_since < MOST_STUCK_SECONDS:
            self._stuck.start()
            return
        self._tell("stuck", self._subject.app.session.status.state.name)
        self.end()

    # --- the end ---

    def _note_status(self, status: Status) -> None:
        self._subject.said.append(status.state.name)
        self._behind = max(self._behind, status.behind_seconds)
        if status.state not in (State.FINISHED, State.IDLE):
            return
        if self._is_ending:
            QTimer.singleShot(0, self._leave)
        else:  # a fault has ended the recording
            QTimer.singleShot(RESTART_MILLISECONDS, self, self._start_again)

    def _start_again(self) -> None:
        if not self._is_ending:
            self._subject.app.session.start(self._source)

    def end(self) -> None:
        """Let what was said be heard, then leave."""
        if self._is_ending:
            return
        self._is_ending = True
        self._steps.close()
        self._stuck.stop()
        self._tell_stall()
        session = self._subject.app.session
        session.stop() if session.is_busy else self._leave()

    def _leave(self) -> None:
        self._tell_moment()
        app = self._subject.app
        self._tell("transcript", transcript_megabytes(app.session.captions, app.captions_page.stage.captions.size()))
        self._subject.app.window.leave()


def recordings(manifest: str) -> list[Clip]:
    """Return the recordings of a manifest in English, or the demo's where none is given."""
    if manifest:
        return read_manifest(Path(manifest), ("en",))
    return [Clip("demo", demo_script()["text"], file=demo_clip())]


def _chosen(plan: Plan, preferences: Preferences) -> Preferences:
    return replace(
        preferences,
        models=replace(preferences.models, hearing=plan.model),
        behaviour=replace(preferences.behaviour, welcomed=True, speaks=False),
        translates=bool(plan.translates),
        translation=replace(preferences.translation, target=plan.translates or "de"),
    )


def main(plan: Plan) -> int:
    """Run the app by a plan."""
    tape = Tape.of(recordings(plan.manifest), plan.speed)
    with ExitStack() as over:
        room = None
        if plan.through_server:
            room = PlayedTape(over.enter_context(sound_server_of_its_own(Path(plan.folder))), tape)
            room.plug_in()
            over.callback(room.rest)
        _run(plan, tape, room)
    print(json.dumps({"what": "end", "about": None, "at": time.monotonic()}), flush=True)
    return 0


def _run(plan: Plan, tape: Tape, room: PlayedTape | None) -> None:
    qt = QApplication(sys.argv[:1])
    qt.setQuitOnLastWindowClosed(False)
    talks = EngineClient()
    folder = Path(plan.folder)
    model = _copy_of_model(plan) if "model deleted" in plan.names else None
    chosen = replace(plan, model=str(model)) if model else plan
    application = Application(qt, folder, assistant_client=talks, given=partial(_chosen, chosen))
    application.window.left.connect(qt.quit)
    application.start()
    spare_the_collector()
    trial = Trial(Subject(application, talks, folder, tape, room, model), plan)
    for number in (signal.SIGINT, signal.SIGTERM):  # Qt's loop turns often enough to have them noticed
        signal.signal(number, lambda *_: trial.end())
    QTimer.singleShot(0, trial.start)
    qt.exec()


def _copy_of_model(plan: Plan) -> Path | None:
    """Return a copy of the model that hears in the trial's folder, which may be deleted; None where it is not here."""
    entry = catalogue().get(plan.model)
    own = Path(plan.model) if entry is None else entry.local_folder()
    if own is None or not own.is_dir():
        return None
    copy = Path(plan.folder) / "model"
    if not copy.is_dir():
        shutil.copytree(own, copy)
    return copy


def _none() -> Steps:
    yield from ()


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    sys.exit(main(Plan(**{**given, "names": tuple(given.get("names", ()))})))
