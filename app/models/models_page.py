"""The page of models: list, filters, downloads, import."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAction,
    QDesktopServices,
    QIcon,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QWidget,
)

from app.look import interface_language
from app.look.language_names import language_name
from app.look.theme import Theme
from app.models.download_location import DownloadLocation
from app.models.downloads import Downloads
from app.models.filters import EDGE_PIXELS, ModelFilters
from app.models.model_card import ICONS, ModelCard
from app.models.model_library import ModelLibrary
from app.models.model_words import ModelWords
from app.models.repository_line import RepositoryLine
from app.models.server_line import ServerLine
from app.models.uses import Use, possible_uses, put_to_use, translates_roughly, uses_of
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.widgets.action_button import ICON_PIXELS
from app.widgets.layouts import in_column, in_row
from app.widgets.message_bar import MessageBar
from engine.language.servers.address import read_address
from engine.loading.advice import advise
from engine.loading.library import MEGABYTE, LibraryModel, is_repository, memory_megabytes

CARDS_AT_A_TIME = 4
SUBTITLE_FROM_PIXELS = 440
"""Smallest height of the page with a subtitle."""

_MARGIN = 24


class ModelsPage(QWidget):
    """Lists the models by purpose: the best for this computer first, then those on this machine.

    Attributes:
        cards: cards by name.
        message: a bar for errors and notices.
        add: the button for adding models from elsewhere.

    Signals:
        sample_wanted: let the voice of this name be heard; it is on this machine.
        sample_failed: why a voice cannot be heard, in one sentence.
    """

    sample_wanted = Signal(str)
    sample_failed = Signal(str)

    def __init__(
        self,
        settings: Settings,
        theme: Theme,
        library: ModelLibrary,
        downloads: Downloads,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.cards: dict[str, ModelCard] = {}
        self._settings = settings
        self._theme = theme
        self._library = library
        self._downloads = downloads
        self._words = ModelWords(self)
        self._memory_megabytes = memory_megabytes()
        self._ordered: list[ModelCard] = []
        self._newest = ""
        self._rest = QTimer(self, singleShot=True, interval=0)
        self.setProperty("role", "page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Models"))
        self.repository = RepositoryLine()
        self.server = ServerLine()
        self.server.show_models(settings.preferences.models.assistant, settings.preferences.models.translation)
        self.place = DownloadLocation(settings)
        self._make_header()
        self._make_list()
        self._lay_out()
        self._connect()
        self._icons: dict[str, QIcon] = {}
        theme.changed.connect(self._refresh_icons)
        self._refresh_icons()

    def refresh(self) -> None:
        """Read the list of models again."""
        self._library.refresh()

    def show_use(self, use: Use, language: str | None = None) -> None:
        """List the models for a purpose; with a language, those that know it."""
        self.filters.show_use(use, language)

    def add_folder(self) -> None:
        """Ask for a folder with a model, and add it."""
        chosen = QFileDialog.getExistingDirectory(self, self.tr("Folder with a model"), str(Path.home()))
        if chosen:
            self.add_model(chosen)

    def add_file(self) -> None:
        """Ask for a file of whisper.cpp's or llama.cpp's, and add it."""
        kinds = self.tr("Models of whisper.cpp and llama.cpp (*.bin *.gguf)")
        chosen, _ = QFileDialog.getOpenFileName(self, self.tr("File with a model"), str(Path.home()), kinds)
        if chosen:
            self.add_model(chosen)

    def add_model(self, place: str) -> None:
        """Check the model of a folder, a file or a repository, and add it to the list."""
        self.message.show_notice(self.tr("Checking {folder}…").format(folder=place))
        self._library.add(place)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._subtitle.setVisible(self.height() >= SUBTITLE_FROM_PIXELS)

    def _make_header(self) -> None:
        self._title = QLabel(self.tr("Models"))
        self._title.setProperty("role", "title")
        memory = self._words.size(self._memory_megabytes * MEGABYTE)
        self._subtitle = QLabel(
            self.tr(
                "They run on this computer, which has {memory} of memory. A model is downloaded once; "
                "then it works without a connection."
            ).format(memory=memory)
        )
        self._subtitle.setProperty("role", "quiet")
        self._subtitle.setWordWrap(True)
        self._from_folder = QAction(self.tr("From a &folder…"), self)
        self._from_folder.triggered.connect(self.add_folder)
        self._from_file = QAction(self.tr("From a fi&le…"), self)
        self._from_file.triggered.connect(self.add_file)
        self._from_hub = QAction(self.tr("From &Hugging Face…"), self)
        self._from_hub.triggered.connect(self.repository.open)
        self._from_server = QAction(self.tr("From a &server…"), self)
        self._from_server.triggered.connect(self.server.open)
        menu = QMenu(self)
        menu.addAction(self._from_folder)
        menu.addAction(self._from_file)
        menu.addAction(self._from_hub)
        menu.addAction(self._from_server)
        self.add = QPushButton(self.tr("Add a &model"))
        self.add.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self.add.setMenu(menu)
        self.add.setToolTip(self.tr("Adds a model that is not in the list"))
        self.filters = ModelFilters()
        self.filters.follow(self._settings.preferences, interface_language.spoken())

    def _make_list(self) -> None:
        self._introduction, self._best, self._here, self._others = QLabel(), QLabel(), QLabel(), QLabel()
        self._introduction.setProperty("role", "quiet")
        self._introduction.setWordWrap(True)
        for label, text in (
            (self._best, self.tr("Recommended for this computer")),
            (self._here, self.tr("On this computer")),
            (self._others, self.tr("To download")),
        ):
            label.setText(text)
            label.setProperty("role", "heading")
            label.setContentsMargins(0, 10, 0, 0)
        self._column = in_column(margins=(_MARGIN, 16, _MARGIN, _MARGIN), spacing=10)
        content = QWidget()
        content.setProperty("role", "page")
        content.setLayout(self._column)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(content)
        self.message = MessageBar(self._theme, self, self._scroll.geometry)
        self.message.placed.connect(
            lambda pixels: self._column.setContentsMargins(_MARGIN, 16, _MARGIN, _MARGIN + pixels)
        )
        self._left_out = QPushButton()
        self._left_out.setProperty("role", "link")
        self._left_out.clicked.connect(lambda: self.filters.show_use(self.filters.use, ""))
        for label in (self._introduction, self._best, self._here, self._others):
            self._column.addWidget(label)
        self._column.addWidget(self._left_out)
        self._column.addStretch(1)

    def _lay_out(self) -> None:
        words = in_column(self._title, self._subtitle, spacing=4)
        header = in_row(
            (words, 1), (self.add, 0, Qt.AlignmentFlag.AlignTop), margins=(_MARGIN, 20, _MARGIN, 10), spacing=16
        )
        tabs = in_row((self.filters, 1), margins=(_MARGIN - 8, 0, _MARGIN - EDGE_PIXELS, 0))
        line = QWidget()
        line.setProperty("role", "line")
        lines = (self.repository, self.server)
        in_column(header, *lines, tabs, (self._scroll, 1), self.place, on=self, margins=0, spacing=0)

    def _connect(self) -> None:
        self.filters.changed.connect(self._arrange)
        self.filters.changed.connect(lambda: self._scroll.verticalScrollBar().setValue(0))
        self._rest.timeout.connect(self._make_cards)
        self.repository.chosen.connect(self._downloads.start)
        self.server.chosen.connect(self._answer_with)
        self.server.chosen_to_translate.connect(self._translate_with)
        self.repository.pause_wanted.connect(self._pause_repository)
        self._library.changed.connect(self._update_cards)
        self._library.added.connect(self._announce_added)
        self._library.removed.connect(self._announce_removed)
        self._library.failed.connect(self.message.show_problem)
        self._downloads.changed.connect(self._show_download)
        self._downloads.finished.connect(self._announce_finished)
        self._settings.changed.connect(self._follow)
        self.sample_failed.connect(self.message.show_problem)
        self._arrange()

    def _refresh_icons(self) -> None:
        self._from_folder.setIcon(self._theme.icon("folder"))
        self._from_file.setIcon(self._theme.icon("file"))
        self._from_hub.setIcon(self._theme.icon("download"))
        self._from_server.setIcon(self._theme.icon("return"))
        self.add.setIcon(self._theme.icon("add"))
        self._icons = {name: self._theme.icon(name) for name in ICONS}
        for card in self.cards.values():
            card.set_icons(self._icons)

    def _update_cards(self) -> None:
        """Update the cards from the library, in its order, those on this machine first."""
        models = {model.name: model for model in self._library.models}
        for name in [name for name in self.cards if name not in models]:
            card = self.cards.pop(name)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        for name, card in self.cards.items():
            card.show_model(models[name], self._settings.preferences, self._memory_megabytes)
            card.show_download(self._downloads.state(name))
        self._arrange()
        self.place.show_space()
        self._make_cards()
        self._library.measure()

    def _make_cards(self) -> None:
        """Create missing cards, a few at a time, so that captions are not delayed."""
        missing = [model for model in self._library.models if model.name not in self.cards]
        for model in missing[:CARDS_AT_A_TIME]:
            card = self.cards[model.name] = self._new_card(model)
            card.show_model(model, self._settings.preferences, self._memory_megabytes)
            card.show_download(self._downloads.state(model.name))
        if missing:
            self._arrange()
            self._rest.start()
        if self._newest in self.cards:
            self._show_card(self.cards[self._newest])
            self._newest = ""

    def _new_card(self, model: LibraryModel) -> ModelCard:
        card = ModelCard(model, self._icons, self._scroll.widget())
        card.hide()
        card.download_wanted.connect(self._downloads.start)
        card.pause_wanted.connect(self._downloads.pause)
        card.cancel_wanted.connect(self._downloads.cancel)
        card.delete_wanted.connect(self._delete)
        card.use_wanted.connect(self._put_to_use)
        card.sample_wanted.connect(self._let_hear)
        return card

    def _arrange(self) -> None:
        """Sort the cards, the best first, and show those that match the filters."""
        chosen = self._settings.preferences
        use = self.filters.use
        advised = advise(self._library.models, use.value, self.filters.code, self._library.pace, self._memory_megabytes)
        listed = [each for each in advised if each.model.name in self.cards and self._is_offered(each.model)]
        used = [card for card in self.cards.values() if use in uses_of(card.model, chosen)]
        for each in listed:
            self.cards[each.model.name].show_advice(each, details=chosen.appearance.details)
        shown = [self.cards[each.model.name] for each in listed]
        for card in used:
            if card not in shown:  # the model does not match the language
                card.show_advice(None)
                shown.append(card)
        best = [self.cards[each.model.name] for each in listed if each.is_best]
        here = [card for card in shown if _is_here(card.model) and card not in best]
        others = [card for card in shown if not _is_here(card.model) and card not in best]
        left_out = any(use in possible_uses(card.model) and card not in shown for card in self.cards.values())
        self._left_out.setVisible(left_out and bool(self.filters.code))
        self._left_out.setText(
            self.tr("Models that do not know {} are left out. Show all").format(language_name(self.filters.code))
        )
        modest = any(each.why == "quickest" or translates_roughly(each.model.name) for each in listed if each.is_best)
        self._best.setText(self.tr("Fits this computer best") if modest else self.tr("Recommended for this computer"))
        for label, cards in ((self._best, best), (self._here, here), (self._others, others)):
            label.setVisible(bool(cards))
        for card in self.cards.values():
            card.setVisible(card in shown)
        self._put_in_order(
            [self._introduction, self._best, *best, self._here, *here, self._others, *others, self._left_out]
        )
        self._order_tabs([*best, *here, *others])
        self._introduce(use)

    def _put_in_order(self, wanted: list[QWidget]) -> None:
        for place, widget in enumerate(wanted):
            at = self._column.itemAt(place)
            if at is None or at.widget() is not widget:
                self._column.removeWidget(widget)
                self._column.insertWidget(place, widget)

    def _order_tabs(self, cards: list[ModelCard]) -> None:
        if cards != self._ordered:
            self._ordered = cards
            header = (
                self.add,
                *self.repository.controls,
                *self.server.controls,
                self.filters.tabs,
                self.filters.language,
            )
            for before, after in pairwise((*header, *_buttons(cards), self._left_out, self.place.mirror)):
                QWidget.setTabOrder(before, after)

    def _introduce(self, use: Use) -> None:
        self._introduction.setText(
            {
                Use.CAPTIONS: self.tr(
                    "These models write down what is said. Larger ones make fewer mistakes and take longer."
                ),
                Use.TRANSLATION: self.tr("These models translate captions. Larger ones know more and take longer."),
                Use.ANSWERS: self.tr(
                    "These models answer in a conversation. Larger ones know more and take longer. For notes, chosen "
                    "lines are better: a model of 1.5 billion parameters found less than half of the decisions and "
                    "tasks. Larger ones may write good notes, but nobody has measured that yet."
                ),
                Use.VOICE: self.tr("These voices read the assistant's answers aloud."),
            }[use]
        )

    def _is_offered(self, model: LibraryModel) -> bool:
        """Return whether a model is shown: research models only with details, or if in use."""
        chosen = self._settings.preferences
        return chosen.appearance.details or not model.research or bool(uses_of(model, chosen))

    def _show_download(self, name: str) -> None:
        state = self._downloads.state(name)
        if name in self.cards:
            self.cards[name].show_download(state)
        elif state is not None and state.phase != "pausing" and is_repository(name):
            self.repository.show_download(name, state)
        if state is None:
            self.refresh()

    def _pause_repository(self, repo: str) -> None:
        self._downloads.dismiss(repo)
        self._downloads.pause(repo)

    def _announce_finished(self, name: str) -> None:
        card = self.cards.get(name)
        if card is None:
            self.repository.close_line()
            self.add_model(name)
            return
        self._announce(self.tr("{title} is ready.").format(title=card.model.title))

    def _announce_added(self, name: str) -> None:
        self._newest = name
        self.refresh()
        self.message.show_notice(self.tr("{name} was added.").format(name=name))

    def _announce_removed(self, name: str, freed: object) -> None:
        assert isinstance(freed, int)
        title = self.cards[name].model.title if name in self.cards else name
        self.refresh()
        if freed:
            said = self.tr("{title} was deleted: {size} freed.").format(title=title, size=self._words.size(freed))
        else:
            said = self.tr("{title} was forgotten; its files stay.").format(title=title)
        self.message.show_notice(said)

    def _follow(self, before: Preferences, after: Preferences) -> None:
        if (before.models, before.assistant.voice, before.appearance.details) != (
            *(after.models, after.assistant.voice, after.appearance.details),
        ):
            for card in self.cards.values():
                card.show_model(card.model, after, self._memory_megabytes)
        self.filters.follow(after, interface_language.spoken())
        self._arrange()

    def _answer_with(self, address: str) -> None:
        self._settings.alter(lambda now: replace(now, models=replace(now.models, assistant=address)))
        self._announce(self.tr("{} answers from now on.").format(read_address(address).origin))

    def _translate_with(self, address: str) -> None:
        self._settings.alter(lambda now: replace(now, models=replace(now.models, translation=address)))
        self._announce(self.tr("{} translates from now on.").format(read_address(address).origin))

    def _put_to_use(self, name: str, use: object) -> None:
        assert isinstance(use, Use)
        model = self.cards[name].model
        self._settings.alter(lambda now: put_to_use(model, use, now))

    def _let_hear(self, name: str) -> None:
        """Let a voice be heard: one that is not here by a recording at its publisher's."""
        model = self.cards[name].model
        if model.installed:
            self.sample_wanted.emit(name)
        else:
            QDesktopServices.openUrl(QUrl(model.sample))

    def _delete(self, name: str) -> None:
        if uses_of(self.cards[name].model, self._settings.preferences):
            self.cards[name].ask_to_delete()  # it was selected meanwhile; the card says so
            return
        self._downloads.dismiss(name)
        self._library.remove(name)

    def _show_card(self, card: ModelCard) -> None:
        if card.isHidden():
            self.show_use(possible_uses(card.model)[0], "")
        self._column.activate()
        self._scroll.ensureWidgetVisible(card)

    def _announce(self, text: str) -> None:
        self.message.show_notice(text)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))


def _buttons(cards: list[ModelCard]) -> list[QWidget]:
    return [button for card in cards for button in card.buttons]


def _is_here(model: LibraryModel) -> bool:
    return model.folder is not None
