"""Statements, which ask for nothing, beside questions about what was said."""

import pytest

from engine.answer.intents.classifier import starter_classifier
from engine.answer.tools.by_meaning import call_by_meaning
from engine.answer.tools.follow_ups import call_in
from engine.answer.tools.telling import tells, tells_of_somebody

STATEMENTS = """
The chairman opened the meeting with a joke.
Two people in the front row fell asleep.
Her proposal was turned down by the board.
Sales rose by four percent in May.
The heating in the hall is broken again.
Tom brought cake for everybody.
The report mentions the strike only once.
One of the pilots felt sick.
Every second child learns an instrument.
The agreement was signed in Geneva.
Last year the festival took place in the park.
My uncle works for the railway.
The speaker thanked the volunteers.
Our flight was delayed by two hours.
Most of the questions were about money.
The lawyer said nothing at all.
A decision on the bridge is still missing.
The museum has a new director.
Lisa and Mark have a meeting on Thursday.
The whole village talked about the flood.
In March the rent goes up again.
The last point on the list was easy.
Three of the four goals were reached.
Nothing was decided that night.
The conclusion of the book surprised me.
Grandma told the story of the wolf.
The neighbours complained about the noise.
Her last words were very kind.
The first half of the match was dull.
Prices have doubled since then.
The committee discussed the matter for hours.
Anna's opinion on the film is well known.
The topic of the lesson was photosynthesis.
The bus stops in front of the school.
John missed the beginning of the film.
People say that the lake is haunted.
The news about the fire spread quickly.
Our plan for the weekend failed.
Someone mentioned a new restaurant.
The summary at the end of the chapter helps a lot.
""".strip().splitlines()

QUESTIONS = """
what did they say about the rent
Did Lisa say anything about the flood?
who talked about the museum
When did Tom mention the cake?
has the strike been mentioned
what was decided about the bridge?
Tell me what Anna said about the film.
remind me what the lawyer said about the contract
Were there any remarks on the new director?
find what was said about the delay
What did I miss in the last five minutes?
can you sum up the last quarter of an hour
repeat the last sentence please
What was the last thing he said?
Sorry, I missed that.
I missed what they said about the noise.
what exactly did she say about the goals
when was the rent brought up
So, what did they agree on about the festival?
did the topic of money come up
Show me the lines about the agreement.
where did they mention Geneva
Did anybody complain about the heating?
what's the decision on the bridge
Could you tell me what was said about sales?
I want to know what they said about the lesson
quote what Mark said about the list
Go to the part about the photosynthesis.
Search the transcript for the word invoice.
what did the chairman tell us about the volunteers
Was the flight discussed?
Have they mentioned the pilots?
What were the main points so far?
Summarise the meeting.
what happened while I was away
Any mention of the restaurant?
and what did they say about the summary
What did John say at the beginning about the match?
give me the last three lines
Who asked about the money?
""".strip().splitlines()


def asks_for_tool(text: str) -> bool:
    return (call_in(text, ()) or call_by_meaning(text, (), starter_classifier())) is not None


def test_a_statement_is_no_question_about_the_meeting() -> None:
    assert [text for text in ("A third of the class was ill.", *STATEMENTS) if asks_for_tool(text)] == []


def test_what_asks_does_not_tell() -> None:
    assert [text for text in QUESTIONS if tells(text.rstrip("?."))] == []


def test_questions_about_the_meeting_are_understood() -> None:
    missed = [text for text in QUESTIONS if not asks_for_tool(text)]
    assert len(missed) <= 3, missed


@pytest.mark.parametrize("text", ["We're done, stop the captions.", "That was a mistake, undo it"])
def test_a_request_may_follow_what_is_told(text: str) -> None:
    assert not tells_of_somebody(text)


@pytest.mark.parametrize("text", ["We're done with dinner.", "She left, and that was all"])
def test_what_is_told_of_somebody_asks_for_nothing(text: str) -> None:
    assert tells_of_somebody(text)
