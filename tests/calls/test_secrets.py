"""The key goes into one header, and nowhere else."""

import asyncio
import json
import traceback

import pytest

from tests.calls.helpers import Place, spec
from tests.loopback.server import Fault, LoopbackServer, completion
from vlmtom.calls import CallFailure, endpoint_for
from vlmtom.errors import BadConfig

KEY = "sk-loopback-0123456789abcdef"


def everything_below(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_key_that_a_server_echoes_is_not_kept(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    caplog.set_level("DEBUG")
    padding = "x" * 490  # so that cutting the message would leave a part of the key
    script = [
        Fault(500, {"error": {"message": padding + KEY}}),
        Fault(body={"error": {"code": 502, "message": f"bad key {KEY}"}}),
        Fault(503, f"<html>{KEY}</html>", content_type="text/html"),
        Fault(body=f"not JSON {KEY}"),
        # the same key, escaped as JSON allows: "sk-" as "\\u0073k-"
        Fault(500, '{"error": {"message": "' + KEY.replace("s", "\\u0073", 1) + '"}}'),
    ]

    def echo(body):
        return completion(body, f"your key is {KEY}", reasoning=KEY)

    with LoopbackServer(echo, script=script) as server:
        one = spec(server.base_url, endpoint_api_key_env="LOOPBACK_KEY", calls_attempts=9)
        _, records = Place(tmp_path).ask(one)
    assert server.stats.authorizations == {f"Bearer {KEY}"}
    assert records[0]["text"] == "your key is [key]"
    assert len(records[0]["attempts_failed"]) == 5
    kept = everything_below(tmp_path) + caplog.text.encode() + json.dumps(records).encode()
    assert KEY.encode() not in kept
    assert KEY[:12].encode() not in kept


def test_an_exception_shows_no_key(monkeypatch):
    monkeypatch.setenv("LOOPBACK_KEY", KEY)

    async def attempt(one):
        endpoint = endpoint_for(one)
        try:
            await endpoint.complete({"model": "m", "messages": []})
        finally:
            await endpoint.close()

    with LoopbackServer(script=[Fault(401, {"error": {"message": KEY}})]) as server:
        one = spec(server.base_url, endpoint_api_key_env="LOOPBACK_KEY")
        with pytest.raises(CallFailure) as failure:
            asyncio.run(attempt(one))
    shown = "".join(traceback.format_exception(failure.value)) + repr(failure.value)
    assert failure.value.error_kind == "auth"
    assert KEY not in shown


def test_a_variable_without_a_key_is_named(monkeypatch):
    monkeypatch.delenv("LOOPBACK_KEY", raising=False)
    one = spec("http://127.0.0.1:9/v1", endpoint_api_key_env="LOOPBACK_KEY")
    with pytest.raises(BadConfig, match="environment variable LOOPBACK_KEY is not set"):
        endpoint_for(one)


@pytest.mark.parametrize("inside", ["\n", " ", "\x7f", "…", "\t"])
def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(monkeypatch, inside):
    monkeypatch.setenv("LOOPBACK_KEY", f"sk-secret{inside}0123456789")
    one = spec("http://127.0.0.1:9/v1", endpoint_api_key_env="LOOPBACK_KEY")
    with pytest.raises(BadConfig, match="LOOPBACK_KEY holds white space") as error:
        endpoint_for(one)
    assert "secret" not in str(error.value)


def test_a_server_without_keys_needs_none(tmp_path):
    with LoopbackServer() as server:
        _, records = Place(tmp_path).ask(spec(server.base_url))
    assert records[0]["status"] == "ok"
