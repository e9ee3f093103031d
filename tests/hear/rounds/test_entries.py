from collections.abc import Sequence
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from engine.events import Caption, Word, text_of
from engine.hear.rounds.entries import CaptionEntries


def words(text: str, start: float = 0.0, step: float = 0.4) -> list[Word]:
    return [Word(f" {part}", start + i * step, start + (i + 1) * step) for i, part in enumerate(text.split())]


def enter(
    entries: CaptionEntries,
    committed: Sequence[Word] = (),
    pending: Sequence[Word] = (),
    *,
    ended: bool = False,
    sentence_ended: bool = False,
) -> list[Caption]:
    return entries.update(
        committed,
        pending,
        ended=ended,
        sentence_ended=sentence_ended,
        audio_seconds=9.0,
        emitted_seconds=9.5,
        language="en",
    )


def looks(captions: Sequence[Caption]) -> list[tuple[int, int, str, str, bool]]:
    return [(c.id, c.revision, c.text, c.pending_text, c.final) for c in captions]


def test_an_entry_grows_by_revisions() -> None:
    entries = CaptionEntries()
    line = words("one two three")
    assert looks(enter(entries, [], line[:2])) == [(1, 0, "", "one two", False)]
    assert looks(enter(entries, line[:1], line[1:])) == [(1, 1, "one", "two three", False)]
    assert looks(enter(entries, line[1:], [])) == [(1, 2, "one two three", "", False)]


def test_an_entry_that_was_begun_before_is_gone_on_with() -> None:
    begun = Caption(4, 2, -1.0, 0.0, tuple(words("This is", -1.0)), (), False, 0.0, 0.0)
    entries = CaptionEntries(count(9), begun=begun)
    assert looks(enter(entries, words("new."), words("How", 0.8))) == [
        (4, 3, "This is new.", "", False),
        (9, 0, "", "How", False),
    ]


def test_an_open_entry_ends_where_another_voice_turns_out_to_have_begun() -> None:
    turns = [0]
    entries = CaptionEntries(turn_within=lambda words: turns.pop() if turns else 0)
    line = words("one two three four five six")
    enter(entries, line[:4], line[4:])
    turns[:] = [0, 2]
    first, second = enter(entries, line[4:5], line[5:])
    assert looks([first, second]) == [(1, 1, "one two", "", True), (2, 0, "three four five", "six", False)]
    assert (first.moved, second.moved) == (0, 2)
    (grown,) = enter(entries, line[5:])
    assert looks([grown]) == [(2, 1, "three four five six", "", False)] and grown.moved == 2
    (ended,) = enter(entries, ended=True)
    assert (ended.id, ended.final, ended.moved) == (2, True, 2)
    assert looks(enter(entries, words("seven", 4.0))) == [(3, 0, "seven", "", False)]


def test_two_turns_within_an_open_entry_end_it_twice_and_no_word_is_lost() -> None:
    turns: list[int] = []
    entries = CaptionEntries(turn_within=lambda words: turns.pop() if turns else 0)
    line = words("one two three four five. Six")
    enter(entries, line[:4], line[4:])  # "Six" is a pending entry of its own
    turns[:] = [0, 1, 2]
    shown = enter(entries, [], line[4:])
    assert looks(shown) == [
        (1, 1, "one two", "", True),
        (2, 1, "three", "", True),
        (3, 0, "four", "five.", False),
        (4, 0, "", "Six", False),
    ]
    assert [each.moved for each in shown] == [0, 2, 1, 0]


def test_two_streams_share_a_counter_and_no_number_comes_twice() -> None:
    ids = count(1)
    here, there = CaptionEntries(ids, "You"), CaptionEntries(ids, "Call")
    assert looks(enter(here, [], words("one. Two"))) == [(1, 0, "", "one.", False), (2, 0, "", "Two", False)]
    (call,) = enter(there, [], words("three"))
    assert (call.id, call.speaker) == (3, "Call")
    assert looks(enter(here, words("one. Two"), words("four", 0.8), sentence_ended=True))[0] == (1, 1, "one.", "", True)
    assert [each.id for each in enter(here, words("four", 0.8), [], ended=True)] == [2]
    assert [each.id for each in enter(here, [], words("five", 5.0))] == [4]


def test_an_entry_that_lost_all_its_words_stands_at_the_present() -> None:
    entries = CaptionEntries()
    enter(entries, [], words("one"))
    (gone,) = enter(entries)
    assert (gone.text, gone.pending_text, gone.start, gone.end) == ("", "", 9.0, 9.0)


