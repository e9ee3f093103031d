"""Error messages in the language of the window.

Errors of the engine, its process or a thread arrive as English sentences. This module translates them; an unknown
sentence is shown unchanged.
"""

from __future__ import annotations

import re
from functools import cache

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

_QUOTED = re.compile(r"(['\"])(.*)\1", re.DOTALL)


def in_words(sentence: str) -> str:
    """Translate an error message into the language of the window, with the names in it unchanged."""
    for template, pattern in _patterns():
        found = pattern.fullmatch(sentence)
        if found is not None:
            translated = QCoreApplication.translate("Problem", template)
            return sentence if translated == template else translated.format(*map(_part, found.groups()))
    return sentence


def _part(text: str) -> str:
    """Translate a part of a message: a quoted name gets the quotes of this language, reasons and languages are
    translated.
    """
    quoted = _QUOTED.fullmatch(text)
    if quoted is not None:
        return QCoreApplication.translate("Problem", "“{}”").format(quoted[2])
    language = QCoreApplication.translate("Language", text)
    return language if language != text else in_words(text)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """List the known sentences and their patterns, the longest first."""
    known = sorted(map(str, (*KNOWN, *OF_THE_SYSTEM)), key=len, reverse=True)
    return tuple((each, re.compile("(.*)".join(map(re.escape, each.split("{}"))), re.DOTALL)) for each in known)


OF_THE_SYSTEM = (
    QT_TRANSLATE_NOOP("Problem", "Permission denied"),
    QT_TRANSLATE_NOOP("Problem", "Not a directory"),
    QT_TRANSLATE_NOOP("Problem", "No such file or directory"),
    QT_TRANSLATE_NOOP("Problem", "Read-only file system"),
    QT_TRANSLATE_NOOP("Problem", "read-only file system"),
    QT_TRANSLATE_NOOP("Problem", "No space left on device"),
    QT_TRANSLATE_NOOP("Problem", "unable to open database file"),
    QT_TRANSLATE_NOOP("Problem", "attempt to write a readonly database"),
    QT_TRANSLATE_NOOP("Problem", "database is locked"),
)
"""Reasons in the words of the system and of SQLite."""

