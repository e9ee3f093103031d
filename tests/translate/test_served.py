"""Translation by a model on a server, and by a GGUF file."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.clock import SimulatedClock
from engine.errors import OptionError
from engine.events import Incident, Translation
from engine.language.servers.model import load_served_model
from engine.options import TranslationOptions
from engine.process.loading import SERVER, load_translation
from engine.translate.interpreter import Interpreter
from engine.translate.live import LiveTranslation
from engine.translate.loading import load_translation_model
from engine.translate.served import OFF, ServedTranslator
from engine.translate.targets import translation_targets
from engine.translate.translator import Translator
from tests.gguf_models import write_gguf
from tests.hear.planted import FakeTimer
from tests.language.servers.scripted_server import Exchange, ScriptedServer, saying
from tests.translate.test_live import caption, translations

GERMAN = {
    "The weather is": "Das Wetter ist es",
    "The weather is nice": "Das Wetter ist schön",
    "The weather is nice today.": "Das Wetter ist heute schön.",
    "We go out.": "„Wir gehen hinaus.“",
}


def in_german(exchange: Exchange) -> None:
    exchange.begin()
    exchange.say(GERMAN[exchange.question])
    exchange.end()


def by(server: ScriptedServer, **options: object) -> LiveTranslation:
    chosen = TranslationOptions(**{"target": "de"} | options)  # type: ignore[arg-type]
    return LiveTranslation(ServedTranslator(load_served_model(server.address), chosen))


def one_by_one(live: LiveTranslation, *captions: object) -> list[Translation]:
    return [found for each in captions for found in translations(live, [each])]  # type: ignore[list-item]


def test_words_are_shown_on_which_two_translations_agree() -> None:
    with ScriptedServer(in_german) as server:
        growing = (caption(1, "The weather is"), caption(1, "The weather is nice", 1))
        found = one_by_one(by(server), *growing, caption(1, "The weather is nice today.", 2, final=True))
    assert [(each.text, each.hidden) for each in found] == [
        ("", "Das Wetter ist es"),
        ("Das Wetter ist", " schön"),
        ("Das Wetter ist heute schön.", ""),
    ]


def test_a_fixed_number_of_words_is_held_back_on_request() -> None:
    with ScriptedServer(in_german) as server:
        (found,) = one_by_one(by(server, display="mask-k", mask=1), caption(1, "The weather is nice"))
    assert (found.text, found.hidden) == ("Das Wetter ist", " schön")


def test_the_server_is_told_what_to_do_with_terms_and_sentences_before() -> None:
    with ScriptedServer(in_german) as server:
        live = by(server, source="en", glossary=(("weather", "Wetter"),))
        first, second = one_by_one(
            live, caption(1, "The weather is nice today.", final=True), caption(2, "We go out.", final=True)
        )
        messages = server.asked[-1].body["messages"]
    assert second.text == "Wir gehen hinaus."  # without the marks that the source does not have
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert "from English into German" in messages[0]["content"]
    assert messages[0]["content"].endswith("Translate these terms so:\nweather = Wetter")
    assert [message["content"] for message in messages[1:3]] == ["The weather is nice today.", first.text]


def test_only_finished_sentences_are_sent_where_nothing_shown_may_change() -> None:
    with ScriptedServer(in_german) as server:
        live = by(server, stable=True)
        found = one_by_one(live, caption(1, "The weather is"), caption(1, "The weather is nice today.", 1, final=True))
        assert len(server.asked) == 1
    assert [each.text for each in found] == ["Das Wetter ist heute schön."]


def test_a_server_that_fails_is_reported_once_and_captions_go_on() -> None:
    def failing(exchange: Exchange) -> None:
        exchange.begin(status="500 Internal Server Error")
        exchange.send(b'{"error": "out of memory"}')

    with ScriptedServer(failing) as server:
        live = by(server)
        found = one_by_one(live, *(caption(number, "We go out.", final=True) for number in (1, 2)))
    assert [(each.id, each.text, each.final) for each in found] == [(1, "", True), (2, "", True)]
    (incident,) = live.incidents
    assert "refuses to answer, with 500 (“out of memory”)" in str(incident)


def test_a_server_that_fails_at_the_last_sentence_is_reported_too() -> None:
    def failing(exchange: Exchange) -> None:
        exchange.begin(status="500 Internal Server Error")

    incidents: list[Incident] = []
    interpreter = Interpreter(SimulatedClock(FakeTimer()), incidents.append)
    with ScriptedServer(failing) as server:
        interpreter.translate_with(by(server))
        interpreter.offer([caption(1, "We go out.", final=True)])
        assert len(list(interpreter.finish())) == 1
    assert len(incidents) == 1


def test_a_newer_revision_ends_the_request_for_an_older_one() -> None:
    asked: list[Exchange] = []

    def slow(exchange: Exchange) -> None:
        asked.append(exchange)
        exchange.begin()
        if exchange.question != "The weather is nice today.":
            exchange.wait_for_hang_up()
        else:
            exchange.say("Schön.")
            exchange.end()

    with ScriptedServer(slow) as server:
        live = by(server)
        live.offer(caption(1, "The weather is"))
        while not asked:
            assert live.step() is None
        (found,) = translations(live, [caption(1, "The weather is nice today.", 1, final=True)])
        assert found.text == "Schön."
        assert asked[0].hung_up.wait(30)


def test_loading_tells_what_is_off() -> None:
    with ScriptedServer(saying("Ja.")) as server:
        ready, make = load_translation(server.address)
        assert (ready.device, ready.warnings) == (SERVER, (OFF,))
        assert make(TranslationOptions("fr")).options.target == "fr"
        with pytest.raises(OptionError, match="xx"):
            make(TranslationOptions("xx"))
        assert "ja" in translation_targets(server.address)


@pytest.mark.parametrize("candidates", [1, 4])
def test_a_gguf_file_translates_with_drafts_as_without(tmp_path: Path, candidates: int) -> None:
    pytest.importorskip("xllamacpp", reason="llama.cpp is not installed here")
    model = load_translation_model(write_gguf(tmp_path / "tiny.gguf"))
    texts = ("the weather", "the weather is", "the weather is nice today")
    options = TranslationOptions("de", bias=0, candidates=candidates)
    growing = Translator(model, options)
    for text in texts[:-1]:
        growing.update(text)
    drafted = growing.update(texts[-1], final=True)
    assert drafted.text == Translator(model, options).update(texts[-1], final=True).text
    assert "fr" in translation_targets(str(model.folder))
