"""Commands to the Earshot that is running: for keys of the desktop, and for scripts."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import EngineError

PARTS = ("captions", "overlay", "dictation", "microphone")


class OrderError(EngineError):
    """An order that nothing carries out."""


@dataclass(frozen=True, slots=True)
class RunningCommand:
    """A command that the running Earshot carries out.

    Attributes:
        NAME: the command.
        help: what it does.
        parts: what it can be applied to; empty for a command without a choice.
    """

    NAME: str
    help: str
    parts: Sequence[str] = ()

    def add_to(self, commands: argparse._SubParsersAction[Any]) -> None:
        """Add the command with its options."""
        parser = commands.add_parser(self.NAME, help=self.help, description=f"{self.help[0].upper()}{self.help[1:]}.")
        if self.parts:
            parser.add_argument("part", choices=self.parts)
        parser.add_argument("--json", action="store_true", help="print what is on as a JSON line")
        parser.set_defaults(run=self.run, part="", always=self.NAME == "status")

    def run(self, options: argparse.Namespace) -> int:
        """Send the order to the running Earshot, and print what is on."""
        from PySide6.QtCore import QCoreApplication, qInstallMessageHandler

        from app.desktop.single_start import ask_running
        from app.preferences.program import data_folder

        qInstallMessageHandler(lambda kind, context, message: None)  # of a session without a runtime folder
        qt = QCoreApplication.instance() or QCoreApplication([])
        state = ask_running(data_folder(), f"{self.NAME} {options.part}".strip())
        qInstallMessageHandler(None)
        del qt
        if state is None:
            raise OrderError("Earshot is not running. Start it with 'earshot', or with 'earshot window --hidden'.")
        if "unknown" in state:
            raise OrderError("The Earshot that is running is of another version. Quit it, and start it again.")
        if "problem" in state:
            raise OrderError(str(state["problem"]))
        if options.json:
            print(json.dumps(state))
        elif options.always:
            print("\n".join(f"{part}: {'on' if on else 'off'}" for part, on in state.items()))
        return 0


COMMANDS = (
    RunningCommand("toggle", "turn a part of the running Earshot on or off", PARTS),
    RunningCommand("mark", "mark this moment in the running captions"),
    RunningCommand("stop", "stop the running captions"),
    RunningCommand("status", "tell what of the running Earshot is on"),
)
