"""Recognition of sound files and films by their first bytes, to distinguish them from raw samples."""

from __future__ import annotations

from collections.abc import Callable


def begins_like_recording(head: bytes) -> bool:
    """Return whether these are the first bytes of a sound file or a film, not raw samples."""
    marks = (b"RIFF", b"RF64", b"riff", b"fLaC", b"OggS", b"ID3", b"FORM", b"caff", b".snd", b"FLV", b"\x1aE\xdf\xa3")
    return (
        head.startswith((*marks, b"0&\xb2u"))
        or head[4:8] == b"ftyp"
        or (len(head) > 376 and head[0] == head[188] == head[376] == 0x47)
        or _two_frames(head, _mpeg_frame_bytes)
        or _two_frames(head, _adts_frame_bytes)
    )


def index_comes_last(head: bytes) -> bool:
    """Return whether an MP4 begins with its sound, so that it cannot be decoded before its end has been read."""
    place, kind = 0, head[4:8]
    if kind != b"ftyp":
        return False
    while len(head) >= place + 8 and kind not in (b"mdat", b"moov"):
        place += max(int.from_bytes(head[place : place + 4], "big"), 8)
        kind = head[place + 4 : place + 8]
    return kind == b"mdat"


def _two_frames(head: bytes, frame_bytes: Callable[[bytes], int]) -> bool:
    """Return whether two frames of compressed sound follow each other: raw samples may look like a single one."""
    size = frame_bytes(head)
    return bool(size) and frame_bytes(head[size:]) > 0


def _mpeg_frame_bytes(head: bytes) -> int:
    """Return the length of the MPEG layer 3 frame at the start; 0 if there is none."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE6 != 0xE2 or head[1] & 0x18 == 0x08:
        return 0
    version = head[1] >> 3 & 3
    kilobits = _MPEG_KILOBITS[version == 3][head[2] >> 4]
    rate_hz = (44_100, 48_000, 32_000, 0)[head[2] >> 2 & 3] // {3: 1, 2: 2, 0: 4}[version]
    if not rate_hz or not kilobits:
        return 0
    return (144 if version == 3 else 72) * kilobits * 1000 // rate_hz + (head[2] >> 1 & 1)


_MPEG_KILOBITS = {
    True: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0),
    False: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0),
}


def _adts_frame_bytes(head: bytes) -> int:
    """Return the length of the ADTS frame (AAC) at the start; 0 if there is none."""
    if len(head) < 7 or head[0] != 0xFF or head[1] & 0xF6 != 0xF0:
        return 0
    return (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
