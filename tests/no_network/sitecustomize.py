"""Forbids the network to every Python process that finds this first on its path, and keeps what was tried.

Python imports a module of this name before anything else. Sockets between processes of one machine (AF_UNIX) are not
the network.
"""

import os
import socket
import sys

_EVENTS = ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")


def _forbid(event: str, arguments: tuple[object, ...]) -> None:
    if event not in _EVENTS:
        return
    first = arguments[0] if arguments else None
    if isinstance(first, socket.socket) and first.family == socket.AF_UNIX:
        return
    with open(os.environ["EARSHOT_TRIED_NETWORK"], "a", encoding="utf-8") as file:
        file.write(f"{event} {arguments!r}\n")
    raise OSError("The network is forbidden here.")


sys.addaudithook(_forbid)
