"""Ways to ask for tools, as they are written for the classifier."""

from pathlib import Path
from random import Random

import pytest

from lab.recipes.assistant.dialogues import DialogueError
from lab.recipes.assistant.requests import MOST_FILLED, NONE, read_requests, requests


def test_every_way_is_filled_in() -> None:
    made = list(requests(Random(1)))
    assert len({way for _, _, way in made}) > 400
    assert not [question for _, question, _ in made if "{" in question]
    assert {tool for tool, _, _ in made} >= {NONE, "said_about", "timer", "undo"}
    assert max(sum(way == each for _, _, each in made) for _, _, way in made[:40]) <= MOST_FILLED


@pytest.mark.parametrize("text", ["? What?", "# dance\n? Dance.", "# undo\nUndo.", "= topic\n? What?"])
def test_a_line_in_the_wrong_place_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "en.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DialogueError, match="line"):
        read_requests(path)
