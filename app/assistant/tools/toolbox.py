"""The app's tools: each carries out a call, and returns its outcome with a way to undo it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from time import time

from PySide6.QtCore import QObject, QStandardPaths

from app.assistant.completed_call import CompletedCall
from app.assistant.conversation_model import ConversationModel
from app.assistant.tools.meeting import Meeting, outcome_of
from app.assistant.tools.timers import Timers
from app.captions.page.captions_page import CaptionsPage
from app.captions.page.text_size import STEP_FACTOR
from app.history.archive import Archive
from app.history.export.exporting import ExportChoice, write_transcript
from app.history.records import Transcript
from app.preferences.preferences import LEAST_POINTS, MOST_POINTS, USUAL_POINTS, Preferences
from app.preferences.settings import Settings
from engine.answer.tools.outcomes import ToolOutcome
from engine.answer.tools.table import INSTEAD
from engine.answer.tools.timers import cancelled, timer_set, timers_left
from engine.errors import EngineError
from engine.translate.targets import translation_targets
from engine.turns import ToolCall

Tell = Callable[[CompletedCall], None]


class Toolbox(QObject):
    """Carries out tool calls of the assistant.

    Attributes:
        timers: the running timers.
    """

    def __init__(
        self,
        page: CaptionsPage,
        conversation: ConversationModel,
        settings: Settings,
        archive: Archive,
        parent: QObject | None = None,
    ) -> None:
        """Work on the captions of a page, a conversation, the preferences and a history."""
        super().__init__(parent)
        self.timers = Timers(self)
        self._page = page
        self._session = page.session
        self._conversation = conversation
        self._settings = settings
        self._meeting = Meeting(page.session.captions.final_captions, archive)
        self._tools: dict[str, Callable[[ToolCall], CompletedCall]] = {
            "start_captions": self._start_captions,
            "stop_captions": self._stop_captions,
            "translate_captions": self._translate_captions,
            "stop_translating": self._stop_translating,
            "text_larger": lambda call: self._scale(STEP_FACTOR),
            "text_smaller": lambda call: self._scale(1 / STEP_FACTOR),
            "text_usual": lambda call: self._set_points(USUAL_POINTS, "text_usual"),
            "mark_place": self._mark_place,
            "export_subtitles": self._export_subtitles,
            "stop": self._stop,
            "timer": self._set_timer,
            "timer_left": self._look_at_timer,
            "cancel_timer": self._cancel_timer,
            "undo": self._undo,
            "last_lines": self._last_lines,
            "missed": self._missed,
        }
        self._searches = {"said_about": "said", "when_about": "when_said"}

    def carry_out(self, call: ToolCall, tell: Tell) -> None:
        """Carry out a call, and pass its outcome to `tell`, now or later; failures are outcomes too."""
        if call.tool in self._searches:
            kind, topic, who = self._searches[call.tool], call.arguments["topic"], call.arguments.get("who", "")
            self._meeting.about(topic, lambda found: tell(CompletedCall(outcome_of(kind, topic, who, found))), who)
            return
        try:
            tell(self._tools[call.tool](call))
        except (EngineError, OSError) as error:
            tell(CompletedCall(ToolOutcome("failed", {"reason": str(error)})))

    # --- captions ---

    def _start_captions(self, call: ToolCall) -> CompletedCall:
        if self._session.is_busy and not self._session.is_paused:
            return CompletedCall(ToolOutcome("captions_running"))
        self._page.start()
        if not (self._session.is_busy or self._page.starts_soon):
            return CompletedCall(ToolOutcome("no_microphone"))
        return CompletedCall(ToolOutcome("captions_started"), self._session.stop)

    def _stop_captions(self, call: ToolCall) -> CompletedCall:
        if not (self._session.is_recording or self._session.is_paused):
            return CompletedCall(ToolOutcome("captions_not_running"))
        self._session.stop()
        return CompletedCall(ToolOutcome("captions_stopped"), self._page.start)

    def _translate_captions(self, call: ToolCall) -> CompletedCall:
        language = call.arguments["language"]
        if language not in translation_targets(self._settings.preferences.models.translation):
            return CompletedCall(ToolOutcome("no_caption_translation", {"language": language}))

        def change(now: Preferences) -> Preferences:
            translation = replace(now.translation, target=language)
            return replace(now, translates=True, translates_by_ear=False, translation=translation)

        return self._alter(change, _with_translation, ToolOutcome("translating", {"language": language}))

    def _stop_translating(self, call: ToolCall) -> CompletedCall:
        if not self._settings.preferences.translates:
            return CompletedCall(ToolOutcome("not_translating"))
        return self._alter(
            lambda now: replace(now, translates=False), _with_translation, ToolOutcome("translating_ended")
        )

    def _mark_place(self, call: ToolCall) -> CompletedCall:
        if not self._session.captions.rowCount():
            return CompletedCall(ToolOutcome("no_captions"))
        view = self._page.stage.captions
        before = view.marks.places
        view.mark_place()
        return CompletedCall(ToolOutcome("marked"), lambda: view.marks.put_back(before))

    def _export_subtitles(self, call: ToolCall) -> CompletedCall:
        captions = self._session.captions
        transcript = Transcript(captions=captions.final_captions(), translations=captions.final_translations())
        if not transcript.captions:
            return CompletedCall(ToolOutcome("no_captions"))
        files = write_transcript(_free_path(self.tr("Captions")), transcript, ExportChoice(".srt"))
        return CompletedCall(ToolOutcome("exported", {"file": files[0].name}), lambda: _remove(files))

    # --- what was said ---

    def _last_lines(self, call: ToolCall) -> CompletedCall:
        return CompletedCall(self._meeting.last_lines(call.arguments))

    def _missed(self, call: ToolCall) -> CompletedCall:
        notes = self._page.notes
        return CompletedCall(self._meeting.missed(call.arguments, notes.notes, notes.starts))

    # --- text ---

    def _scale(self, factor: float) -> CompletedCall:
        points = self._settings.preferences.appearance.points
        wanted = min(max(points * factor, LEAST_POINTS), MOST_POINTS)
        larger = factor > 1
        if wanted == points:
            return CompletedCall(ToolOutcome("text_largest" if larger else "text_smallest"))
        return self._set_points(wanted, "text_larger" if larger else "text_smaller")

    def _set_points(self, points: float, kind: str) -> CompletedCall:
        def change(now: Preferences) -> Preferences:
            return replace(now, appearance=replace(now.appearance, points=points))

        return self._alter(change, _with_points, ToolOutcome(kind))

    # --- time ---

    def _set_timer(self, call: ToolCall) -> CompletedCall:
        seconds, outcome = timer_set(call.arguments, call.language, datetime.now())
        instead = self.timers.newest if INSTEAD in call.arguments else ()
        self.timers.remove(instead)
        made = self.timers.set(seconds, call.language, call.arguments.get("label", ""))

        def undo() -> None:
            self.timers.remove((made,))
            self.timers.put(instead)

        return CompletedCall(outcome, undo)

    def _look_at_timer(self, call: ToolCall) -> CompletedCall:
        return CompletedCall(timers_left(self.timers.running, time(), call.arguments.get("label", "")))

    def _cancel_timer(self, call: ToolCall) -> CompletedCall:
        meant, outcome = cancelled(self.timers.running, call.arguments, time())
        self.timers.remove(meant)
        return CompletedCall(outcome, (lambda: self.timers.put(meant)) if meant else None)

    # --- the conversation ---

    def _stop(self, call: ToolCall) -> CompletedCall:
        """End captions, unless an answer was being spoken: that has fallen silent by now."""
        if self._conversation.was_cut_by(call.turn):
            return CompletedCall(ToolOutcome("stopped"))
        done = self._stop_captions(call)
        return CompletedCall(ToolOutcome("nothing_to_stop")) if done.undo is None else done

    def _undo(self, call: ToolCall) -> CompletedCall:
        number = self._conversation.newest_undoable
        if number is None:
            return CompletedCall(ToolOutcome("nothing_to_undo"))
        self._conversation.undo(number)
        return CompletedCall(ToolOutcome("undone"))

    def _alter(
        self,
        change: Callable[[Preferences], Preferences],
        restore: Callable[[Preferences, Preferences], Preferences],
        outcome: ToolOutcome,
    ) -> CompletedCall:
        """Change preferences; undoing restores the parts that `restore` copies."""
        before = self._settings.preferences
        self._settings.alter(change)
        return CompletedCall(outcome, lambda: self._settings.alter(lambda now: restore(now, before)))


def _with_translation(now: Preferences, before: Preferences) -> Preferences:
    by_ear = before.translates_by_ear
    return replace(now, translates=before.translates, translates_by_ear=by_ear, translation=before.translation)


def _with_points(now: Preferences, before: Preferences) -> Preferences:
    return replace(now, appearance=replace(now.appearance, points=before.appearance.points))


def _free_path(name: str) -> Path:
    """Return a path for a new file of subtitles in the person's documents."""
    location = QStandardPaths.StandardLocation
    folder = Path(QStandardPaths.writableLocation(location.DocumentsLocation) or Path.home())
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{name} {datetime.now():%Y-%m-%d %H.%M.%S}"
    path, number = folder / f"{stem}.srt", 1
    while path.exists():
        number += 1
        path = folder / f"{stem} {number}.srt"
    return path


def _remove(files: tuple[Path, ...]) -> None:
    for file in files:
        file.unlink(missing_ok=True)
