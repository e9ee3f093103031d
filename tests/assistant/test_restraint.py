"""Limits to a model's answer: no repetition, nobody else's words, no instruction, and an end."""

import pytest

from engine.answer.prompt import EXAMPLES, INSTRUCTION
from engine.answer.sentences import SentenceSplitter
from engine.assistant.assistant import AssistantSession
from engine.assistant.reply_audio import CHARACTERS_A_SECOND
from engine.assistant.restraint import MOST_SECONDS, Restraint
from engine.clock import RealClock
from engine.turns import Language, Sentence, Turn
from tests.scripted_model import ScriptedModel
from tests.speak.scripted_voice import ScriptedVoice

ASKED = "Tell me about bread."


def said(text: str) -> tuple[list[str], Turn]:
    """Return the sentences that are said where a model writes a text, and the turn."""
    session = AssistantSession(None, ScriptedModel(lambda asked: text), None, clock=RealClock())  # type: ignore[arg-type]
    events = list(session.ask(ASKED))
    (turn,) = (each for each in events if isinstance(each, Turn))
    assert session.history[-1].reply == turn.reply
    return [each.text for each in events if isinstance(each, Sentence)], turn


def test_an_answer_without_fault_is_said_as_it_is() -> None:
    text = "Bread is made of flour. Some is sour. Yes. Water is in it too."
    sentences, turn = said(text)
    assert (" ".join(sentences), turn.reply, turn.ended) == (text, text, "end")


def test_a_sentence_that_comes_again_ends_the_answer() -> None:
    sentences, turn = said("Bread is made of flour. It is baked at home. " * 20)
    assert sentences == ["Bread is made of flour.", "It is baked at home."]
    assert (turn.reply, turn.ended) == ("Bread is made of flour. It is baked at home.", "end")


def test_an_answer_that_reads_out_the_examples_of_the_prompt_ends_there() -> None:
    examples = [text for example in EXAMPLES for text in example]
    assert Restraint().pass_on(examples) == []
    assert Restraint().pass_on(["That is done.", *examples]) == ["That is done."]


def test_who_has_nothing_else_to_say_than_the_examples_says_that_it_is_not_understood() -> None:
    sentences, turn = said(" ".join(text for example in EXAMPLES for text in example))
    assert sentences[0] == "I am not sure what you mean."
    assert (turn.reply, turn.ended) == (" ".join(sentences), "end")


def test_a_list_that_says_the_same_again_ends_the_answer() -> None:
    sentences, turn = said(
        "1. Bread is the oldest food that people bake at home.\n2. Some of it is sour.\n"
        "3. Bread is the oldest food that people bake at home.\n4. Some of it is sour.\n"
    )
    assert sentences == ["1. Bread is the oldest food that people bake at home.", "2. Some of it is sour."]
    assert turn.ended == "end"


def test_a_sentence_made_of_what_was_said_ends_the_answer() -> None:
    begun = [
        "It is the only food that is baked in the oven.",
        "It is the oldest food that is baked in the oven at home.",
    ]
    assert Restraint().pass_on([*begun, "It is the oldest food that is baked in the oven.", "Salt is in it."]) == begun


def test_sentences_that_are_built_alike_are_all_said() -> None:
    alike = [f"The capital of {country} is {city}." for country, city in (("France", "Paris"), ("Spain", "Madrid"))]
    alike += ["First open the window of the kitchen.", "Then close the window of the kitchen again.", "Then go home."]
    assert Restraint().pass_on(alike) == alike


def test_words_that_go_round_in_a_circle_are_said_once() -> None:
    sentences, turn = said(
        "It is baked and then it is baked and then it is baked and then " + "it is baked and then " * 9
    )
    assert turn.reply.count("baked") <= 2
    assert len(sentences) == 1


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Siri\n" * 80, ["Siri"]),
        ("| Earth | one |\n| Mars | two |\n" * 20, ["Earth, one", "Mars, two", "Earth, one"]),
        ("Yes.\nSo it is.\nYes.\nNo.\nYes.", ["Yes.", "So it is.", "Yes.", "No.", "Yes."]),
        ("I am fine. I am fine.\nBread is baked.", ["I am fine.", "Bread is baked."]),
        ("Bread is baked. I'm I'm I'm I'm I'm I'm", ["Bread is baked."]),
    ],
)
def test_short_sentences_may_come_again_but_not_in_a_circle(text: str, kept: list[str]) -> None:
    assert said(text)[0] == kept


