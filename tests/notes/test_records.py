"""Notes that are made again keep what a person wrote."""

from __future__ import annotations

from dataclasses import replace

from engine.notes.records import NoteLine, Notes, NotesSection, kept_by_hand, made_again


def notes(*lines: NoteLine) -> Notes:
    return Notes("meeting", (NotesSection("tasks", "Tasks", lines),))


def test_lines_of_a_person_stay_in_place_of_new_ones_about_the_same() -> None:
    own = NoteLine("Ben calls.", (4,), by_hand=True)
    old = notes(NoteLine("Anna writes.", (2,)), own)
    new = notes(NoteLine("Anna will write.", (2,)), NoteLine("Ben will call.", (4,)), NoteLine("Eve sings.", (7,)))
    assert kept_by_hand(new, old).lines == (NoteLine("Anna will write.", (2,)), own, NoteLine("Eve sings.", (7,)))


def test_without_old_notes_the_new_ones_stand() -> None:
    new = notes(NoteLine("Anna writes.", (2,)))
    assert kept_by_hand(new, None) == new


def test_lines_of_a_person_stay_where_another_template_has_no_such_section() -> None:
    own, note = NoteLine("Mine.", by_hand=True), NoteLine("Ben calls.", (4,))
    decisions = NotesSection("decisions", "Decisions", (NoteLine("We go.", (1,)),))
    old = Notes("meeting", (NotesSection("tasks", "Tasks", (NoteLine("Anna writes.", (2,)), own)), decisions))
    new = Notes("other", (NotesSection("topics", "Topics", (note,)),))
    assert kept_by_hand(new, old).sections == (*new.sections, NotesSection("tasks", "Tasks", (own,)))


def test_lines_of_a_person_stay_once_in_the_one_of_two_alike_sections_that_they_were_in() -> None:
    own = NoteLine("Mine.", by_hand=True)
    first, second = NotesSection("topics", "Ours"), NotesSection("topics", "Theirs")
    old = Notes("own", (first, replace(second, lines=(own,))))
    assert kept_by_hand(Notes("own", (first, second)), old) == old


def test_of_a_part_only_the_lines_that_rest_on_it_are_made_again() -> None:
    own, added = NoteLine("Mine.", (3,), by_hand=True), NoteLine("Also mine.", by_hand=True)
    old = notes(NoteLine("Before.", (1,)), NoteLine("Within.", (3,)), own, NoteLine("Across.", (4, 5)), added)
    part = notes(NoteLine("New.", (3, 4)))
    assert made_again(old, part, range(2, 5)).lines == (
        NoteLine("Before.", (1,)),
        own,
        NoteLine("New.", (3, 4)),
        NoteLine("Across.", (4, 5)),
        added,
    )
