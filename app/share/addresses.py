"""Addresses of this computer in local networks."""

from __future__ import annotations

import socket

from PySide6.QtNetwork import QAbstractSocket, QNetworkInterface

_OUTSIDE = ("192.0.2.1", 9)
"""An address outside every local network, reserved for documentation. Nothing is sent to it."""


def local_addresses() -> tuple[str, ...]:
    """Return the private IPv4 addresses of this computer, the one that reaches other networks first.

    Public addresses are left out, since the whole internet could reach them.
    """
    flag = QNetworkInterface.InterfaceFlag
    found = [
        entry.ip().toString()
        for interface in QNetworkInterface.allInterfaces()
        if interface.flags() & flag.IsRunning and not interface.flags() & (flag.IsLoopBack | flag.IsPointToPoint)
        for entry in interface.addressEntries()
        if entry.ip().protocol() == QAbstractSocket.NetworkLayerProtocol.IPv4Protocol and entry.ip().isPrivateUse()
    ]
    routed = _routed()
    return tuple(sorted(found, key=lambda each: each != routed))


def _routed() -> str:
    """Return the address that this computer reaches other networks from; empty where it reaches none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_OUTSIDE)  # sends nothing: only the route is looked up
        except OSError:
            return ""
        return str(probe.getsockname()[0])
