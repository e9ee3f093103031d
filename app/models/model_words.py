"""Texts about models and their downloads."""

from __future__ import annotations

from PySide6.QtCore import QLocale, QObject

from app.look.decimals import decimal
from app.look.language_names import language_name
from app.look.problems import in_words
from app.models.downloads import DownloadState
from app.models.uses import Use
from engine.errors import EngineError
from engine.loading.advice import Advice
from engine.loading.library import MEGABYTE, LibraryModel, Problem, fit
from engine.models.catalogue import CatalogueEntry
from engine.models.hub import DownloadError, Reason


class ModelWords(QObject):
    """Texts in the language of the interface."""

    def size(self, count: int) -> str:
        """Format bytes for people, such as "483 MB" or "1.6 GB"."""
        digits = 1 if count >= 1000 * MEGABYTE else 0
        return QLocale().formattedDataSize(count, digits, QLocale.DataSizeFormat.DataSizeSIFormat)

    def facts(self, model: LibraryModel, *, details: bool) -> str:
        """Return one line about a model; with `details` its licence and origin, too; a voice's licence always."""
        size = self.tr("comes with Earshot") if model.source == "ships" else ""
        if model.disk_bytes and model.installed:
            size = self.tr("{size} on disk").format(size=self.size(model.disk_bytes))
        elif model.download_megabytes:
            size = self.tr("{size} to download").format(size=self.size(model.download_megabytes * MEGABYTE))
        memory = self.tr("uses about {size} of memory").format(size=self.size(model.memory_megabytes * MEGABYTE))
        licence = model.licence
        if licence == "see its model card":
            licence = self.tr("licence on its model card")
        place = self.tr("in {folder}").format(folder=model.folder) if model.source == "folder" else ""
        parts = [self.languages(model), size, memory if model.memory_megabytes else "", place]
        if details or model.kind == "voice":  # what is said may be recorded and passed on
            parts.append(licence)
        if details:
            parts.append(model.repo)
        return "\N{NO-BREAK SPACE}· ".join(part for part in parts if part)

    def languages(self, model: LibraryModel | CatalogueEntry) -> str:
        """Return the catalogue's languages in the interface's language."""
        if model.pair is not None:
            return " → ".join(map(language_name, model.pair))
        said = model.languages
        number, _, rest = said.partition(" ")
        if number.isdigit() and rest == "languages":
            return self.tr("{number} languages").format(number=number)
        known = {
            "German": self.tr("German"),
            "French": self.tr("French"),
            "Spanish": self.tr("Spanish"),
            "English": self.tr("English"),
            "mostly English": self.tr("mostly English"),
            "over 100 languages": self.tr("over 100 languages"),
            "English to German, French, Spanish": self.tr("English to German, French, Spanish"),
        }
        return known.get(said, said)

    def advice(self, advice: Advice) -> str:
        """Return why a model is recommended; empty if it is not."""
        if not advice.is_best:
            return ""
        return {
            "": "",
            "fewest mistakes": self.tr("Of the models that keep up with speech here, it makes the fewest mistakes."),
            "quickest": self.tr("No model keeps up with speech here. This one is the quickest."),
            "best that fits": self.tr("It is the largest that leaves enough memory for everything else."),
            "no graphics processor": self.tr("It is small enough for a computer without a graphics processor."),
        }[advice.why]

    def speed(self, advice: Advice, *, details: bool) -> str:
        """Return whether captions keep up with speech; with `details`, what was measured or estimated."""
        verdict = {
            "": "",
            "keeps up": self.tr("keeps up with speech"),
            "late": self.tr("captions come a little late"),
            "too slow": self.tr("too slow for this computer"),
            "too large": "",
        }[advice.verdict]
        parts = [verdict]
        if advice.model.errors_percent is not None:
            parts.append(self.tr("{}% of English words wrong").format(decimal(advice.model.errors_percent, 1)))
        if details and advice.delay_seconds is not None:
            parts.append(self.tr("words after {} s, measured").format(decimal(advice.delay_seconds, 1)))
        elif details and advice.round_seconds is not None:
            parts.append(self.tr("{} s a round, estimated").format(decimal(advice.round_seconds, 2)))
        line = "\N{NO-BREAK SPACE}· ".join(part for part in parts if part)
        return line[:1].upper() + line[1:]

    def source(self, model: LibraryModel) -> str:
        """Return the source of the word error rate."""
        if model.errors_percent is None:
            return ""
        return self.tr(
            "Words wrong in LibriSpeech test-clean: people who read English aloud, heard at leisure. "
            "Published by the project transcribe.cpp."
        )

    def note(self, model: LibraryModel) -> str:
        """Return an additional sentence about a model of the catalogue, or an empty text."""
        known = {
            "starter": self.tr("Whisper tiny.en by OpenAI: hears English and works at once."),
            "tiny.en": self.tr("The starter before it was made smaller: it hears no better."),
            "starter-speech-llama": self.tr(
                "Writes several words at once; made by this project, makes more mistakes than the starter."
            ),
            "starter-language": self.tr(
                "Small translation model, trained by this project; works at once. Everyday sentences only; often wrong."
            ),
            "starter-en-pt": self.tr("A translation model of Firefox's; works at once."),
            "starter-assistant": self.tr("Small conversation model, trained by this project; works at once."),
            "qwen2.5-1.5b-gguf": self.tr("Answers questions of all kinds, on any computer; check what matters."),
            "tower-plus-2b": self.tr("Made for translation."),
            "starter-voice": self.tr("Sounds natural, and works at once on any computer. Hibari, taught by Kokoro."),
            "espeak": self.tr("Sounds robotic, but speaks over 100 languages, at once on any computer."),
            "kokoro": self.tr("Sounds the most natural, and needs a quick computer."),
        }
        if model.name.startswith("piper-"):
            natural = self.tr("Sounds natural, and is quick on any computer.")
            research = self.tr("Its training began with a voice whose recordings are for research only.")
            return f"{natural} {research}" if "research" in model.note else natural
        return known.get(model.name, model.note)

    def memory_warning(self, model: LibraryModel, machine_megabytes: int) -> str:
        """Return a warning about this machine's memory; empty if it is large enough."""
        memory = self.size(machine_megabytes * MEGABYTE)
        fits = fit(model, machine_megabytes)
        if fits == "not":
            return self.tr("Too large for this computer, which has {memory} of memory.").format(memory=memory)
        if fits == "barely":
            return self.tr("Takes much of this computer's memory ({memory}).").format(memory=memory)
        return ""

    def use(self, use: Use) -> str:
        """Return the name of a purpose, for a mark on the model."""
        return {
            Use.CAPTIONS: self.tr("Captions"),
            Use.TRANSLATION: self.tr("Translation"),
            Use.ANSWERS: self.tr("Assistant"),
            Use.VOICE: self.tr("Assistant's voice"),
        }[use]

    def put_to_use(self, use: Use) -> str:
        """Return the text of the button that selects a model for a purpose."""
        return {
            Use.CAPTIONS: self.tr("Use for captions"),
            Use.TRANSLATION: self.tr("Use to translate"),
            Use.ANSWERS: self.tr("Use to answer"),
            Use.VOICE: self.tr("Use this voice"),
        }[use]

    def in_use(self, uses: tuple[Use, ...]) -> str:
        """Return why a model cannot be deleted."""
        named = ", ".join(self.use(use) for use in uses)
        return self.tr("This model is in use ({uses}). Choose another one first, then delete it.").format(uses=named)

    def problem(self, problem: Problem) -> str:
        return {
            "": "",
            "no weights": self.tr("It is incomplete: its weights are missing. Download it again."),
            "unread weights": self.tr("Its weights are in a format that Earshot does not read."),
            "gone": self.tr("It is no longer where it was. Forget it here, or put it back."),
        }[problem]

    def progress(self, state: DownloadState) -> str:
        """Return the progress of a download."""
        now = state.progress
        if state.phase == "pausing":
            return self.tr("Pausing…")
        if now.phase == "asking":
            return self.tr("Checking what to download…")
        if now.phase == "checking":
            return self.tr("Checking what is already here…")
        total = self.begun(now.done_bytes, now.total_bytes) if now.total_bytes else ""
        if now.phase == "waiting":
            again = self.tr("No answer from the server. Next attempt in {seconds} s.")
            again = again.format(seconds=max(1, round(now.wait_seconds)))
            return f"{total} · {again}" if total else again
        left = f" · {self.time_left(now.seconds_left)}" if now.seconds_left is not None else ""
        return self.tr("{done} · {rate}/s").format(done=total, rate=self.size(round(now.bytes_per_second))) + left

    def begun(self, done: int, total: int) -> str:
        """Return how much of a model has been downloaded."""
        return self.tr("{done} of {total}").format(done=self.size(done), total=self.size(total))

    def time_left(self, seconds: float) -> str:
        if seconds < 60:
            return self.tr("less than a minute left")
        minutes = round(seconds / 60)
        if minutes < 120:
            return self.tr("about {minutes} min left").format(minutes=minutes)
        return self.tr("about {hours} h left").format(hours=round(minutes / 60))

    def error(self, error: EngineError) -> str:
        """Return why a download failed, and what to do."""
        if not isinstance(error, DownloadError):
            return in_words(str(error))
        worded = {
            Reason.OFFLINE: self.tr("No connection. What has arrived is kept: continue when you are online."),
            Reason.SERVER: self.tr(
                "The server has problems. What has arrived is kept: continue later, or use a mirror."
            ),
            Reason.ACCESS: self.tr(
                "{place} is private or does not exist. If it is yours, run “hf auth login” in a terminal, then try "
                "again."
            ),
            Reason.LICENCE: self.tr(
                "Its terms must be accepted first: sign in at huggingface.co/{place}, accept them, run “hf auth login” "
                "in a terminal, then try again."
            ),
            Reason.MISSING: self.tr("{place} is not there. If you use a mirror, it may not have it."),
            Reason.SPACE: self.tr("There is too little space on the disk ({place}). Free some, then continue."),
            Reason.DISK: self.tr("The disk cannot be written to ({place})."),
            Reason.DAMAGED: self.tr("{place} arrived damaged twice. Try again later, or use another mirror."),
            Reason.BUSY: self.tr("It is being downloaded already, by another Earshot."),
        }.get(error.reason)
        offline_mode = error.reason is Reason.OFFLINE and "HF_HUB_OFFLINE" in str(error)
        if worded is None or offline_mode:
            return str(error)
        return worded.format(place=error.place)
