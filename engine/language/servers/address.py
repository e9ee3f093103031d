"""The address of a server, as a person types it."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from engine.errors import ModelError

EXAMPLE = "http://localhost:11434"
VERSION = "/v1"


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The address of a server's interface.

    Attributes:
        secure: by TLS.
        path: of the interface, such as "/v1", without a slash at its end.
        model: the model that is asked for; "" for the first that the server names.
    """

    host: str
    port: int
    secure: bool = False
    path: str = VERSION
    model: str = ""

    @property
    def is_here(self) -> bool:
        """Return whether it is on this computer."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def origin(self) -> str:
        """Return the address without the path, as a person reads it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{host}:{self.port}"

    @property
    def warning(self) -> str:
        """Return what to know of an address that is not on this computer; "" for one that is."""
        if self.is_here:
            return ""
        sent = f"What you ask, and lines of what was said, are sent to {self.host}, which is another computer"
        return f"{sent}." if self.secure else f"{sent}, and whoever listens to the network can read them."


def is_address(text: str) -> bool:
    """Return whether a model's name is the address of a server."""
    return text.startswith(("http://", "https://"))


def read_address(text: str) -> ServerAddress:
    """Read an address such as "http://localhost:11434#llama3.2"; behind the # is the model.

    A path is optional, and may be that of the interface ("/v1") or of its chat ("/v1/chat/completions").
    Raises ModelError if it is none.
    """
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None or parts.query:
        raise ModelError(f"{text!r} is no address of a server. Give one such as {EXAMPLE}, or {EXAMPLE}#MODEL.")
    secure = parts.scheme == "https"
    path = parts.path.rstrip("/").removesuffix("/chat/completions") or VERSION
    return ServerAddress(parts.hostname, port or (443 if secure else 80), secure, path, parts.fragment)
