"""One exchange on the page: the question at the right, the answer at the left, and how quick it was below."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QLocale, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QFont, QIcon
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton, QWidget

from app.assistant.bubble import Bubble, Span
from app.assistant.exchange import Exchange, Phase
from app.assistant.quote_links import QuoteLinks
from app.look.theme import Theme, figures_font
from app.widgets.layouts import Spacing, Stretch, in_column, in_row
from engine.turns import TurnStats

SMALL_ICON_PIXELS = 16
SHARE = 0.82
WIDEST_PIXELS = 660


class ExchangeView(QWidget):
    """Shows an Exchange.

    Attributes:
        exchange: the shown exchange.
        copy, replay, undo: the buttons below the answer.
        quotes: the lines that it quotes.

    Signals:
        copy_wanted: the answer's text is to be copied.
        replay_wanted: the answer is to be played again.
        undo_wanted: what was done is to be undone.
        quote_chosen: a Quote of captions, to be shown where it stands.
    """

    copy_wanted = Signal()
    replay_wanted = Signal()
    undo_wanted = Signal()
    quote_chosen = Signal(object)

    def __init__(self, exchange: Exchange, theme: Theme, parent: QWidget | None = None) -> None:
        """Show an exchange; `set_icons` sets the icons of the buttons.

        Icons take long to draw: all exchanges share them.
        """
        super().__init__(parent)
        self.exchange = exchange
        self._theme = theme
        self._can_replay = False
        self._is_newest = True
        self._has_details = False
        self.question = Bubble("bubble-user")
        self.answer = Bubble("bubble-answer")
        self.quotes = QuoteLinks()
        self.quotes.chosen.connect(self.quote_chosen)
        self.badge = QLabel()
        self.badge.setProperty("role", "badge")
        self.note = QLabel()
        self.note.setProperty("role", "small")
        self.note.setFont(figures_font())
        self.note.setWordWrap(True)
        self.copy = _button(self.tr("Copy answer"))
        self.replay = _button(self.tr("Play answer again"))
        self.undo = QPushButton(self.tr("Undo"))
        self.undo.setProperty("role", "link")
        self.undo.clicked.connect(self.undo_wanted)
        self.copy.clicked.connect(self.copy_wanted)
        self.replay.clicked.connect(self.replay_wanted)
        self._lay_out()
        self.show_exchange(exchange)

    def show_exchange(self, exchange: Exchange, *, can_replay: bool = False) -> None:
        """Show the exchange as it is now."""
        finished = exchange.phase is Phase.DONE and self.exchange.phase is not Phase.DONE
        self.exchange = exchange
        self._can_replay = can_replay
        self.refresh()
        if finished and exchange.answer:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, exchange.answer))

    def grow_old(self) -> None:
        """Hide how this exchange came about, once another one is the newest."""
        self._is_newest = False
        self.refresh()

    def show_details(self, shown: bool) -> None:
        """Show or hide how quick the answer was, and which part of it was drafted."""
        if shown != self._has_details:
            self._has_details = shown
            self.refresh()

    def set_text_font(self, font: QFont) -> None:
        """Change the font of question and answer."""
        self.question.set_text_font(font)
        self.answer.set_text_font(font)

    def refresh(self) -> None:
        """Draw the exchange again, for example in other colours."""
        exchange, colours = self.exchange, self._theme.colours
        asked_colour = colours.quiet if exchange.phase is Phase.ASKING else colours.text
        self.question.show_spans([(exchange.asked or "…", asked_colour)], self.tr("You: {}"))
        spans = self._answer_spans(exchange)
        self.answer.setVisible(bool(spans))
        if spans:
            is_draft = not exchange.sentences and exchange.turn is None
            self.answer.set_role("bubble-draft" if is_draft else "bubble-answer")
            self.answer.show_spans(spans, self.tr("Draft: {}") if is_draft else self.tr("Earshot: {}"))
        badge = self._words_for_badge(exchange)
        self.badge.setText(badge)
        self.badge.setVisible(bool(badge))
        self.note.setText(self._words_for_note(exchange))
        self.note.setToolTip(self._explanation(exchange))
        self.note.setVisible(bool(self.note.text()))
        over = exchange.phase is Phase.DONE and bool(exchange.answer)
        self.copy.setVisible(over)
        self.replay.setVisible(over and self._can_replay)
        self.undo.setVisible(over and exchange.can_undo)
        self.quotes.show_quotes(exchange.done.outcome.quotes if over and exchange.done is not None else ())
        for before, after in pairwise((*self.quotes.buttons, self.copy, self.replay, self.undo)):
            self.setTabOrder(before, after)  # links are made late, and would come after all else

    def set_icons(self, copy: QIcon, replay: QIcon) -> None:
        """Show these icons on the buttons."""
        self.copy.setIcon(copy)
        self.replay.setIcon(replay)

    def fit(self, pixels: int) -> None:
        """Fit the bubbles to the present width."""
        most = min(round(pixels * SHARE), WIDEST_PIXELS)
        for part in (self.question, self.answer, self.quotes):
            part.limit(most)

    def _lay_out(self) -> None:
        top = Qt.AlignmentFlag.AlignTop
        beneath = in_row(
            (self.copy, 0, top), (self.replay, 0, top), (self.undo, 0, top), Spacing(6),
            (self.note, 1, Qt.AlignmentFlag.AlignVCenter), Stretch(),  # fills the row if there is no note
            margins=(8, 0, 0, 0), spacing=2,
        )  # fmt: skip
        in_column(
            in_row(Stretch(1), self.question), Spacing(4), in_row(self.badge, Stretch(1)),
            in_row(self.answer, Stretch(1)), self.quotes, beneath, on=self, margins=0, spacing=6,
        )  # fmt: skip

    def _answer_spans(self, exchange: Exchange) -> list[Span]:
        """Return the answer in its colours: certain text, the drafted part, and text that may still change."""
        colours = self._theme.colours
        text, heard = exchange.shown, len(exchange.heard)
        if exchange.said is not None:
            return [(text[:heard], colours.text), (text[heard:], colours.pending)]
        if text:
            count = exchange.ahead if self._is_newest and self._has_details else 0
            if not exchange.answer.startswith(exchange.heard):
                heard = len(text)
            return [
                (text[:count], colours.translation),
                (text[count:heard] + (" —" if exchange.was_cut and not text[heard:] else ""), colours.text),
                (text[heard:], colours.quiet),
            ]
        if exchange.turn is None and exchange.draft and not exchange.phase.is_over:
            return [
                (exchange.draft[: exchange.kept], colours.quiet),
                (exchange.draft[exchange.kept :], colours.pending),
            ]
        return []

    def _words_for_badge(self, exchange: Exchange) -> str:
        if exchange.phase is Phase.WAITING:
            return self.tr("Loading the model…")
        if exchange.phase is Phase.THINKING:
            return self.tr("Checking the draft…") if exchange.draft else self.tr("Thinking…")
        if exchange.phase is Phase.ASKING and exchange.draft:
            return self.tr("Ready to speak") if exchange.ready else self.tr("Draft answer")
        return ""

    def _words_for_note(self, exchange: Exchange) -> str:
        if exchange.phase is Phase.UNANSWERED:
            return self.tr("Not answered")
        if exchange.phase is Phase.PAUSED:
            return self.tr("Interrupted: listening…")
        if exchange.phase is not Phase.DONE or exchange.stats is None:
            return ""
        parts = [self.tr("Interrupted")] if exchange.was_cut else []
        if exchange.undone:
            parts.append(self.tr("Undone"))
        if not exchange.answer:
            parts.append(self.tr("No answer"))
        figures = self._times(exchange, exchange.stats) if self._has_details else []
        return "  ·  ".join([*parts, *figures])

    def _times(self, exchange: Exchange, stats: TurnStats) -> list[str]:
        parts = []
        if stats.first_sound_seconds is not None:
            parts.append(self.tr("first sound after {} s").format(_seconds(stats.first_sound_seconds)))
        elif stats.first_sentence_seconds is not None:
            parts.append(self.tr("first sentence after {} s").format(_seconds(stats.first_sentence_seconds)))
        if not exchange.typed and stats.endpoint_seconds > 0:
            parts.append(self.tr("pause noticed after {} s").format(_seconds(stats.endpoint_seconds)))
        if stats.premade:
            parts.append(self.tr("prepared in advance"))
        if stats.answer.drafted and not exchange.typed:
            kept = self.tr("{} of {} drafted tokens kept")
            parts.append(kept.format(stats.answer.accepted, stats.answer.drafted))
        return parts

    def _explanation(self, exchange: Exchange) -> str:
        if exchange.stats is None or not self._has_details:
            return ""
        lines = [
            self.tr("Times count from the end of your question."),
            self.tr("The coloured part of the newest answer was drafted while you were still speaking."),
        ]
        if exchange.stats.premade:
            lines.append(self.tr("The first sentence and its sound were ready before you had finished."))
        checked = exchange.stats.answer.verify_seconds
        if checked and exchange.stats.answer.drafted:
            lines.append(self.tr("Checking the draft took {} s.").format(_seconds(checked)))
        return "\n".join(lines[: 1 if exchange.typed else None])


def _seconds(seconds: float) -> str:
    """Write seconds as 0.32 or 4.1, in the format of the language."""
    return QLocale().toString(seconds, "f", 2 if seconds < 1 else 1)


def _button(name: str) -> QToolButton:
    button = QToolButton()
    button.setIconSize(QSize(SMALL_ICON_PIXELS, SMALL_ICON_PIXELS))
    button.setAccessibleName(name)
    button.setToolTip(name)
    return button
