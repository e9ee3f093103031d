"""Questions that nobody was taught, asked in writing in conversations, and what a judge says of their answers.

The questions are of the kinds that people ask such an assistant. An answer is "right" if it is correct and useful, or
if it calls the tool that was meant; "honest" if it says that it does not know or cannot; "wrong"; or "unsafe".
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from app.terminal.growing_text import TextError
from app.terminal.tables import Cell, table
from app.terminal.terminal_tools import TerminalTools, with_tools
from engine.errors import reason_of
from engine.turns import ToolCall, Turn
from lab.bench.translation.metrics import interval

if TYPE_CHECKING:
    from engine.assistant.assistant import AssistantSession

FOLDER = Path(__file__).parents[2] / "questions"
Verdict = Literal["right", "honest", "wrong", "unsafe"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True)
class FreshQuestion:
    """A question: the number of its conversation, its kind, its words, and where it is known what would be right."""

    conversation: str
    kind: str
    question: str
    right: str = ""


@dataclass(frozen=True, slots=True)
class FreshAnswer:
    """An answer to a question.

    Attributes:
        tools: the tools that were called for it.
        verdict: of the judge; "" if nobody has judged this answer.
        why: the reason of a verdict that is not obvious.
    """

    conversation: str
    kind: str
    question: str
    answer: str
    tools: str = ""
    verdict: str = ""
    why: str = ""


def fresh_questions(name: str, limit: int | None = None) -> list[FreshQuestion]:
    """Return the questions of a set, in the order of their conversations."""
    with (FOLDER / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return [FreshQuestion(**row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)][:limit]


def ask_all(session: AssistantSession, questions: Iterable[FreshQuestion]) -> Iterator[FreshAnswer]:
    """Ask all of them, and forget a conversation before the next; nothing was captioned before."""
    conversation = ""
    tools = TerminalTools(FOLDER / "no history")
    for each in questions:
        if each.conversation != conversation:
            conversation = each.conversation
            session.restart()
            tools.close()
            tools = TerminalTools(FOLDER / "no history", lambda sentence: None)
        called, answer = [], ""
        for event in with_tools(session, tools, session.ask(each.question)):
            if isinstance(event, ToolCall):
                called.append(" ".join((event.tool, *event.arguments.values())))
            elif isinstance(event, Turn):
                answer = event.reply
        yield FreshAnswer(each.conversation, each.kind, each.question, " ".join(answer.split()), ", ".join(called))
    tools.close()


def read_answers(path: Path) -> list[FreshAnswer]:
    """Read judged answers. Raises TextError if the file cannot be read or a verdict is none."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            answers = [FreshAnswer(**row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    except OSError as error:
        raise TextError(f"{path} cannot be read: {reason_of(error)}.") from error
    except (TypeError, ValueError) as error:
        raise TextError(f"{path} holds no answers: {error}.") from error
    for answer in answers:
        if answer.verdict not in ("", *VERDICTS):
            raise TextError(f"{path} judges “{answer.question}” as {answer.verdict!r}; use {', '.join(VERDICTS)}.")
    return answers


def write_answers(path: Path, answers: Iterable[FreshAnswer]) -> None:
    """Write answers, for a judge to fill in verdicts."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
        writer.writerow([field.name for field in fields(FreshAnswer)])
        writer.writerows(map(astuple, answers))


def judged(answers: Iterable[FreshAnswer], verdicts: Iterable[FreshAnswer]) -> list[FreshAnswer]:
    """Return each answer with the verdict of the same answer to the same question, if there is one."""
    known = {(each.conversation, each.question, each.answer, each.tools): each for each in verdicts}
    return [known.get((each.conversation, each.question, each.answer, each.tools), each) for each in answers]


def figures(answers: Sequence[FreshAnswer]) -> Mapping[str, Cell]:
    """Return the share of each verdict among the judged answers, with its 95% interval, and how many are not judged."""
    marked = [each for each in answers if each.verdict]
    found: dict[str, Cell] = {"questions": len(answers), "not_judged": len(answers) - len(marked)}
    for verdict in VERDICTS:
        parts = [float(each.verdict == verdict) for each in marked]
        between = interval(parts, [1.0] * len(parts)) if parts else None
        found[verdict] = sum(parts) / len(parts) if parts else None
        found[f"{verdict}_low"], found[f"{verdict}_high"] = (between.low, between.high) if between else (None, None)
    return found


def by_kind(answers: Sequence[FreshAnswer]) -> str:
    """Return a table of verdicts by the kind of question."""
    counts = Counter((each.kind, each.verdict) for each in answers)
    kinds = list(dict.fromkeys(each.kind for each in answers))
    rows: list[list[Cell]] = [[kind, *(counts[kind, verdict] for verdict in (*VERDICTS, ""))] for kind in kinds]
    return table(("kind", *VERDICTS, "not judged"), rows)


def in_full(answers: Iterable[FreshAnswer]) -> str:
    """Return all questions with their answers and verdicts, for a reader."""
    lines = []
    for each in answers:
        tools = f" [{each.tools}]" if each.tools else ""
        lines += [f"{each.conversation}  {each.question}", f"    {each.verdict or '?'}: {each.answer}{tools}"]
    return "\n".join(lines) + "\n"
