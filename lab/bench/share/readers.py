"""Readers of the page, in a process of their own: `python -m lab.bench.share.readers URL COUNT`.

They print one JSON line after the page has ended: for each event its number, and the moments at which the readers had
it, on the monotonic clock that all processes of a machine share.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
import time
from urllib.parse import urlsplit


def main(url: str, count: int) -> None:
    """Read with so many connections until the page ends."""
    parts = urlsplit(url)
    request = f"GET {parts.path}captions HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode()
    chosen = selectors.DefaultSelector()
    for reader in range(count):
        # Every reader has an address of its own, as every phone has.
        connection = socket.create_connection((parts.hostname or "", parts.port or 0), source_address=(_own(reader), 0))
        connection.sendall(request)
        connection.setblocking(False)
        chosen.register(connection, selectors.EVENT_READ, bytearray())
    arrived: dict[int, list[float]] = {}
    while chosen.get_map():
        for key, _ in chosen.select():
            assert isinstance(key.fileobj, socket.socket)
            data, moment = key.fileobj.recv(1 << 16), time.monotonic()
            if not data:
                chosen.unregister(key.fileobj)
                key.fileobj.close()
                continue
            key.data.extend(data)
            *whole, rest = bytes(key.data).split(b"\n")
            key.data[:] = rest
            for line in whole:
                if line.startswith(b"id: "):
                    arrived.setdefault(int(line[4:]), []).append(moment)
    print(json.dumps(arrived))


def _own(reader: int) -> str:
    return f"127.0.{1 + reader // 200}.{1 + reader % 200}"


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
