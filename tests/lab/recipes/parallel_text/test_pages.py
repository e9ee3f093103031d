"""Paragraphs of pages, side by side."""

from __future__ import annotations

import gzip

from lab.recipes.parallel_text.pages import Pages, html_paragraphs, manual_paragraphs
from lab.recipes.sentences.pairs import Pair

HELP = Pages(r"/help/{code}/", "/help/en-US/", html_paragraphs)
MANUAL = Pages(r"/man/{code}/", "/man/", manual_paragraphs)


def test_paragraphs_are_paired_by_their_identifiers() -> None:
    files = {
        "help/en-US/a.html": b'<p id="par_id1">Save <b>the file</b> &amp; go .</p><p id="par_id2">Only here.</p>',
        "/help/en-US/a.html": b'<p id="par_id1">Save <b>the file</b> &amp; go .</p><p id="par_id2">Only here.</p>',
        "/help/de/a.html": b'<h1 id="hd_id9">Neu</h1><p id="par_id1">Sichern und gehen.</p>',
        "/help/de/without-english.html": b'<p id="par_id1">Allein.</p>',
    }
    assert list(HELP.pairs(files, "de")) == [Pair("Save the file & go.", "Sichern und gehen.")]
    assert list(HELP.pairs(files, "fr")) == []


def test_paragraphs_without_identifiers_are_paired_only_where_all_are_alike() -> None:
    english = b'<title>Fish</title><p>They swim.</p><div class="para">They eat.</div><div>Ad</div>'
    files = {
        "/help/en-US/a.html": english,
        "/help/es/a.html": b'<title>Peces</title><p>Nadan.</p><div class="para">Comen.</div>',
    }
    assert Pair("They eat.", "Comen.") in list(HELP.pairs(files, "es"))
    files["/help/es/a.html"] = b"<title>Peces</title><p>Nadan y comen.</p>"
    assert list(HELP.pairs(files, "es")) == []


def test_sections_of_manual_pages_are_paired_without_macros() -> None:
    english = rb""".\" A remark
.TH TAR 1
.SH NAME
tar \- an archiver
.SH DESCRIPTION
.B tar
saves \fImany\fR files.
.PP
It is old.
.SH BUGS
None.
Really none.
"""
    german = rb""".TH TAR 1
.SH BEZEICHNUNG
tar \- ein Archivierer
.SH BESCHREIBUNG
.B tar
sichert \fIviele\fR Dateien.
.PP
Es ist alt.
.SH FEHLER
.PP
Keine.
.SH UEBERSETZUNG
Von Freiwilligen.
"""
    files = {"usr/share/man/man1/tar.1": english, "usr/share/man/de/man1/tar.1": gzip.compress(german)}
    pairs = list(MANUAL.pairs(files, "de"))
    assert Pair("tar - an archiver", "tar - ein Archivierer") in pairs
    assert Pair("It is old.", "Es ist alt.") in pairs
    assert Pair("tar saves many files.", "tar sichert viele Dateien.") in pairs
    assert not any("none" in pair.source for pair in pairs)