KNOWN = (
    # servers that answer, and llama.cpp
    QT_TRANSLATE_NOOP("Problem", "The assistant's answer broke off. {}"),
    QT_TRANSLATE_NOOP("Problem", "No server answers at {}. Start it, or choose another model."),
    QT_TRANSLATE_NOOP(
        "Problem",
        "{} did not answer in time. It may be busy, or its model too large for this computer.",
    ),
    QT_TRANSLATE_NOOP("Problem", "The connection to {} broke off ({}). Ask again."),
    QT_TRANSLATE_NOOP("Problem", "The answer of {} was cut off before its end. Ask again."),
    QT_TRANSLATE_NOOP("Problem", "The answer of {} did not end, and was stopped."),
    QT_TRANSLATE_NOOP(
        "Problem",
        "{} answers, but not as a server of language models. Look whether the address is right; the interface"
        " has to be OpenAI's, which Ollama, LM Studio and llama.cpp have.",
    ),
    QT_TRANSLATE_NOOP("Problem", "{} refuses to answer, with {}{}."),
    QT_TRANSLATE_NOOP("Problem", "{} cannot answer{}."),
    QT_TRANSLATE_NOOP("Problem", "{} asks for a key, and Earshot has none. Use a server without one."),
    QT_TRANSLATE_NOOP("Problem", "{} has no model. Get one there, or name it: {}#MODEL."),
    QT_TRANSLATE_NOOP("Problem", "{} has no model called {}. It has {}."),
    QT_TRANSLATE_NOOP("Problem", "There is no computer called {}. Look whether the address is right."),
    QT_TRANSLATE_NOOP("Problem", "GGUF models need llama.cpp: {}. Other models run without it."),
    QT_TRANSLATE_NOOP("Problem", "This installation of Earshot is damaged: {}. Install it again."),
    # voices
    QT_TRANSLATE_NOOP("Problem", "{} eSpeak NG speaks instead."),
    QT_TRANSLATE_NOOP("Problem", "The chosen voice is not known to speak {}."),
    QT_TRANSLATE_NOOP("Problem", "The voices in {} are still those of before: {}."),
    QT_TRANSLATE_NOOP("Problem", "The voice failed; the reply goes on in writing. {}"),
    QT_TRANSLATE_NOOP(
        "Problem",
        "The model {} is not on this machine. Fetch it with `earshot models get {}` or under Models in the window ({} "
        "MB), or give a folder that holds it.",
    ),
    # another language than the model's
    QT_TRANSLATE_NOOP("Problem", "This sounds like {}, but the model hears {} only. {}"),
    QT_TRANSLATE_NOOP("Problem", "This does not sound like {}, all that the model hears. {}"),
    QT_TRANSLATE_NOOP("Problem", "A model on this computer knows it: choose it under Models or with --model."),
    QT_TRANSLATE_NOOP("Problem", "Get a model that knows it, under Models or with 'earshot models get base'."),
    # releases
    QT_TRANSLATE_NOOP("Problem", "This Earshot does not say where its releases are. Ask whoever gave it to you."),
    QT_TRANSLATE_NOOP("Problem", "The releases of this Earshot are said to be at {}, which is no address."),
    QT_TRANSLATE_NOOP("Problem", "{} answers that there is no release ({})."),
    QT_TRANSLATE_NOOP("Problem", "{} does not answer. Is this computer connected?"),
    QT_TRANSLATE_NOOP("Problem", "{} answers with something else than a release."),
    # reasons
    QT_TRANSLATE_NOOP("Problem", "the disk is full"),
    QT_TRANSLATE_NOOP("Problem", "permission denied"),
    QT_TRANSLATE_NOOP("Problem", "Choose one of: {}."),
    QT_TRANSLATE_NOOP(
        "Problem", "Install it (Debian and Ubuntu: apt install libportaudio2; Fedora and Arch: portaudio)"
    ),
    QT_TRANSLATE_NOOP("Problem", "Install Earshot again"),
    # microphones
    QT_TRANSLATE_NOOP("Problem", "No microphone was found. Connect one, or open an audio file instead."),
    QT_TRANSLATE_NOOP("Problem", "The microphone {} was disconnected."),
    QT_TRANSLATE_NOOP(
        "Problem",
        "The microphone {} stopped delivering sound. Check that it is still connected, then start again.",
    ),
    QT_TRANSLATE_NOOP(
        "Problem",
        "The microphone {} cannot be opened ({}). Allow this app to use the microphone in the system's settings, close "
        "what else may be using it, or choose another.",
    ),
    QT_TRANSLATE_NOOP("Problem", "The system names no default microphone. {}"),
    QT_TRANSLATE_NOOP("Problem", "There is no single microphone that answers to {}. {}"),
    QT_TRANSLATE_NOOP(
        "Problem", "Microphones need the PortAudio library, which is missing here. {}, or open an audio file instead."
    ),
    QT_TRANSLATE_NOOP(
        "Problem",
        "Earshot may not use microphones. Allow it in System Settings, Privacy & Security, Microphone, then start "
        "again.",
    ),
    QT_TRANSLATE_NOOP("Problem", "Whoever manages this Mac does not allow microphones. Open an audio file instead."),
    QT_TRANSLATE_NOOP("Problem", "The sound system does not answer ({})."),
    # what the computer plays
    QT_TRANSLATE_NOOP("Problem", "What this computer plays can no longer be heard."),
    QT_TRANSLATE_NOOP("Problem", "This computer plays sound of a format that is not known ({})."),
    QT_TRANSLATE_NOOP(
        "Problem",
        "What this computer plays cannot be heard ({}). Allow it in System Settings, Privacy & Security, Screen & "
        "System Audio Recording, or use a loopback device such as BlackHole.",
    ),
    # loudspeakers
    QT_TRANSLATE_NOOP("Problem", "The sound system does not answer ({}). Everything goes on without sound."),
    QT_TRANSLATE_NOOP("Problem", "No loudspeaker was found. Connect one; everything goes on without sound."),
    QT_TRANSLATE_NOOP(
        "Problem",
        "The loudspeaker {} stopped taking sound. Everything goes on without; start again once it is connected.",
    ),
    QT_TRANSLATE_NOOP(
        "Problem",
        "The loudspeaker {} cannot be opened ({}). Close what else may be using it, or choose another; everything goes "
        "on without sound.",
    ),
    QT_TRANSLATE_NOOP("Problem", "There is no single loudspeaker that answers to {}. {}"),
    QT_TRANSLATE_NOOP("Problem", "The system names no default loudspeaker. {}"),
    QT_TRANSLATE_NOOP(
        "Problem",
        "Playing sound needs the PortAudio library, which is missing here. {}; everything goes on without sound.",
    ),
    # recordings
    QT_TRANSLATE_NOOP("Problem", "There is no file {}."),
    QT_TRANSLATE_NOOP("Problem", "{} is empty."),
    QT_TRANSLATE_NOOP("Problem", "{} is a folder. Name an audio file in it."),
    QT_TRANSLATE_NOOP("Problem", "{} cannot be opened: it is damaged, or not an audio or video file."),
    QT_TRANSLATE_NOOP("Problem", "{} holds no audio: it is zero seconds long."),
    QT_TRANSLATE_NOOP("Problem", "{} is a film without sound."),
    QT_TRANSLATE_NOOP("Problem", "{} has no sound track {}: it has {}."),
    QT_TRANSLATE_NOOP("Problem", "{} has {} sound tracks: track {}{} is heard."),
    QT_TRANSLATE_NOOP("Problem", "{} is damaged in places: {} s of it cannot be decoded."),
    QT_TRANSLATE_NOOP("Problem", "{} is damaged: no audio in it can be decoded."),
    QT_TRANSLATE_NOOP("Problem", "{} is damaged."),
    QT_TRANSLATE_NOOP("Problem", "{} hears English only. Choose another model."),
    QT_TRANSLATE_NOOP("Problem", "{} does not hear the language {}. Choose another model."),
    QT_TRANSLATE_NOOP("Problem", "{} cannot be read: {}."),
    # files that are written
    QT_TRANSLATE_NOOP("Problem", "Cannot write {}: {}."),
    QT_TRANSLATE_NOOP("Problem", "Cannot write {}: it is a folder."),
    QT_TRANSLATE_NOOP("Problem", "Cannot write {}: the folder {} does not exist."),
    QT_TRANSLATE_NOOP("Problem", "Cannot write {}: the folder {} is not writable."),
    QT_TRANSLATE_NOOP("Problem", "Cannot export to {}: the name must end in {}."),
    # the history
    QT_TRANSLATE_NOOP("Problem", "The history in {} cannot be opened: {}."),
    QT_TRANSLATE_NOOP("Problem", "The history in {} cannot be read or written: {}."),
    QT_TRANSLATE_NOOP("Problem", "The disk is full: what is said now cannot be kept in the history in {}."),
    QT_TRANSLATE_NOOP("Problem", "A newer Earshot has made the history in {}; install that one to read it."),
    QT_TRANSLATE_NOOP("Problem", "The history was damaged. It was set aside as {}, and a new one was begun."),
    QT_TRANSLATE_NOOP("Problem", "The damaged history in {} cannot be set aside: {}."),
    QT_TRANSLATE_NOOP("Problem", "The sound of this session cannot be read: its file is gone or damaged."),
    QT_TRANSLATE_NOOP("Problem", "The sound of this session is kept no further ({}). Captions go on."),
    QT_TRANSLATE_NOOP("Problem", "The disk is full: the sound of this session is kept no further. Captions go on."),
    # settings
    QT_TRANSLATE_NOOP("Problem", "The settings cannot be saved in {}: {}."),
    QT_TRANSLATE_NOOP("Problem", "The settings cannot be exported to {}: {}."),
    QT_TRANSLATE_NOOP("Problem", "The settings in {} cannot be read; the usual ones are used."),
    QT_TRANSLATE_NOOP("Problem", "{} holds no settings that Earshot has exported. Nothing was changed."),
    QT_TRANSLATE_NOOP("Problem", "The settings in {} cannot be read; the usual ones are used.{}"),
    QT_TRANSLATE_NOOP("Problem", " What was there is now in {}."),
    QT_TRANSLATE_NOOP("Problem", "The setting {} was ignored: {}. It is now {}."),
    QT_TRANSLATE_NOOP("Problem", "{}line {}: expected 'term = translation', not {}."),
    QT_TRANSLATE_NOOP("Problem", "{}line {}: {} is to be {}, but {} in line {}."),
    # models
    QT_TRANSLATE_NOOP("Problem", "There is no model called {} and no such folder. Known models: {}."),
    QT_TRANSLATE_NOOP("Problem", "{} cannot be read: it should describe a language model."),
    QT_TRANSLATE_NOOP("Problem", "There is no folder {}."),
    QT_TRANSLATE_NOOP(
        "Problem",
        "The voice in {} is not whole: beside the .onnx, Piper's have a file .onnx.json, and Kokoro has "
        "voices.safetensors or voices.bin. Copy or download it again.",
    ),
    QT_TRANSLATE_NOOP("Problem", "There is no model in {}. Choose the folder that holds its weights and config.json."),
    QT_TRANSLATE_NOOP("Problem", "There is a model called {} already. Give another name."),
    QT_TRANSLATE_NOOP("Problem", "The model {} is no longer in {}. Add it again."),
    QT_TRANSLATE_NOOP("Problem", "The model {} cannot be deleted: {}: {}."),
    QT_TRANSLATE_NOOP("Problem", "What was fetched of {} cannot be deleted: {}."),
    QT_TRANSLATE_NOOP("Problem", "The list of added models cannot be saved in {}: {}."),
    # measurements
    QT_TRANSLATE_NOOP("Problem", "The comparison gave no result that can be read. Try again."),
    QT_TRANSLATE_NOOP("Problem", "The measurement gave no result that can be read. Try again."),
    QT_TRANSLATE_NOOP("Problem", "The measurement gave a best that it had not measured. Try again."),
)
"""Sentences as in the source, with {} for their variable parts."""
