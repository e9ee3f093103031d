"""Questions recognised among all that the starter was taught, and what is none of it."""

import json
import shutil
from pathlib import Path

import pytest

from engine.answer.intents.classifier import FOLDER, HEAD, MOST_WORDS, IntentClassifier, starter_classifier
from engine.errors import ModelError
from lab.recipes.assistant.dialogues import read_dialogues


@pytest.fixture(scope="module")
def classifier() -> IntentClassifier:
    return starter_classifier()


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("who are you", "talk_name"),
        ("sorry", "talk_sorry"),
        ("do you dream", "talk_dream"),
        ("how do I get rid of the captions' flicker", "earshot_captions_flicker"),
    ],
)
def test_what_was_taught_is_recognised_in_other_words(classifier: IntentClassifier, question: str, name: str) -> None:
    found = classifier.classify(question)
    assert (found.kind, found.name, found.sure) == ("intent", name, True)
    assert found.reply == next(intent.reply for intent in read_dialogues().intents if intent.name == name)


def test_facts_are_recognised_by_their_family(classifier: IntentClassifier) -> None:
    found = classifier.classify("what's the capital of France")
    assert (found.kind, found.name, found.reply, found.sure) == ("family", "capital", "", True)


@pytest.mark.parametrize(
    "question", ["explain quantum entanglement", "write python code to sort a list", "", "why " * (MOST_WORDS + 1)]
)
def test_what_was_never_taught_is_not_recognised(classifier: IntentClassifier, question: str) -> None:
    assert not classifier.classify(question).sure


def test_its_answers_are_those_that_are_written(classifier: IntentClassifier) -> None:
    learnt = json.loads((FOLDER / HEAD / "intents.json").read_text(encoding="utf-8"))
    written = read_dialogues()
    replies = {intent.name: intent.reply for intent in written.intents}
    own = {name: reply for name, reply in learnt["replies"].items() if not name.startswith("borrowed_")}
    assert own == replies
    assert set(learnt["replies"].values()) - set(own.values()) <= set(written.borrowed.values())
    assert len(learnt["labels"]) == len(set(learnt["labels"]))
    first = {intent.name: intent.questions[0] for intent in written.intents}
    assert learnt["asked"] == {name: way for name, way in first.items() if way.endswith("?")}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("is there a dark theme", "earshot_dark_mode"),
        ("put the captions on top of my browser", "earshot_overlay"),
        ("can it tell who is talking", "earshot_who_speaks"),
        ("type what i say into my mail program", "earshot_dictation"),
        ("caption my zoom call", "earshot_caption_computer_sound"),
    ],
)
def test_what_the_window_can_do_is_known(classifier: IntentClassifier, question: str, name: str) -> None:
    found = classifier.classify(question)
    assert (found.kind, found.name, found.sure) == ("intent", name, True)


def test_a_tool_stands_for_no_question(classifier: IntentClassifier) -> None:
    assert classifier.classify("what is your name").asked == "What is your name?"
    assert classifier.classify("Give me the gist of the meeting.").asked == ""


@pytest.mark.parametrize("damage", [{"labels": ["what"]}, {"limit": "high"}, {"replies": 3}, {"tool_limits": {}}])
def test_a_head_that_is_damaged_is_refused(tmp_path: Path, damage: dict[str, object]) -> None:
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        (tmp_path / name).symlink_to(FOLDER / name)
    shutil.copytree(FOLDER / HEAD, tmp_path / HEAD)
    path = tmp_path / HEAD / "intents.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | damage))
    with pytest.raises(ModelError, match="damaged"):
        IntentClassifier(tmp_path)
