"""Point MLX's matrix products on Linux at a fast BLAS.

The Linux wheels of MLX carry a reference BLAS, which is an order of magnitude slower than OpenBLAS. MLX calls it
through lazily bound slots of its procedure linkage table, which stay writable, so the addresses in them can be replaced
from Python: no compiler, no package manager, no preload. Nothing else in the process is affected.
"""

from __future__ import annotations

import ctypes
import importlib.util
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_PT_LOAD, _PT_DYNAMIC, _PT_GNU_RELRO = 1, 2, 0x6474E552
_DT_PLTRELSZ, _DT_STRTAB, _DT_SYMTAB, _DT_RELA, _DT_RELASZ, _DT_JMPREL = 2, 5, 6, 7, 8, 23
_NUMPY_SETTERS = ("scipy_openblas_set_num_threads64_", "openblas_set_num_threads64_", "openblas_set_num_threads")
_SLOT_KINDS = {6, 7, 1025, 1026}  # GLOB_DAT and JUMP_SLOT on x86-64 and on aarch64


class BlasUnavailable(OSError):
    """The fast BLAS, or MLX's library to point at it, could not be found or read."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One imported function of a shared library; `offset` is the place of its address, relative to the load address."""

    symbol: str
    offset: int
    writable: bool


class ElfImports:
    """Reader of the imported functions of a 64-bit little-endian ELF library."""

    def __init__(self, path: Path) -> None:
        self.data = path.read_bytes()
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise BlasUnavailable(f"{path} is not a 64-bit little-endian ELF library")
        self.segments: list[tuple[int, int, int]] = []  # virtual address, file offset, bytes
        self.read_only = (0, 0)
        self.tags: dict[int, int] = {}
        self._read_program_headers()

    def _read_program_headers(self) -> None:
        (table,) = struct.unpack_from("<Q", self.data, 32)
        entry_size, count = struct.unpack_from("<HH", self.data, 54)
        dynamic = range(0)
        for index in range(count):
            kind, _, offset, address, _, size, memory_size, _ = struct.unpack_from(
                "<IIQQQQQQ", self.data, table + index * entry_size
            )
            if kind == _PT_LOAD:
                self.segments.append((address, offset, size))
            elif kind == _PT_DYNAMIC:
                dynamic = range(offset, offset + size, 16)
            elif kind == _PT_GNU_RELRO:
                self.read_only = (address, address + memory_size)
        for position in dynamic:
            tag, value = struct.unpack_from("<QQ", self.data, position)
            self.tags.setdefault(tag, value)

    def _file_offset(self, address: int) -> int:
        for start, offset, size in self.segments:
            if start <= address < start + size:
                return offset + address - start
        raise BlasUnavailable(f"address {address:#x} lies in no segment")

    def _symbol(self, index: int) -> str:
        symbols, strings = self._file_offset(self.tags[_DT_SYMTAB]), self._file_offset(self.tags[_DT_STRTAB])
        (name,) = struct.unpack_from("<I", self.data, symbols + 24 * index)
        return self.data[strings + name : self.data.index(b"\0", strings + name)].decode()

    def slots(self) -> Iterator[Slot]:
        """Yield every slot that holds the address of an imported function."""
        for table, size in ((_DT_JMPREL, _DT_PLTRELSZ), (_DT_RELA, _DT_RELASZ)):
            if table not in self.tags:
                continue
            start = self._file_offset(self.tags[table])
            for position in range(start, start + self.tags[size], 24):
                offset, info = struct.unpack_from("<QQ", self.data, position)
                if info & 0xFFFFFFFF in _SLOT_KINDS:
                    low, high = self.read_only
                    yield Slot(self._symbol(info >> 32), offset, writable=not low <= offset < high)


def loaded_library(name: str) -> tuple[int, Path]:
    """Return load address and path of a library that is loaded in this process."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and fields[5].endswith("/" + name) and int(fields[2], 16) == 0:
            return int(fields[0].split("-")[0], 16), Path(fields[5])
    raise BlasUnavailable(f"{name} is not loaded")


def _is_blas(symbol: str) -> bool:
    return symbol.startswith("cblas_") or (symbol[:1] in "sdcz" and symbol.endswith("_"))


def bundled_openblas() -> tuple[str, str]:
    """Return the path of scipy-openblas32's OpenBLAS and the prefix of its symbols."""
    spec = importlib.util.find_spec("scipy_openblas32")
    if spec is None or not spec.submodule_search_locations:
        raise BlasUnavailable("the package scipy-openblas32 is not installed")
    return str(Path(next(iter(spec.submodule_search_locations))) / "lib" / "libscipy_openblas.so"), "scipy_"


def numpy_threads() -> Callable[[int], None] | None:
    """Return the function that sets the threads of numpy's own OpenBLAS; None if numpy has another BLAS.

    By default numpy's OpenBLAS uses all cores, and its threads wait for each other in a busy loop, which is slow on a
    busy machine.
    """
    import numpy  # noqa: F401 - loads what is looked for

    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line.split(maxsplit=5)[-1]
        if "openblas" in path.rpartition("/")[2] and "/scipy_openblas32/" not in path:  # that one is MLX's
            library = ctypes.CDLL(path)
            for name in _NUMPY_SETTERS:
                if hasattr(library, name):
                    setter: Callable[[int], None] = getattr(library, name)
                    return setter
    return None


class FastBlas:
    """A loaded OpenBLAS that MLX can be pointed at.

    Attributes:
        prefix: prefix of its symbols before the BLAS names.
    """

    def __init__(self, path: str, prefix: str = "", *, visible: bool = False) -> None:
        """Load the library; `visible` lets libraries whose calls are not bound yet find its symbols."""
        self.prefix = prefix
        self._library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL if visible else ctypes.RTLD_LOCAL)

    def take_over(self, library: str = "libmlx.so") -> int:
        """Replace the BLAS and LAPACK addresses of a loaded library; return how many. cblas_sgemm must be one."""
        base, path = loaded_library(library)
        try:
            slots = list(ElfImports(path).slots())
        except (KeyError, ValueError, struct.error) as error:
            raise BlasUnavailable(f"{path} has a form that is not understood ({error!r})") from error
        replaced = set()
        for slot in slots:
            address = self._address(slot.symbol) if slot.writable and _is_blas(slot.symbol) else None
            if address is not None:
                ctypes.c_void_p.from_address(base + slot.offset).value = address
                replaced.add(slot.symbol)
        if "cblas_sgemm" not in replaced:
            raise BlasUnavailable(f"{path} keeps its matrix products where they cannot be replaced")
        return len(replaced)

    def set_threads(self, threads: int) -> None:
        """Set the number of threads of one matrix product."""
        try:
            getattr(self._library, self.prefix + "openblas_set_num_threads")(threads)
        except AttributeError as error:
            raise BlasUnavailable(f"it is no OpenBLAS ({error})") from error

    def kernels(self) -> str | None:
        """Return the processor that the kernels in use were written for, such as "Haswell"; None if it does not say."""
        try:
            name = getattr(self._library, self.prefix + "openblas_get_corename")
        except AttributeError:
            return None
        name.restype = ctypes.c_char_p
        found: bytes = name()
        return found.decode()

    def _address(self, symbol: str) -> int | None:
        try:
            function = getattr(self._library, self.prefix + symbol)
        except AttributeError:
            return None
        return ctypes.cast(function, ctypes.c_void_p).value
