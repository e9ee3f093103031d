"""Draw the rooms of Earshot from what their modules import: `uv run python docs/draw_rooms.py --write`.

The picture in docs/architecture.md is what this prints; a test says so. An arrow means "imports"; one that other
arrows already lead along is left out.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- drawn by docs/draw_rooms.py -->\n", "<!-- end of what is drawn -->\n"
HOUSES = ("app", "engine")
_STEP = re.compile(r"`((?:app|engine)/[\w/]+\.py)`")

Edges = dict[str, set[str]]


def drawn() -> str:
    """Give the picture of the rooms, a list of what they are for, and the picture of each way, as Markdown."""
    ways = "".join(f"\n### {title}\n\n{_way(modules)}" for title, modules in ways_of_contributing().items())
    return f"{_picture(imports_between_rooms())}\n{_purposes()}\n## Ways\n{ways}"


def imports_between_rooms() -> Edges:
    """Say of each room, or module that stands beside the rooms, which others its modules import."""
    graph = grimp.build_graph(*HOUSES, cache_dir=None)
    found: Edges = {room: set() for module in graph.modules if (room := _room(module))}
    for module in graph.modules:
        room = _room(module)
        others = (_room(each) for each in graph.find_modules_directly_imported_by(module))
        if room:
            found[room] |= {other for other in others if other and other != room}
    return found


def without_detours(edges: Edges) -> Edges:
    """Leave out each edge that a longer way leads along too; the edges form no circle."""

    def reached(room: str) -> set[str]:
        return {further for other in edges[room] for further in (other, *reached(other))}

    return {room: {each for each in others if not any(each in reached(other) for other in others)}
            for room, others in edges.items()}  # fmt: skip


def ways_of_contributing() -> dict[str, list[str]]:
    """Read the ways from CONTRIBUTING.md: of each, the modules in order."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    sections = re.findall(r"^### (The way of [^\n]+)\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    return {title: _STEP.findall(body) for title, body in sections}


def _room(module: str) -> str:
    """Name the room that a module is in: "engine.hear"; empty for the top itself."""
    return ".".join(module.split(".")[:2]) if "." in module else ""


def _picture(edges: Edges) -> str:
    lines = ["```mermaid", "flowchart TD"]
    for house in HOUSES:
        inside = sorted(room for room in edges if room.startswith(f"{house}."))
        lines += [f"  subgraph {house}", *(f"    {_id(room)}[{room.partition('.')[2]}]" for room in inside), "  end"]
    kept = without_detours(edges)
    lines += [f"  {_id(room)} --> {_id(other)}" for room in sorted(kept) for other in sorted(kept[room])]
    return "\n".join([*lines, "```\n"])


def _way(modules: list[str]) -> str:
    lines = ["```mermaid", "flowchart LR"]
    lines += [f'  {place}["{module.removesuffix(".py")}"]' for place, module in enumerate(modules)]
    lines += [f"  {place} --> {place + 1}" for place in range(len(modules) - 1)]
    return "\n".join([*lines, "```\n"])


def _purposes() -> str:
    rows = (f"| `{name}` | {purpose} |\n" for name, purpose in _described())
    return "| room | what it is |\n|---|---|\n" + "".join(rows)


def _described() -> Iterator[tuple[str, str]]:
    """Give each room with the first sentence of its docstring."""
    for house in HOUSES:
        for file in sorted((ROOT / house).glob("*/__init__.py")):
            said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
            yield f"{house}/{file.parent.name}", " ".join(said.split("\n\n")[0].split())


def _id(room: str) -> str:
    return room.replace(".", "_")


def main() -> None:
    """Print what is drawn, or put it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put it into docs/architecture.md")
    if not parser.parse_args().write:
        print(drawn())
        return
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + drawn() + END + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
