"""The servers of language models on this computer, found by asking the usual ports."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from engine.errors import ModelError
from engine.language.servers.address import ServerAddress
from engine.language.servers.client import models_of

USUAL_PORTS = {11434: "Ollama", 1234: "LM Studio", 8080: "llama.cpp or mlx_lm"}
LOOK_SECONDS = 2.0
"""Longest wait for one port."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that was found: its address, the program that usually has its port, and the models that it names."""

    address: str
    program: str
    models: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return its models as they are given to --assistant-model."""
        return tuple(f"{self.address}#{model}" for model in self.models)


def local_servers() -> tuple[LocalServer, ...]:
    """Ask every usual port of this computer at once; only for a user who has asked for it."""
    with ThreadPoolExecutor(len(USUAL_PORTS)) as pool:
        found = pool.map(_ask, USUAL_PORTS)
    return tuple(server for server in found if server is not None)


def _ask(port: int) -> LocalServer | None:
    address = ServerAddress("localhost", port)
    try:
        return LocalServer(address.origin, USUAL_PORTS[port], models_of(address, LOOK_SECONDS))
    except ModelError:
        return None
