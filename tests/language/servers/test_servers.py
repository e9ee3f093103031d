"""Servers of language models: answers stream, closing ends a request, and every fault is a sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.language.chat_tokenizer import Message
from engine.language.servers import client, local
from engine.language.servers.address import ServerAddress, is_address, read_address
from engine.language.servers.client import ServedAnswer
from engine.language.servers.model import load_served_model
from tests.language.servers.scripted_server import Exchange, Script, ScriptedServer, saying

ASKED = [Message("system", "Be brief."), Message("user", "Who are you?")]


def answered(script: Script, models: tuple[str, ...] = ("small",)) -> ServedAnswer:
    with ScriptedServer(script, models) as server:
        return read_whole(load_served_model(server.address).answer(ASKED, 50))


def read_whole(answer: ServedAnswer) -> ServedAnswer:
    while answer.ended is None:
        answer.read(0.05)
    return answer


def test_an_answer_comes_in_parts_and_ends() -> None:
    answer = answered(saying("I am ", "a test."))
    assert (answer.text, answer.ended) == ("I am a test.", "end")


def test_what_is_asked_for_is_the_likeliest_answer_of_the_named_model() -> None:
    with ScriptedServer(saying("Yes."), ("one", "two")) as server:
        read_whole(load_served_model(f"{server.address}/v1#two").answer(ASKED, 50))
        (exchange,) = server.asked
    assert exchange.path == "/v1/chat/completions"
    assert exchange.body == {
        "model": "two",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who are you?"}],
        "temperature": 0,
        "max_tokens": 50,
        "stream": True,
    }


def test_the_limit_of_tokens_is_told_apart() -> None:
    def script(exchange: Exchange) -> None:
        exchange.begin()
        exchange.say("I am a", "length")
        exchange.send(b": a comment\n\ndata: [DONE]\n\n")

    assert answered(script).ended == "limit"


def test_a_server_that_does_not_stream_is_understood() -> None:
    def script(exchange: Exchange) -> None:
        exchange.begin("application/json")
        message = {"choices": [{"message": {"content": "At once."}, "finish_reason": "stop"}]}
        exchange.send(json.dumps(message).encode())

    assert answered(script).text == "At once."


def raw(data: bytes) -> Script:
    def script(exchange: Exchange) -> None:
        exchange.begin()
        exchange.send(data)

    return script


def failing(status: str, body: bytes = b"") -> Script:
    def script(exchange: Exchange) -> None:
        exchange.begin("application/json", status)
        exchange.send(body)

    return script


def cut(exchange: Exchange) -> None:
    exchange.begin()
    exchange.say("I was about to")


BAD: dict[str, tuple[Script, str]] = {
    "cut": (cut, "cut off before its end"),
    "no answer": (lambda exchange: None, "broke off"),
    "garbage": (raw(b"\x00\xff garbage\n" * 9), "not as a server of language models"),
    "wrong JSON": (raw(b"data: {not json}\n\n"), "not as a server of language models"),
    "other JSON": (raw(b'data: {"answer": 42}\n\n'), "not as a server of language models"),
    "a list": (raw(b"data: [1, 2]\n\n"), "not as a server of language models"),
    "an error in between": (raw(b'data: {"error": {"message": "out of memory."}}\n\n'), "“out of memory”"),
    "500": (failing("500 Oops", b'{"error": {"message": "model crashed"}}'), "with 500 \\(“model crashed”\\)"),
    "500 with a page": (failing("500 Oops", b"<html>no</html>"), "refuses to answer, with 500\\.$"),
    "401": (failing("401 No"), "asks for a key"),
    "redirected": (failing("302 Found"), "refuses to answer, with 302"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_server_is_told_in_a_sentence(fault: str) -> None:
    script, sentence = BAD[fault]
    with pytest.raises(ModelError, match=sentence):
        answered(script)


def test_an_answer_that_never_ends_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MOST_BYTES", 10_000)

    def script(exchange: Exchange) -> None:
        exchange.begin()
        while not exchange.hung_up.is_set():
            exchange.say("on and ")

    with pytest.raises(ModelError, match="did not end, and was stopped"):
        answered(script)


def test_one_that_falls_silent_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "SILENT_SECONDS", 0.2)

    def script(exchange: Exchange) -> None:
        exchange.begin()
        exchange.say("Let me think")
        exchange.wait_for_hang_up()

    with pytest.raises(ModelError, match="did not answer in time"):
        answered(script)


def test_closing_ends_the_request() -> None:
    def script(exchange: Exchange) -> None:
        exchange.begin()
        exchange.say("Once upon a time")
        exchange.wait_for_hang_up()

    with ScriptedServer(script) as server:
        answer = load_served_model(server.address).answer(ASKED, 50)
        while not answer.text:
            answer.read(0.05)
        answer.close()
        assert server.asked[0].hung_up.wait(30)


def test_no_server_and_no_model_are_told() -> None:
    with ScriptedServer(saying("Yes."), ()) as server:
        with pytest.raises(ModelError, match="has no model"):
            load_served_model(server.address)
        port = server.port
    with ScriptedServer(saying("Yes."), ("small",)) as server, pytest.raises(ModelError, match="no model called 'big'"):
        load_served_model(f"{server.address}#big")
    with pytest.raises(ModelError, match=f"No server answers at http://127.0.0.1:{port}"):
        load_served_model(f"http://127.0.0.1:{port}")


def test_a_server_without_a_list_is_asked_all_the_same() -> None:
    with ScriptedServer(saying("Yes."), b"no list") as server:
        assert read_whole(load_served_model(server.address).answer(ASKED, 50)).text == "Yes."
        assert "model" not in server.asked[0].body


def test_addresses_are_read_as_people_type_them() -> None:
    assert read_address("http://localhost:11434") == ServerAddress("localhost", 11434)
    assert read_address("http://localhost:1234/v1/chat/completions#a/b:7b").model == "a/b:7b"
    assert read_address("https://[::1]/openai/").path == "/openai"
    assert read_address("https://[::1]/openai/").origin == "https://[::1]:443"
    assert is_address("http://x") and not is_address("starter-assistant")
    for wrong in ("http://", "http://user@host", "http://host:99999", "ftp://host", "http://host?a=b"):
        with pytest.raises(ModelError, match="no address of a server"):
            read_address(wrong)


def test_another_computer_is_warned_of() -> None:
    assert [read_address(f"http://{host}").warning for host in ("localhost", "127.0.0.2", "[::1]")] == ["", "", ""]
    assert "192.168.1.5, which is another computer, and whoever" in read_address("http://192.168.1.5:80").warning
    assert read_address("https://example.org").warning.endswith("another computer.")


def test_the_usual_ports_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(saying("Yes."), ("a", "b")) as one, ScriptedServer(saying("Yes."), b"a page") as other:
        monkeypatch.setattr(local, "USUAL_PORTS", {one.port: "One", other.port: "Other"})
        (found,) = local.local_servers()
    assert (found.program, found.models) == ("One", ("a", "b"))
    assert found.names == (f"http://localhost:{one.port}#a", f"http://localhost:{one.port}#b")


WEIGHTS = Path(os.environ.get("EARSHOT_TEST_WEIGHTS", "../weights")) / "smollm2-135m"


@pytest.fixture(scope="module")
def real_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of mlx_lm's own server with a published model."""
    if not WEIGHTS.is_dir():
        pytest.skip(f"SmolLM2-135M is not in {WEIGHTS} (EARSHOT_TEST_WEIGHTS names another folder)")
    import socket

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    cache = tmp_path_factory.mktemp("hub") / "hub"
    cache.mkdir()
    surroundings = os.environ | {"HF_HUB_CACHE": str(cache), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "mlx_lm", "server", "--model", str(WEIGHTS.resolve()), "--port", str(port)]
    with (tmp_path_factory.getbasetemp() / "server.log").open("wb") as log:
        process = subprocess.Popen(command, env=surroundings, stdout=log, stderr=log)
        try:
            yield _once_there(process, f"http://127.0.0.1:{port}")
        finally:
            process.kill()
            process.wait()


def _once_there(process: subprocess.Popen[bytes], address: str) -> str:
    while process.poll() is None:
        try:
            load_served_model(address)
        except ModelError:
            time.sleep(0.2)
        else:
            return address
    pytest.fail("the server ended")


@pytest.mark.realtime
def test_the_server_of_mlx_lm_answers(real_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "FIRST_SECONDS", 500.0)
    monkeypatch.setattr(client, "SILENT_SECONDS", 500.0)
    answer = read_whole(load_served_model(real_server).answer([Message("user", "What is the capital of France?")], 16))
    assert "Paris" in answer.text
