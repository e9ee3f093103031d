"""Sources of aligned text, with their packages and licences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lab.recipes.parallel_text.catalogues import catalogue_pairs
from lab.recipes.parallel_text.lines import dictionary_examples, fillets_lines
from lab.recipes.parallel_text.packages import Files
from lab.recipes.parallel_text.pages import Pages, html_paragraphs, manual_paragraphs
from lab.recipes.sentences.pairs import LANGUAGES, Pair

_CATALOGUES = r"\.(mo|po|qm)$"
_CAMPAIGNS = "data did dm dw ei httt l low nr sof sota sotbe thot trow tsg ttb utbs"
_WESNOTH = tuple(f"wesnoth-1.18-{part}|wesnoth-1.16-{part}" for part in _CAMPAIGNS.split())


@dataclass(frozen=True, slots=True)
class Source:
    """A source of pairs.

    Attributes:
        packages: of Debian, with {code} or {language} in those that each language has; "a|b" is a or else b.
        wanted: expression of the paths that are read.
        weight: how often a pair of it is drawn, beside 1 for what people say.
    """

    name: str
    packages: tuple[str, ...]
    wanted: str
    pairs: Callable[[Files, str], Iterator[Pair]]
    licence: str
    weight: float

    def packages_for(self, codes: tuple[str, ...]) -> list[str]:
        """Return the packages that some languages need, each once."""
        named = (name.format(code=code, language=LANGUAGES[code][0]) for name in self.packages for code in codes)
        return list(dict.fromkeys(named))

    @property
    def paths(self) -> re.Pattern[str]:
        """Return the expression of the paths that are read."""
        return re.compile(self.wanted)


def _catalogues(name: str, packages: tuple[str, ...], licence: str, weight: float) -> Source:
    return Source(name, packages, _CATALOGUES, catalogue_pairs, licence, weight)


def _pages(name: str, packages: tuple[str, ...], path: str, english: str, licence: str, weight: float) -> Source:
    return Source(name, packages, r"\.(html|page)$", Pages(path, english, html_paragraphs).pairs, licence, weight)


SOURCES = (
    Source("fillets", ("fillets-ng-data",), r"/dialogs_\w+\.lua$", fillets_lines, "GPL-2+", 1.0),
    _catalogues("wesnoth", _WESNOTH, "GPL-2+, parts CC BY-SA 4.0", 1.0),
    _catalogues("freedroid", ("freedroidrpg-data",), "GPL-2+", 1.0),
    _catalogues("widelands", ("widelands-data",), "GPL-2+", 0.7),
    _catalogues("games", ("freeciv-data", "supertux-data"), "GPL-2+, GPL-3+", 0.5),
    _catalogues("gcompris", ("gcompris-qt-data",), "GPL-3+, parts AGPL-3", 0.7),
    _catalogues("science", ("kstars-data", "marble-data", "kalzium-data", "step"), "GPL-2+, LGPL-2.1+", 0.4),
    _catalogues(
        "desktop",
        ("evolution-common", "gnome-software-common", "gnome-maps", "gnome-boxes", "nautilus-data", "shotwell-common",
         "rhythmbox-data", "gnucash-common", "gramps", "kmail", "korganizer", "akregator", "systemsettings", "dolphin",
         "okular", "plasma-desktop-data", "krita-l10n", "digikam-data", "deja-dup", "calibre"),
        "GPL-2+, GPL-3+, LGPL-2.1+",
        0.2,
    ),
    _pages("gnome-help", ("gnome-user-docs",), r"/help/{code}/", "/help/C/", "CC BY-SA 3.0", 0.5),
    _pages("libreoffice-help", ("libreoffice-help-en-us", "libreoffice-help-{code}"),
           r"/help/{code}/", "/help/en-US/", "MPL-2.0", 0.2),
    _pages("gimp-help", ("gimp-help-en", "gimp-help-{code}"), r"/help/{code}/", "/help/en/", "GFDL-1.2+", 0.2),
    _pages("debian-handbook", ("debian-handbook",), r"/html/{code}-{country}/", "/html/en-US/",
           "GPL-2+ or CC BY-SA 3.0", 0.3),
    _pages("debian-reference", ("debian-reference-en", "debian-reference-{code}"), r"\.{code}\.html$", ".en.html",
           "GPL-2+", 0.1),
    Source("manual-pages", ("manpages", "manpages-dev", "coreutils", "util-linux", "apt", "dpkg", "procps", "tar",
                            "manpages-{code}"),
           r"/man/(\w\w/)?man\d/", Pages(r"/man/{code}/", "/man/", manual_paragraphs).pairs,
           "GPL-3+, and each page's own", 0.1),
    Source("freedict", ("dict-freedict-eng-{language}",), r"\.dict\.dz$", dictionary_examples, "GPL-2+ (Ding)", 0.08),
)  # fmt: skip
"""All sources, those that people would say first."""
