"""An engine client without a process: it notes the commands, and says what a test says."""

from __future__ import annotations

from app.engine_link.engine_client import EngineClient
from engine.process.messages import Command


class SilentClient(EngineClient):
    """Notes what an engine is asked.

    Attributes:
        sent: commands, but for the audio's.
    """

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Command] = []

    @property
    def is_running(self) -> bool:
        return True

    def start(self) -> None:
        pass

    def send_audio(self, samples: object, side: int = 0) -> None:
        pass

    def _send(self, command: Command) -> None:
        self.sent.append(command)

    def take(self) -> list[Command]:
        taken, self.sent = self.sent, []
        return taken
