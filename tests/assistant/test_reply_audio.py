import numpy as np
import pytest

from engine.assistant.reply_audio import SpokenReply

RATE = 16_000


def spoken() -> SpokenReply:
    """Make a reply of two sentences of a second each, both handed over at second 10."""
    reply = SpokenReply(RATE)
    for text in ("One two three four.", "Five six seven eight."):
        reply.begin(text)
        for _ in range(10):
            reply.add(np.full(1600, 0.5, np.float32), 10.0)
        reply.end()
    return reply


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.0, ""),
        (0.05, ""),
        (0.2, "One"),
        (0.5, "One two"),
        (1.0, "One two three four."),
        (1.5, "One two three four. Five six"),
        (2.0, "One two three four. Five six seven eight."),
        (9.0, "One two three four. Five six seven eight."),
    ],
)
def test_what_was_said_goes_by_how_much_was_played(seconds: float, said: str) -> None:
    assert spoken().said(seconds) == said


def test_sound_counts_as_played_from_the_moment_it_is_there() -> None:
    reply = spoken()
    assert [reply.played_seconds(now) for now in (10.0, 10.5, 12.0, 20.0)] == pytest.approx([0.0, 0.5, 2.0, 2.0])
    assert [reply.sounding(moment) for moment in (9.9, 10.0, 11.9, 12.0)] == [False, True, True, False]


def test_whoever_plays_it_knows_better() -> None:
    reply = spoken()
    reply.played(0.5, 11.0)
    assert reply.played_seconds(11.0) == pytest.approx(0.5)
    assert reply.sounding(12.4)
    assert not reply.sounding(12.6)


def test_what_falls_silent_is_played_no_further_and_can_be_handed_over_again() -> None:
    reply = spoken()
    reply.silence(10.75)
    assert reply.played_seconds(15.0) == pytest.approx(0.75)
    rest = reply.rest(0.75)
    assert [number for number, _ in rest] == [0] * 3 + [1] * 10
    reply.hand_over_again(rest, 15.0)
    assert reply.ahead(15.0) == pytest.approx(1.3)
    assert reply.played_seconds(16.3) == pytest.approx(2.0)


def test_the_sound_at_a_moment_is_what_was_played_then() -> None:
    sound = spoken().sound(9.5, 12.5)
    assert len(sound) == 3 * RATE
    assert not sound[: RATE // 2].any()
    assert (sound[RATE // 2 : 5 * RATE // 2] == 0.5).all()
    assert not sound[5 * RATE // 2 :].any()
