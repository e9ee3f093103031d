"""Errors that the user can act on.

Every error that the engine raises on purpose is an EngineError whose message says what is wrong and what to do. The
command line prints it as one line and exits with 1; the window shows it as one sentence.
"""

import errno


class EngineError(Exception):
    """A problem the user can act on; the message is one sentence or two, without a trailing newline."""


class AudioError(EngineError):
    """Audio that cannot be opened, decoded or recorded."""


class ModelError(EngineError):
    """A model that is missing, damaged, or of a kind the engine does not load."""


class VoiceError(EngineError):
    """A voice that is missing or fails while it speaks."""


class FileError(EngineError):
    """A file or a folder that is missing, or does not hold what it should."""


class OptionError(EngineError, ValueError):
    """An option with a value outside its range; the command line exits with 2."""


def error_sentence(error: Exception) -> str:
    """Return an error as a sentence: an EngineError's own, another with its kind.

    A package that cannot be imported was lost or damaged after Earshot was installed.
    """
    if isinstance(error, ImportError):
        return f"This installation of Earshot is damaged: {error}. Install it again."
    return str(error) if isinstance(error, EngineError) else f"{type(error).__name__}: {error}."


def reason_of(error: OSError) -> str:
    """Return why a file cannot be written, for the end of a sentence."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "permission denied"
    return (error.strerror or str(error)).lower()
