"""A desktop's place for icons, as the StatusNotifier specification has it: clicks every icon that registers, once.

Says "ready" when it is there.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusVariant, QDBusVirtualObject

ITEM = "org.kde.StatusNotifierItem"


class Watcher(QDBusVirtualObject):
    """Answers what programs with an icon ask."""

    def introspect(self, path: str) -> str:
        return ""

    def handleMessage(self, message: QDBusMessage, connection: QDBusConnection) -> bool:
        if message.member() == "Get":
            connection.send(message.createReply([QDBusVariant(True)]))
        elif message.member() == "RegisterStatusNotifierItem":
            connection.send(message.createReply())
            click = QDBusMessage.createMethodCall(message.service(), "/StatusNotifierItem", ITEM, "Activate")
            click.setArguments([1, 1])
            connection.send(click)
        return True


def main() -> None:
    app = QCoreApplication([])
    bus, watcher = QDBusConnection.sessionBus(), Watcher()
    assert bus.registerVirtualObject("/StatusNotifierWatcher", watcher)
    assert bus.registerService("org.kde.StatusNotifierWatcher")
    print("ready", flush=True)
    app.exec()


if __name__ == "__main__":
    main()
