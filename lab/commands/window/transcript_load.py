"""Memory that a transcript takes: the same captions are shown once more, all at once, in a view of their own."""

from __future__ import annotations

import gc
import os
import pickle

from PySide6.QtCore import QCoreApplication, QEvent, QSize

from app.transcript.caption_model import CaptionModel
from app.transcript.caption_view import CaptionView
from lab.commands.window.process_load import resident_megabytes


def transcript_megabytes(shown: CaptionModel, size: QSize, from_row: int = 0) -> float:
    """Measure what the captions and translations from a row on take, in a view of a size."""
    captions, translations = pickle.dumps(shown.captions[from_row:]), pickle.dumps(shown.translations[from_row:])
    before = settled_megabytes()
    model = CaptionModel()
    model.reset_to(pickle.loads(captions), pickle.loads(translations))
    view = CaptionView(model)
    view.resize(size)
    view.show()
    taken = settled_megabytes() - before
    view.close()
    for part in (view, model):
        part.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    return taken


def settled_megabytes() -> float:
    """Return the megabytes in use once all garbage has been freed."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    return resident_megabytes(os.getpid())
