"""Docstrings are plain English: they open with a verb of the field or a noun, and hold no figures of benchmarks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

_OPENINGS = (
    (
        r"About|Above|After|Against|Along|Among|Around|As|At|Before|Behind|Below|Beneath|Beside|Besides|Between|Beyond|By|"
        r"Despite|Down|During|Except|For|From|In(?!:)|Inside|Into|Like|Near|Of|Off|On|Onto|Out(?!:)|Outside|Over|Per|"
        r"Since|Than|Through|Till|To|Towards?|Under|Until|Unto|Up|Upon|Via|While|With|Within|Without|If|Once|Unless",
        "open with a verb (Return, Start, Send) or a noun, not with a preposition",
    ),
    (r"So (?:much|many|long|far|few|little|often)", "say what it counts or bounds: Longest caption, in seconds"),
    (r"What|Whatever|Whether|How|However|Which|Where|Wherever|When|Whenever|Who|Whose|Why", "name the thing itself"),
    (r"Gives?", "write Return, Yield, Send or Provide"),
    (r"Have|Has", "write what is done: Start, Apply, Make; of a class write what it is"),
    (r"Takes?", "write Accept, Receive, Remove, Record or Adopt"),
    (r"Tells?|Says?", "write Return, Report, Print or Notify"),
    (r"Longer|Shorter|More|Less|Fewer|Larger|Smaller|Wider|Narrower|Higher", "say what it bounds: Longest caption"),
    (r"Does|Is|Are|Was|Were|Be|Being|Can|May|Must|Shall|Should|Will", "open with a verb or give it a subject"),
)  # fmt: skip

_LATER_OPENINGS = (
    (r"So (?:much|many|few|little)", "say what it counts or bounds"),
    (r"Of (?:what|whom|which|when|how|where)", "give the sentence a subject"),
    (r"Gives?|Has|Takes|Does|Is|Are|Was|Were(?! (?:it|they|there))", "give the sentence a subject"),
)  # fmt: skip

_NO_VERBS = (
    r"A|An|The|This|That|These|Those|It|Its|They|Their|There|Some\w*|Any\w*|Every\w*|Each|All|Both|Either|Neither|No|Nobody|"
    r"None|Nothing|Not|Never|Another|Other|Others|One|Two|Three|Four|Half|Such|Same|Here|Now|Then|True|False"
)

_ANYWHERE = (
    (r"as is chosen|be it|anew|whatever is", "write it in plain words: by the present options, either, again, any"),
    (r"\d ?%|words? wrong|in a hundred|\d points|\d of real time", "move the figure of the benchmark to lab/LOG.md"),
)

_ENDS_LIKE_A_VERB = re.compile(r"(?:ss|us|as)$|^(?:Feed|Embed|Shed|Bring|Ping|Speed|Seed|Need|String|Proceed)$")
_NOT_IMPERATIVE = re.compile(r"(?:s|ed|ing)$")


def docstrings(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, kind (function, or noun where a noun may open it) and text of every docstring of a module."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for before, statement in zip([node, *body], body, strict=False):
            match statement:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    if before is not node or isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                        yield statement.lineno, _kind(before), text


def _kind(node: ast.AST) -> str:
    if not isinstance(node, ast.FunctionDef):
        return "noun"
    names = {ast.unparse(each).partition("(")[0].rpartition(".")[2] for each in node.decorator_list}
    things = {"property", "cached_property", "getter", "setter", "fixture"}
    return "noun" if names & things or node.name.startswith("test_") else "function"


def complaints(kind: str, text: str) -> list[str]:
    """List what is wrong with a docstring, each with what to write instead."""
    first, *later = re.split(r"(?<=[.!?])\s+(?=[A-Z`])|\n\s*\n", text.strip())
    found = [advice for words, advice in _OPENINGS if re.match(rf"(?:{words})(?![\w-])", first)]
    found += [
        f"“{sentence.split()[0]} …”: {advice}"
        for sentence in later
        for words, advice in _LATER_OPENINGS
        if re.match(rf"(?:{words})(?![\w-])", sentence)
    ]
    plain = " ".join(text.split())
    for words, advice in _ANYWHERE:
        found += [f"“{each}”: {advice}" for each in re.findall(rf"\b(?:{words})", plain, re.IGNORECASE)]
    if kind == "function" and not found and not _opens_with_a_verb(first):
        found.append("open with an imperative verb: Return, Start, Send")
    return found


def _opens_with_a_verb(sentence: str) -> bool:
    opening, _, after = sentence.partition(" ")
    word = opening.strip(",.;:")
    if not re.fullmatch(r"[A-Z][a-z]+(?:-[a-z]+)?", word) or re.fullmatch(_NO_VERBS, word):
        return False
    if after.startswith(("of ", "who ", "which ")):
        return False
    return bool(_ENDS_LIKE_A_VERB.search(word)) or not _NOT_IMPERATIVE.search(word)


def offences(path: Path) -> list[str]:
    """List the complaints about a module, or about all modules of a folder, each with its place."""
    modules = [path] if path.is_file() else sorted(path.rglob("*.py"))
    return [
        f"{module.relative_to(ROOT).as_posix()}:{line}: “{' '.join(text.split())[:50]}”: {complaint}"
        for module in modules
        for line, kind, text in docstrings(module.read_text(encoding="utf-8"))
        for complaint in complaints(kind, text)
    ]


@pytest.mark.parametrize("floor", ["app", "engine", "lab", "resources", "tests"])
def test_docstrings_are_plain_english(floor: str) -> None:
    found = offences(ROOT / floor)
    assert not found, "\n".join(["docstrings to be rewritten:", *found])


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("function", "Have all that the engines do done as is chosen now."),
        ("function", "Of when a word is certain, how often to listen anew."),
        ("function", "The words of a caption."),
        ("function", "Returns the words."),
        ("function", "Words that many seconds later."),
        ("function", "Probability of a token."),
        ("function", "`device` as PortAudio counts it."),
        ("function", "Give the words of a caption."),
        ("function", "Tell whether it is speech."),
        ("function", "Start a reply. Gives False where none is wanted."),
        ("noun", "So much of a search is repeated."),
        ("noun", "Longer than this is no caption."),
        ("noun", "What a round has heard."),
        ("noun", "Takes audio, and says what was heard."),
        ("noun", "Rounds of hearing. 6.5 % of the words are lost."),
        ("noun", "A program, be it new or old."),
    ],
)
def test_dialect_is_noticed(kind: str, text: str) -> None:
    assert complaints(kind, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("function", "Apply changed preferences to both engines."),
        ("function", "Undo the last change; return False if there is nothing to undo."),
        ("function", "Process audio. In the second pass, tokens are verified."),
        ("function", "Pass audio on.\n\nReturns the number of samples. Raises AudioError if the device is gone."),
        ("function", "Feed samples (n,) at 16 kHz."),
        ("noun", "Longest caption, in seconds."),
        ("noun", "Samples that a device delivers at once.\n\nIn: a device. Out: chunks."),
        ("noun", "Shows captions while they change."),
        ("noun", "The editors for hearing: commitment, update rate, decoding."),
    ],
)
def test_plain_english_is_left_alone(kind: str, text: str) -> None:
    assert complaints(kind, text) == []


def test_documented_constants_and_attributes_are_read() -> None:
    source = (
        '"""M."""\nA = 1\n"""Of a."""\nclass B:\n    c: int = 2\n    """So long."""\ndef d() -> None:\n    """D."""\n'
    )
    found = [(line, kind) for line, kind, _ in docstrings(source)]
    assert found == [(1, "noun"), (3, "noun"), (6, "noun"), (8, "function")]


@pytest.mark.parametrize(
    ("definition", "kind"),
    [
        ("@pytest.fixture\ndef session() -> None:", "noun"),
        ('@pytest.fixture(scope="session")\ndef session() -> None:', "noun"),
        ("def test_words_are_kept() -> None:", "noun"),
        ("@pytest.mark.realtime\ndef tested() -> None:", "function"),
    ],
)
def test_what_pytest_calls_by_itself_may_be_named(definition: str, kind: str) -> None:
    assert [each for _, each, _ in docstrings(f'{definition}\n    """The words."""\n')] == [kind]
