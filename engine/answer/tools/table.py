"""The table of tools: name, arguments and effect of each, which part carries it out, and how it is undone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from engine.turns import Language

LANGUAGES: tuple[Language, ...] = get_args(Language)

Where = Literal["engine", "app"]

Ending = Literal["phrasing", "number", "words"]
"""The kind of a request's last words: words of a phrasing, after which nothing can be missing; a number, a measure or a
date, which may be longer; or words of the user's own, which may always go on.
"""

INSTEAD = "instead"
"""Argument of a call that replaces the same tool's last one: "no, ten minutes"."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One ability of the assistant.

    Attributes:
        name: as it travels.
        takes: the names of its arguments.
        does: its effect, in a sentence.
        undone: the effect of undoing it; "" if nothing changes.
        where: the part that carries it out: the engine, which knows the answer by itself, or the app.
        waits: a spoken request waits for the usual silence: not all of it can be undone, or such words often begin
            something else.
    """

    name: str
    takes: tuple[str, ...]
    does: str
    undone: str = ""
    where: Where = "app"
    waits: bool = False

    @property
    def changes(self) -> bool:
        """Return whether it changes anything."""
        return bool(self.undone) or self.name == "undo"


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "time",
            ("place", "seconds", "at", "from"),
            "Says what time it is, here or in a city, or will be; also at a time of day in another city.",
            where="engine",
        ),
        Tool("date", ("when",), "Says which date a day is, such as today or Friday.", where="engine"),
        Tool("weekday", ("date",), "Says on which day of the week a date is.", where="engine"),
        Tool(
            "days_until",
            ("date", "since"),
            "Says how many days there are until a date, from today or another.",
            where="engine",
        ),
        Tool("calculate", ("expression",), "Works out an expression.", where="engine"),
        Tool("convert", ("number", "unit", "target"), "Converts a measure to another unit.", where="engine"),
        Tool("translate_phrase", ("text", "language"), "Translates a few words.", where="engine"),
        Tool("help", (), "Says what the assistant can do.", where="engine", waits=True),
        Tool("greet", (), "Greets.", where="engine", waits=True),
        Tool("agree", (), "Says that it has understood.", where="engine", waits=True),
        Tool("welcome", (), "Takes thanks.", where="engine", waits=True),
        Tool("hears_people", (), "Says whom the starter hears.", where="engine"),
        Tool("stays_here", (), "Says what goes on the network.", where="engine"),
        Tool("deleting", (), "Says how the history is deleted.", where="engine"),
        Tool("where_kept", (), "Says where former captions are.", where="engine"),
        Tool("languages", (), "Says where each of Earshot's languages is chosen.", where="engine"),
        Tool("hush", (), "Ends what is being said, and says no more.", where="engine", waits=True),
        Tool("repeat", (), "Says the last answer again.", where="engine", waits=True),
        Tool("start_captions", (), "Starts captions.", "Captions are stopped."),
        Tool(
            "stop_captions",
            (),
            "Stops captions.",
            "Captions are started again, below those that are there.",
            waits=True,
        ),
        Tool("translate_captions", ("language",), "Translates captions.", "They are translated as before, or not."),
        Tool("stop_translating", (), "Translates captions no longer.", "They are translated as before."),
        Tool("text_larger", (), "Makes the text larger.", "It has its former size."),
        Tool("text_smaller", (), "Makes the text smaller.", "It has its former size."),
        Tool("text_usual", (), "Gives the text its usual size.", "It has its former size."),
        Tool("mark_place", (), "Marks the place in the captions that is read now.", "The former mark is back."),
        Tool("export_subtitles", (), "Saves the captions as a file of subtitles.", "The file is removed."),
        Tool(
            "stop",
            (),
            "Ends what is being said; where nothing is, captions.",
            "Captions are started again.",
            waits=True,
        ),
        Tool("timer", ("seconds", "at", "day", "label"), "Tells when a time has come.", "The timer is taken away."),
        Tool("timer_left", ("label",), "Says how much of the timers is left."),
        Tool(
            "last_lines",
            ("count", "skip", "language"),
            "Says the last sentences of the captions again, or those before them, or their translation.",
        ),
        Tool("said_about", ("topic",), "Finds what was said about something, in the captions and in the history."),
        Tool("when_about", ("topic",), "Finds when something was spoken of, in the captions and in the history."),
        Tool(
            "missed",
            ("seconds", "section"),
            "Says what the notes have, or else what was said last; or what was said in the last minutes.",
        ),
        Tool("undo", (), "Takes back what the assistant has done last.", waits=True),
        Tool(
            "cancel_timer",
            ("label", "seconds", "at", "all"),
            "Cancels timers.",
            "They go on as if nothing had happened.",
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Call:
    """A request for a tool, in a language, with its arguments by their names.

    Attributes:
        ending: the kind of the request's last words, if that is known.
    """

    tool: Tool
    language: Language
    arguments: Mapping[str, str] = field(default_factory=dict)
    ending: Ending = field(default="words", compare=False)
