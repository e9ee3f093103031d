"""ONNX Runtime reports to nobody, whoever imports it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOOR = ROOT / "engine" / "machine" / "onnx_runtime.py"


def test_it_keeps_no_name_of_this_computer_and_no_events(tmp_path: Path) -> None:
    surroundings = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    surroundings |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    imported = "from engine.machine.onnx_runtime import onnx_runtime; print(onnx_runtime().__name__)"
    done = subprocess.run(
        [sys.executable, "-c", imported], cwd=ROOT, env=surroundings, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "onnxruntime"
    assert list(tmp_path.rglob("*")) == []


def test_no_other_module_imports_it_while_it_runs() -> None:
    found = [
        file.relative_to(ROOT)
        for place in ("engine", "app", "lab")
        for file in (ROOT / place).rglob("*.py")
        if file != DOOR and "onnxruntime" in _imported(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert found == []


def _imported(tree: ast.Module) -> set[str]:
    """Return the packages that a module imports, those for types alone left out."""
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    names = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and id(node) not in for_types:
            names |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and id(node) not in for_types:
            names.add((node.module or "").partition(".")[0])
    return names