def test_what_looks_the_same_is_not_shown_again() -> None:
    entries = CaptionEntries()
    enter(entries, words("one"), words("two", 0.4))
    assert enter(entries, [], words("two", 0.5)) == []


def test_an_entry_is_final_when_the_first_word_of_the_next_is_committed() -> None:
    entries = CaptionEntries()
    first, second = words("Hello there."), words("How", 0.8)
    assert looks(enter(entries, first, second)) == [(1, 0, "Hello there.", "", False), (2, 0, "", "How", False)]
    assert looks(enter(entries, second, [])) == [(1, 1, "Hello there.", "", True), (2, 1, "How", "", False)]


def test_several_sentences_at_once_become_several_entries() -> None:
    captions = enter(CaptionEntries(), words("One. Two. Three"), [])
    assert looks(captions) == [(1, 0, "One.", "", True), (2, 0, "Two.", "", True), (3, 0, "Three", "", False)]


def test_at_the_end_of_speech_a_whole_sentence_is_final_and_half_a_one_waits() -> None:
    entries = CaptionEntries()
    assert looks(enter(entries, words("All done."), [], sentence_ended=True)) == [(1, 0, "All done.", "", True)]
    assert looks(enter(entries, words("and then", 2.0), [], sentence_ended=True)) == [(2, 0, "and then", "", False)]
    assert looks(enter(entries, words("we left", 2.8), [])) == [(2, 1, "and then we left", "", False)]
    assert looks(enter(entries, ended=True)) == [(2, 2, "and then we left", "", True)]


def test_pending_words_that_vanish_leave_an_empty_entry_whose_number_is_used_again() -> None:
    entries = CaptionEntries()
    enter(entries, words("Done."), words("you", 2.4))
    assert looks(enter(entries)) == [(2, 1, "", "", False)]
    assert enter(entries) == []
    assert looks(enter(entries, [], words("But", 2.0))) == [(2, 2, "", "But", False)]


def test_times_are_those_of_the_words_and_both_clocks_are_noted() -> None:
    caption = enter(CaptionEntries(), words("one two", 1.0), words("three", 1.8))[0]
    assert (caption.start, caption.end) == (1.0, 1.8)
    assert (caption.audio_seconds, caption.emitted_seconds, caption.language) == (9.0, 9.5, "en")
    tail = enter(CaptionEntries(), [], words("three", 1.8))[0]
    assert (tail.start, tail.end) == (1.8, 2.2)


def test_nothing_ends_twice() -> None:
    entries = CaptionEntries()
    enter(entries, words("one"), [])
    assert len(enter(entries, ended=True)) == 1
    assert enter(entries, ended=True) == []


PARTS = st.sampled_from(["a", "b.", "Mr.", "etc.", "c,", "D", "e?", "3."])
ROUNDS = st.lists(st.tuples(st.lists(PARTS, max_size=4), st.lists(PARTS, max_size=4), st.booleans()), max_size=20)


@given(ROUNDS)
def test_committed_words_stay_in_their_entry_whatever_pends(rounds: list[tuple[list[str], list[str], bool]]) -> None:
    entries = CaptionEntries()
    now = 0.0
    latest: dict[int, Caption] = {}
    everything: list[str] = []
    for certain, unsure, sentence_ended in rounds:
        committed = words(" ".join(certain), now)
        now += 0.4 * len(certain)
        everything += certain
        for caption in enter(entries, committed, words(" ".join(unsure), now), sentence_ended=sentence_ended):
            before = latest.get(caption.id)
            if before:
                assert not before.final
                assert caption.revision == before.revision + 1
                assert caption.committed[: len(before.committed)] == before.committed
            assert not (caption.final and caption.pending)
            latest[caption.id] = caption
    for caption in enter(entries, ended=True):
        latest[caption.id] = caption
    shown = sorted((c for c in latest.values() if c.committed), key=lambda caption: caption.id)
    assert " ".join(text_of(caption.committed) for caption in shown) == " ".join(everything)
    assert all(caption.final for caption in shown)


def test_a_word_of_another_speaker_begins_an_entry_with_that_name() -> None:
    said = words("one two three four five")

    def speakers(line: Sequence[Word]) -> list[str]:
        return ["Ann" if word.start < 0.8 else "Bob" for word in line]

    entries = CaptionEntries(word_speakers=speakers)
    first = enter(entries, said[:1], said[1:])
    assert [(each.id, each.speaker, each.final) for each in first] == [(1, "Ann", False)]
    second = enter(entries, said[1:])
    assert [(each.id, each.speaker, each.text, each.final) for each in second] == [
        (1, "Ann", "one two", True),
        (2, "Bob", "three four five", False),
    ]