def test_a_sentence_that_never_ends_is_stopped_in_its_circle() -> None:
    for text, kept in (
        ("The sum is x + y + z + " + "x + y + z + " * 30, ["The sum is x + y + z +"]),
        ("Bread is baked. It is " + "made of flour of wheat of " * 30, ["Bread is baked."]),
    ):
        restraint, written = Restraint(), []
        splitter = SentenceSplitter()
        for end in range(len(text)):
            written += restraint.pass_on(splitter.add(text[: end + 1]), text[: end + 1])
            if restraint.over:
                break
        assert (written, end < 130) == (kept, True)


def test_code_that_goes_round_in_a_circle_is_closed_after_the_first_round() -> None:
    first = "```python\ndef add(first, second):\n    return first + second\n"
    again = "\n\ndef take(first, second):\n    return first - second\n"
    for text, kept in (
        (first + again * 20, f"{first}{again}```"),
        ("```\n" + "0 abc " * 60, "```\n0 abc\n```"),
    ):
        restraint = Restraint()
        assert restraint.pass_on((), text) == [kept]
        assert restraint.over


@pytest.mark.parametrize(("asked", "most_forwards"), [(ASKED, 150), ("What is the code for bread?", 250)])
def test_a_model_that_goes_round_in_a_circle_is_not_asked_on(asked: str, most_forwards: int) -> None:
    code = "```python\nprint(1)\n" + "take(first, second)\n" * 100
    model = ScriptedModel(lambda prompt: code, assistant_instruction=None)
    *_, turn = AssistantSession(None, model, None, clock=RealClock()).ask(asked)  # type: ignore[arg-type]
    assert isinstance(turn, Turn)
    assert turn.reply == "```python\nprint(1)\ntake(first, second)\n```"
    assert model.forwards < most_forwards


def test_code_that_is_built_alike_is_not_stopped() -> None:
    lines = "".join(f"    total += prices[{number}] * amounts[{number}]\n" for number in range(9)) + "    print()\n" * 4
    restraint = Restraint()
    assert restraint.pass_on((), f"```python\n{lines}# {'-' * 100}") == []
    assert not restraint.over


def test_code_is_shown_as_it_is_and_once() -> None:
    code = "```sh\nls\n  ls -l; ls -l; ls -l; ls -l; ls -l\n```"
    sentences, turn = said(f"This lists files:\n{code}\nTry it at home.\n{code}\n")
    assert sentences == ["This lists files:", code, "Try it at home."]
    assert (turn.reply, turn.ended) == (" ".join(sentences), "end")


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "There is code on the screen."),
        ("de", "Auf dem Bildschirm steht Programmcode."),
        (None, "There is code on the screen."),
    ],
)
def test_code_is_not_read_out(language: Language | None, told: str) -> None:
    voice = ScriptedVoice()
    voice.language = language
    model = ScriptedModel(lambda asked: "```sh\nls -l; ls -l\n```\nTry it at home.")
    list(AssistantSession(None, model, voice, clock=RealClock()).ask(ASKED))  # type: ignore[arg-type]
    assert voice.begun == [told, "Try it at home."]


@pytest.mark.parametrize("mark", ["User: And what is cake?", "Human: What is cake?", "<|im_start|>user What is cake?"])
def test_what_the_user_might_say_next_is_not_said(mark: str) -> None:
    sentences, turn = said(f"Bread is made of flour. {mark} Cake is sweet and it is round.")
    assert sentences == ["Bread is made of flour."]
    assert turn.reply == "Bread is made of flour."


def test_roles_and_marks_of_turns_are_not_said() -> None:
    assert said("Assistant: Bread is made of flour.<|im_end|>")[0] == ["Bread is made of flour."]


def test_the_instruction_is_not_read_out() -> None:
    first = INSTRUCTION.split(". ")[0] + "."
    sentences, _ = said(f"{first} Bread is made of flour.")
    assert sentences == ["Bread is made of flour."]


def test_an_answer_comes_to_an_end() -> None:
    restraint = Restraint()
    sentences = [f"This is sentence number {number} of very many." for number in range(1000)]
    kept = restraint.pass_on(sentences)
    assert restraint.over
    seconds = sum(map(len, kept)) / CHARACTERS_A_SECOND
    assert MOST_SECONDS <= seconds < MOST_SECONDS + 5
