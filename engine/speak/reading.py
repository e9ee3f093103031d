"""Written sentences as a person would read them out: addresses, prices, fractions, formulas and abbreviations.

Voices know numbers and titles by themselves. Everything that they would spell out sign by sign is replaced by words
here, and figures are put as people say them (`engine.speak.figures`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from html import unescape
from importlib import resources
from typing import TYPE_CHECKING, Any

from engine.speak.figures import figures_aloud

if TYPE_CHECKING:
    from engine.turns import Language

MOST_ADDRESS = 40
"""Longest address that is read in full, in characters. Of a longer one only the host is read."""

_TAG = re.compile(
    r"<\|[^<>|]*\|>|</?(?:a|b|br|code|div|em|h[1-6]|hr|html|body|head|i|li|ol|p|pre|span|strong|sub|sup|table|td|th|tr|u|ul)\b[^<>]*>",
    re.I,
)
_ADDRESS = re.compile(r"<?\b(?:https?://(?:www\.)?|www\.)([^\s<>]*[^\s<>.,;:!?'\")\]/])/?>?", re.I)
_MAIL = re.compile(r"(?<![\w.+-])(?:mailto:)?([\w.+-]+)@([\w-]+(?:\.[\w-]+)+)")
_RANGE = re.compile(r"(?<![\w./:,–-])(?<!\d )(\d{1,4})([–-])(\d{1,4})(?![\w/:–-]|[.,]\d)")
_ROUNDLY = re.compile(r"(?<!\S)~ ?(?=[\d$€£])")
_TIMES = re.compile(r"(?<=\d) ?[*×] ?(?=\d)|\\(?:times|cdot)\b")
_POWER = re.compile(r"(?<=[\w)])(?:\^(?:\{([^{}]*)\}|(\w))|([²³]))")
_ROOT = re.compile(r"\\sqrt *\{([^{}]*)\}")
_FRACTION = re.compile(r"\\[dt]?frac *\{([^{}]*)\} *\{([^{}]*)\}")
_STYLED = re.compile(r"\\(?:text\w*|math\w+|operatorname) *\{([^{}]*)\}")
_SET_APART = re.compile(r"\\[()\[\],;!]|\$\$|\\(?:begin|end) *\{[^{}]*\}|\\(?:left|right)\b|(?<!\w)\$(?=[^\s\d$])")
_CLOSING_DOLLAR = re.compile(r"(?<=[\w)}])\$(?![\w$])")
_NAMED = re.compile(r"\\([a-zA-Z]+)")
_MOST_NESTED = 4


def read_aloud(sentence: str, language: Language) -> str:
    """Rewrite a sentence as a person would read it out in the language of the voice."""
    words = _words(language)
    text = unescape(_TAG.sub(" ", sentence))
    text = _ADDRESS.sub(lambda found: _address(found[1], words), text)
    text = _MAIL.sub(lambda found: f"{_dotted(found[1], words)} {words['at']} {_dotted(found[2], words)}", text)
    text = _formula(text, words)
    text = _ROUNDLY.sub(f"{words['about']} ", text)
    text = figures_aloud(text, language, words)
    text = _RANGE.sub(lambda found: _range(found, words), text)
    text = _signs(language).sub(lambda found: _sign(found, words), text)
    return re.sub(r" (?=[.,;:!?](?:\s|$))", "", " ".join(text.split()))


def _address(address: str, words: Mapping[str, Any]) -> str:
    """Read an address without its scheme, and of a long one only the host."""
    plain = re.split(r"[?#]", address)[0].rstrip("/")
    if len(address) > MOST_ADDRESS:
        plain = plain.split("/")[0]
    return _dotted(plain, words).replace("/", f" {words['slash']} ")


def _dotted(name: str, words: Mapping[str, Any]) -> str:
    return name.replace(".", f" {words['dot']} ")


def _formula(text: str, words: Mapping[str, Any]) -> str:
    """Replace the commonest LaTeX commands by words, inner ones first, and drop the braces."""
    if "\\" in text or "$" in text:
        text = _CLOSING_DOLLAR.sub("", _SET_APART.sub(" ", text)) if "\\" in text or "^" in text else text
        for _ in range(_MOST_NESTED):
            text = _STYLED.sub(r"\1", text)
            text = _ROOT.sub(rf"{words['root']} \1", text)
            text = _FRACTION.sub(rf"\1 {words['over']} \2", text)
    text = _POWER.sub(lambda found: _power(found, words), text)
    text = _TIMES.sub(f" {words['times']} ", text)
    return re.sub(r"[{}]", "", _NAMED.sub(r" \1 ", text.replace(r"\pm", "±"))) if "\\" in text else text


def _power(found: re.Match[str], words: Mapping[str, Any]) -> str:
    raised = found[1] or found[2] or "23"["²³".index(found[3])]
    return " " + str(words["powers"].get(raised, f"{words['power']} {raised}"))


def _range(found: re.Match[str], words: Mapping[str, Any]) -> str:
    """Read "10-20" as from one to the other, but leave what may be a telephone number or a score."""
    first, dash, last = found.groups()
    rises = int(first) < int(last) and len(last) - len(first) in (0, 1) and (len(first), len(last)) != (3, 4)
    return f"{first} {words['to']} {last}" if rises or dash == "–" else found[0]


def _sign(found: re.Match[str], words: Mapping[str, Any]) -> str:
    behind_number = f" {words['and']} " if found[1] else ""
    return behind_number + str(words["signs"][found[2].lower()])


@cache
def _signs(language: Language) -> re.Pattern[str]:
    """Return a pattern of the signs that stand for words, with the space before one after a number: "1 1/2"."""
    signs = "|".join(map(re.escape, _words(language)["signs"]))
    return re.compile(rf"(?:(?<=\d)( )(?=\d)|(?<![\w/.,-]))({signs})(?![\w/]|[.,]\d)", re.I)


@cache
def _words(language: Language) -> Mapping[str, Any]:
    content = resources.files(__package__).joinpath("reading.toml").read_text(encoding="utf-8")
    words: Mapping[str, Any] = tomllib.loads(content)[language]
    return words
