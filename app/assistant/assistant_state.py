"""What is going on in a conversation, as people are told."""

from __future__ import annotations

from enum import Enum, auto

from app.assistant.conversation_model import ConversationModel
from app.assistant.exchange import Phase
from app.assistant.reply_player import ReplyPlayer
from app.engine_link.crashes import Link


class AssistantState(Enum):
    """The state of the assistant.

    Attributes:
        READY: nothing; a question may be typed.
        LOADING, RESTARTING: the engine is not ready yet; what is said and typed meanwhile waits.
        NO_MODEL: a model could not be loaded.
        ENGINE_STOPPED: the engine has stopped too often; `restart_engine` tries again.
        OPENING: the microphone has not delivered anything yet.
        HOLD: the microphone is open, and nobody holds the key.
        LISTENING, HEARING: the microphone is heard; nothing is said, or something is.
        NO_SOUND: the microphone delivers nothing but zeros.
        THINKING: the question is whole, the answer has not begun.
        ANSWERING: the answer is written, and not heard.
        SPEAKING, REPLAYING: an answer is heard; a new one, or one again.
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
    """Return what is going on: trouble with the engine first, then what is said, answered and listened to.

    `hearing` is what the microphone does, None where it is closed.
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
