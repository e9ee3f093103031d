"""The dialog that lets others read along: a page in the local network, and live files for OBS and scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QFrame, QLabel, QPushButton, QWidget

from app.look.text_layout import breakable, unbreakable
from app.preferences.preferences import Preferences
from app.share.addresses import local_addresses
from app.share.qr_code import qr_code
from app.share.sharing import Sharing
from app.widgets.labels import announce, quiet_label
from app.widgets.layouts import Stretch, in_column, in_row
from app.widgets.open_audio import documents_folder
from app.widgets.screen_room import ScreenDialog, Scrolled


class ShareDialog(ScreenDialog):
    """Opens and closes the page, shows its address, and chooses the folder of the live files.

    Attributes:
        toggle: opens the page, or closes it.
        networks: the addresses to choose from, where this computer has several.
        code: the page's address as a QR code.
        address: the same as text.
        files: whether live files are written.
    """

    def __init__(
        self,
        sharing: Sharing,
        parent: QWidget | None = None,
        addresses: Callable[[], tuple[str, ...]] = local_addresses,
    ) -> None:
        """Prepare the dialog; `addresses` returns this computer's in local networks."""
        super().__init__(parent)
        self._sharing = sharing
        self._addresses = addresses
        self.setWindowTitle(self.tr("For others to read"))
        self.networks = QComboBox()
        self.networks.setAccessibleName(self.tr("Network"))
        self.toggle = QPushButton()
        self.toggle.clicked.connect(self._toggle_page)
        self.code = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self.code.setAccessibleName(self.tr("QR code of the address"))
        self.address = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self.address.setTextFormat(Qt.TextFormat.PlainText)
        self.address.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.address.setWordWrap(True)
        self.copy_button = QPushButton(self.tr("&Copy address"))
        self.copy_button.clicked.connect(self._copy)
        self.state = quiet_label()
        self.problem = quiet_label("", "problem")
        self.files = QCheckBox(self.tr("Keep live &files while captions run"))
        self.files.clicked.connect(self._choose_files)
        self.folder = quiet_label()
        self.folder_button = QPushButton(self.tr("Choose a f&older…"))
        self.folder_button.clicked.connect(self._choose_folder)
        self.close_button = QPushButton(self.tr("Clos&e"))
        self.close_button.clicked.connect(self.reject)
        self._lay_out()
        sharing.page.changed.connect(self._follow)
        sharing.settings.changed.connect(self._follow)
        self._follow()

    def showEvent(self, event: QShowEvent) -> None:
        self._follow()  # this computer may be in another network by now
        super().showEvent(event)

    def _lay_out(self) -> None:
        page = self._card(
            self.tr("On phones and tablets"),
            quiet_label(
                self.tr(
                    "A page in your local network, with the captions and their translation. Whoever has its address "
                    "reads along until the captions end or you close it. It is not encrypted: do not open it in a "
                    "network of strangers."
                )
            ),
            self.networks,
            self.code,
            self.address,
            self.state,
            self.problem,
            self._row(self.toggle, self.copy_button),
        )
        files = self._card(
            self.tr("For OBS and scripts"),
            self.files,
            quiet_label(
                self.tr("earshot-live.txt has the newest two lines. Beside it a subtitle file per recording grows.")
            ),
            self.folder,
            self._row(self.folder_button),
        )
        content = QWidget()
        in_column(page, files, Stretch(1), on=content, margins=(20, 18, 20, 12), spacing=14)
        below = in_row(Stretch(1), self.close_button, margins=(20, 0, 20, 14))
        in_column((Scrolled(content), 1), below, on=self, margins=0, spacing=8)
        self.resize(QSize(500, 640))

    def _card(self, heading: str, *parts: QWidget) -> QFrame:
        card = QFrame()
        card.setProperty("role", "card")
        title = QLabel(heading)
        title.setProperty("role", "heading")
        in_column(title, *parts, on=card, margins=(18, 14, 18, 16), spacing=10)
        return card

    def _row(self, *buttons: QPushButton) -> QWidget:
        row = QWidget()
        row.setProperty("role", "clear")
        in_row(*buttons, Stretch(1), on=row, margins=0)
        return row

    def _follow(self) -> None:
        url = self._sharing.page.url
        folder = self._sharing.settings.preferences.sharing.live_folder
        if not url:
            found = self._addresses()
            if [self.networks.itemText(at) for at in range(self.networks.count())] != list(found):
                self.networks.clear()
                self.networks.addItems(found)
            self.toggle.setEnabled(bool(found))
            self.state.setText("" if found else self.tr("This computer is in no local network."))
        self.networks.setVisible(not url and self.networks.count() > 1)
        for part in (self.code, self.address, self.copy_button):
            part.setVisible(bool(url))
        if unbreakable(self.address.text()) != url:
            self.address.setText(breakable(url))
            if url:
                self.code.setPixmap(qr_code(url, self.devicePixelRatio()))
        if url:
            self.toggle.setEnabled(True)
            self.state.setText(self.tr("Reading along: {}").format(self._sharing.page.readers))
        self.state.setVisible(bool(self.state.text()))
        self.problem.setVisible(bool(self.problem.text()))
        self.toggle.setText(self.tr("Close the &page") if url else self.tr("Open the &page"))
        self.files.setChecked(bool(folder))
        self.folder.setText(breakable(folder))
        self.folder.setVisible(bool(folder))

    def _toggle_page(self) -> None:
        page = self._sharing.page
        self.problem.setText("")
        if page.url:
            page.close()
        elif why := page.open(self.networks.currentText()):
            self.problem.setText(self.tr("The page cannot be opened: {}.").format(why.rstrip(".")))
        self._follow()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._sharing.page.url)
        announce(self, self.tr("Copied."))

    def _choose_files(self, on: bool) -> None:
        if not on:
            self._keep("")
        else:
            self._choose_folder()
        self._follow()

    def _choose_folder(self) -> None:
        before = self._sharing.settings.preferences.sharing.live_folder or documents_folder()
        if folder := QFileDialog.getExistingDirectory(self, self.tr("Folder of the live files"), before):
            self._keep(folder)

    def _keep(self, folder: str) -> None:
        def chosen(now: Preferences) -> Preferences:
            return replace(now, sharing=replace(now.sharing, live_folder=folder))

        self._sharing.settings.alter(chosen)
