"""A line for the address of a server that answers or translates, such as Ollama's."""

from __future__ import annotations

import threading

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QComboBox, QFrame, QLabel, QPushButton, QWidget

from app.widgets.layouts import Stretch, in_column, in_row
from engine.errors import EngineError
from engine.language.servers.address import EXAMPLE, is_address, read_address
from engine.language.servers.local import LocalServer, local_servers


class ServerLine(QWidget):
    """A line that is hidden until it is opened, or a server is in use. Only "Look for local servers" asks any.

    Attributes:
        address: the field for the address; the servers that were found can be chosen in it.
        look, use, translate, close_button: look for servers on this computer; answer, translate with the typed one;
            close the line.

    Signals:
        chosen, chosen_to_translate: the address of a server.
    """

    chosen = Signal(str)
    chosen_to_translate = Signal(str)
    _found = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        label = QLabel(self.tr("Server, such as Ollama or LM Studio"))
        self.address = QComboBox()
        self.address.setEditable(True)
        self.address.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.address.setMinimumContentsLength(8)
        self.address.setAccessibleName(self.tr("Address of a server that answers"))
        line = self.address.lineEdit()
        assert line is not None, "an editable box has a line"
        line.setPlaceholderText(EXAMPLE)
        line.setAccessibleName(self.address.accessibleName())
        line.returnPressed.connect(lambda: self._choose(self.chosen))
        self.address.editTextChanged.connect(self._advise)
        label.setBuddy(self.address)
        self.look = QPushButton(self.tr("Look for local servers"))
        self.look.setToolTip(self.tr("Asks the usual ports of this computer, and nothing else"))
        self.look.clicked.connect(self._look)
        self.use = QPushButton(self.tr("Answer with it"))
        self.use.setProperty("role", "main")
        self.use.setToolTip(self.tr("A server shows no probabilities: verifiers and branches are off with it."))
        self.use.clicked.connect(lambda: self._choose(self.chosen))
        self.translate = QPushButton(self.tr("Translate with it"))
        self.translate.setToolTip(
            self.tr("A server shows no probabilities: captions are translated later and less steadily.")
        )
        self.translate.clicked.connect(lambda: self._choose(self.chosen_to_translate))
        self.close_button = QPushButton(self.tr("Close"))
        self.close_button.setProperty("role", "flat")
        self.close_button.clicked.connect(self.hide)
        self._said = QLabel()
        self._said.setWordWrap(True)
        using = in_row(self.use, self.translate, Stretch(1), spacing=10)
        looking = in_row(self.look, Stretch(1), self.close_button, spacing=10)
        card = QFrame()
        card.setProperty("role", "card")
        in_column(label, self.address, using, looking, self._said, on=card, margins=(18, 12, 14, 12), spacing=6)
        in_column(card, on=self, margins=(24, 0, 24, 10))
        self._found.connect(self._show_found)
        self._advise()
        self.hide()

    @property
    def controls(self) -> tuple[QWidget, ...]:
        """Controls in order."""
        return self.address, self.use, self.translate, self.look, self.close_button

    @property
    def said(self) -> str:
        """The warning about the typed address, what was found, or what is wrong; "" if there is nothing."""
        return self._said.text()

    def open(self) -> None:
        """Show the line, ready for typing."""
        self.show()
        self.address.setFocus()

    def show_models(self, *models: str) -> None:
        """Show the first address among the models that are in use, if one is a server's."""
        address = next(filter(is_address, models), "")
        if address:
            self.address.setEditText(address)
            self.show()

    def _look(self) -> None:
        self.look.setEnabled(False)
        self._say(self.tr("Looking…"))
        threading.Thread(target=lambda: self._found.emit(local_servers()), name="local servers", daemon=True).start()

    def _show_found(self, found: object) -> None:
        assert isinstance(found, tuple)
        servers: tuple[LocalServer, ...] = found
        names = [name for server in servers for name in server.names]
        self.look.setEnabled(True)
        self.address.clear()
        self.address.addItems(names)
        if names:
            self._say(self.tr("Found: {}.").format(", ".join(server.program for server in servers if server.names)))
        elif servers:
            self._say(self.tr("{} runs, but has no model yet.").format(servers[0].program), "problem")
        else:
            self._say(self.tr("No server answers on this computer. Start one, and look again."), "problem")

    def _choose(self, chosen: SignalInstance) -> None:
        typed = self.address.currentText().strip()
        try:
            read_address(typed)
        except EngineError:
            self._say(self.tr("This is no address of a server. Give one such as {}.").format(EXAMPLE), "problem")
            self.address.setFocus()
            return
        chosen.emit(typed)

    def _advise(self) -> None:
        """Show what the typed address means."""
        typed = self.address.currentText().strip()
        try:
            address = read_address(typed)
        except EngineError:
            address = None
        if address is None or address.is_here:
            self._say("")
            return
        sent = self.tr("What you ask and what was said are sent to {}, which is another computer.")
        read = "" if address.secure else self.tr("Whoever listens to the network can read it.")
        self._say(f"{sent.format(address.host)} {read}".strip(), "problem")

    def _say(self, sentence: str, role: str = "quiet") -> None:
        self._said.setText(sentence)
        self._said.setVisible(bool(sentence))
        self._said.setProperty("role", role)
        self._said.style().unpolish(self._said)
        self._said.style().polish(self._said)
