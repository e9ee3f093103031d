"""The state of a conversation, as people see it."""

from __future__ import annotations

from enum import Enum, auto

from app.assistant.conversation_model import ConversationModel
from app.assistant.exchange import Phase
from app.assistant.reply_player import ReplyPlayer
from app.engine_link.crashes import Link


class AssistantState(Enum):
    """The state of the assistant.

    Attributes:
        READY: idle; a question may be typed.
        LOADING, RESTARTING: the engine is not ready yet; speech and typed questions wait meanwhile.
        NO_MODEL: a model could not be loaded.
        ENGINE_STOPPED: the engine has stopped too often; `restart_engine` tries again.
        OPENING: the microphone has not delivered anything yet.
        HOLD: the microphone is open, and nobody holds the key.
        LISTENING, HEARING: the microphone is open; nobody is speaking, or somebody is.
        NO_SOUND: the microphone delivers nothing but zeros.
        THINKING: the question is complete, the answer has not begun.
        ANSWERING: the answer is being written, without sound.
        SPEAKING, REPLAYING: an answer is being spoken; a new one, or an earlier one.
    """

    READY = auto()
    LOADING = auto()
    RESTARTING = auto()
    NO_MODEL = auto()
    ENGINE_STOPPED = auto()
    OPENING = auto()
    HOLD = auto()
    LISTENING = auto()
    HEARING = auto()
    NO_SOUND = auto()
    THINKING = auto()
    ANSWERING = auto()
    SPEAKING = auto()
    REPLAYING = auto()


_UNREADY = {
    Link.LOADING: AssistantState.LOADING,
    Link.RESTARTING: AssistantState.RESTARTING,
    Link.NO_MODEL: AssistantState.NO_MODEL,
    Link.STOPPED: AssistantState.ENGINE_STOPPED,
}
BUSY = {
    Phase.WAITING: AssistantState.THINKING,
    Phase.THINKING: AssistantState.THINKING,
    Phase.ANSWERING: AssistantState.ANSWERING,
}


def present_state(
    link: Link, player: ReplyPlayer, conversation: ConversationModel, hearing: AssistantState | None
) -> AssistantState:
    """Return the present state. Troubles of the engine come first, then the reply, then the microphone.

    `hearing` is the state of the microphone; None if it is closed.
    """
    if (unready := _UNREADY.get(link)) is not None:
        return unready
    if player.playing:
        return AssistantState.REPLAYING if player.replaying else AssistantState.SPEAKING
    phase = conversation.newest.phase if conversation.newest is not None else Phase.DONE
    if phase in BUSY:
        return BUSY[phase]
    if hearing is AssistantState.LISTENING and phase in (Phase.ASKING, Phase.PAUSED):
        return AssistantState.HEARING
    return hearing or AssistantState.READY
