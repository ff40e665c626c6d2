"""What the API answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import fofe
from fofe.decode import STRATEGIES
from fofe.tagging.rules import Rule

if TYPE_CHECKING:
    from starlette.testclient import TestClient
    from tests.serve.conftest import Serving

    from fofe.tagging.model import Model

TEXT = "Anna Berg met the mayor of Bergen. The University of Leeds hired Omar Haddad in 2014."


def post(client: TestClient, path: str, **content: Any) -> Any:
    response = client.post(path, json=content)
    assert response.status_code == 200, response.text
    return response.json()


def test_mentions_are_those_of_the_model(client: TestClient, tiny_model: Model) -> None:
    answer = post(client, "/v1/tag", text=TEXT)
    assert answer["model"] == "tiny"
    (document,) = answer["documents"]
    expected = tiny_model(TEXT).mentions
    assert [(m["start"], m["end"], m["type"], m["kind"], m["text"]) for m in document["mentions"]] == [
        (m.start, m.end, m.type, m.kind, m.text) for m in expected
    ]
    scores = [m["score"] for m in document["mentions"]]
    assert scores == pytest.approx([m.score for m in expected], abs=1e-5)


def test_several_texts_come_back_in_order(client: TestClient) -> None:
    documents = post(client, "/v1/tag", text=["Omar Haddad left.", "", "In Lima it rained all day."])[
        "documents"
    ]
    found = [[mention["text"] for mention in document["mentions"]] for document in documents]
    assert found == [["Omar Haddad"], [], ["Lima"]]


@pytest.mark.parametrize(("unit", "moved"), [("codepoints", 0), ("utf16", 1), ("bytes", 3)])
def test_offsets_in_the_unit_that_is_asked_for(client: TestClient, unit: str, moved: int) -> None:
    text = "It rained 🙂. Anna Berg met the mayor of Bergen."
    answer = post(client, "/v1/tag", text=text, offsets=unit, tokens=True)
    document = answer["documents"][0]
    mention = next(mention for mention in document["mentions"] if mention["text"] == "Anna Berg")
    assert (mention["start"], mention["end"]) == (13 + moved, 22 + moved)
    assert document["sentences"][1]["start"] == 13 + moved
    assert document["sentences"][0]["tokens"][2] == [10, 11 + moved]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("nested", [True, False])
def test_decoding_follows_the_request(
    client: TestClient, tiny_model: Model, strategy: str, nested: bool
) -> None:
    answer = post(
        client, "/v1/tag", text=TEXT, threshold=0.1, strategy=strategy, nested=nested, alternatives=2
    )
    model = tiny_model.with_options(threshold=0.1, strategy=strategy, nested=nested, alternatives=2)
    expected = model(TEXT).mentions
    found = answer["documents"][0]["mentions"]
    assert [(m["start"], m["end"], m["type"]) for m in found] == [(m.start, m.end, m.type) for m in expected]
    assert [len(m["alternatives"]) for m in found] == [2] * len(found)


FRENCH = "Le maire de la vieille ville a dit que les élus ne seraient pas dans la salle avec nous."


def test_the_language_of_each_text_is_recognised(client: TestClient) -> None:
    answer = post(client, "/v1/tag", text=[TEXT, "Li Wei"], language="auto")
    assert answer == post(client, "/v1/tag", text=[TEXT, "Li Wei"])
    for path, more in (("/v1/tag", {}), ("/v1/lattice", {}), ("/v1/export", {"format": "jsonl"})):
        refused = client.post(path, json={"text": FRENCH, "language": "auto", **more})
        assert refused.status_code == 422
        assert refused.json() == {"error": "language: the text looks like 'fr', the models are for en"}
    lines = client.post("/v1/stream?language=auto", content=f"{FRENCH}\n{TEXT}\n".encode()).text.splitlines()
    assert json.loads(lines[0]) == refused.json()
    assert json.loads(lines[1]) == post(client, "/v1/tag", text=TEXT)["documents"][0]


@pytest.mark.parametrize(
    ("origins", "allowed"),
    [(("https://a.example",), True), (("*",), True), (("https://b.example",), False), ((), False)],
)
def test_pages_of_allowed_origins_may_ask(serving: Any, origins: tuple[str, ...], allowed: bool) -> None:
    client, headers = serving(origins=origins, token="sesame"), {"Origin": "https://a.example"}
    asked = client.options("/v1/tag", headers={**headers, "Access-Control-Request-Method": "POST"})
    assert (asked.status_code == 204) is allowed
    headers["Authorization"] = "Bearer sesame"
    for answer in (
        asked,
        client.post("/v1/tag", json={"text": TEXT}, headers=headers),
        client.get("/v1/models"),
    ):
        known = {name: value for name, value in answer.headers.items() if name.startswith("access-control-")}
        if not allowed or "origin" not in answer.request.headers:
            assert known == {}
        else:
            assert known["access-control-allow-origin"] == "https://a.example"
            assert known["access-control-allow-headers"] == "authorization, content-type"


def test_models_by_name_and_language(client: TestClient) -> None:
    assert post(client, "/v1/tag", text=TEXT, model="careful")["model"] == "careful"
    assert post(client, "/v1/tag", text=TEXT, language="en")["model"] == "tiny"
    listed = client.get("/v1/models").json()
    assert listed["version"] == fofe.__version__
    assert [model["name"] for model in listed["models"]] == ["tiny", "careful"]
    assert listed["models"][1]["threshold"] == 0.9999
    assert set(listed["models"][0]["colours"]) == {"PER", "GPE", "ORG"}
    assert listed["models"][0]["decodings"] == {}
    assert listed["strategies"] == list(STRATEGIES)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({}, "text is missing"),
        ({"text": 3}, "text must be a string or a list of strings"),
        ({"text": ["a"] * 10_001}, "text must be a string or a list of at most 10000 strings"),
        ({"text": ["a", None]}, "text[1] must be a string"),
        ({"text": "a", "model": "huge"}, "model: there is no 'huge' here (choose from tiny, careful)"),
        ({"text": "a", "language": "zh"}, "language: no model for 'zh' (choose from auto, en)"),
        ({"text": "a", "threshold": 2}, "threshold"),
        ({"text": "a", "threshold": "0.5"}, "threshold must be a number"),
        ({"text": "a", "strategy": "best"}, "strategy"),
        ({"text": "a", "scheme": 3}, "scheme must be a string"),
        ({"text": "a", "offsets": "feet"}, "offsets must be 'codepoints', 'utf16' or 'bytes'"),
        ({"text": "a", "alternatives": -1}, "alternatives must be at least 0"),
        ({"text": "a", "alternatives": 0.5}, "alternatives must be a whole number"),
        ({"text": "a", "nested": "no"}, "nested must be true or false"),
        ({"text": "a", "rules": ["orders"]}, "there is no set 'orders' (choose from contact, dates, money)"),
        ({"text": "a", "rules": [__file__]}, "there is no set"),
        ({"text": "a", "rules": "contact"}, "rules must be a list of strings"),
        (
            {"text": "a", "names": 1, "xyz": 1},
            "names must be true or false; unknown field 'xyz' (known fields:",
        ),
        ({"text": "a", "exact": True}, "unknown field 'exact' (known fields:"),
        ({"text": "a", "tresh": 1}, "unknown field 'tresh' (did you mean 'threshold'?)"),
        (["a"], "body: send a JSON object"),
    ],
)
def test_what_does_not_fit_is_422_and_says_why(
    client: TestClient, content: dict[str, Any], problem: str
) -> None:
    response = client.post("/v1/tag", json=content)
    assert response.status_code == 422
    assert problem in response.json()["error"]


def test_a_query_that_does_not_fit_is_422_and_says_why(client: TestClient) -> None:
    refused = client.post("/v1/stream?tresh=1&alternatives=x", content=b"Omar Haddad left.")
    assert refused.status_code == 422
    assert refused.json()["error"] == (
        "alternatives must be a whole number; unknown field 'tresh' (did you mean 'threshold'?)"
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b'"text"',
        b'{"text": "a", "threshold": NaN}',
        b'{"text": "a", "\\ud800": 1}',
    ],
)
def test_broken_bodies_are_422(client: TestClient, body: bytes) -> None:
    response = client.post("/v1/tag", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 422
    assert response.json()["error"]


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "json", ""])
def test_what_is_not_called_json_is_422(client: TestClient, content_type: str) -> None:
    body = b'{"text": "Omar Haddad left."}'
    refused = client.post("/v1/tag", content=body, headers={"content-type": content_type})
    assert refused.status_code == 422
    assert "Content-Type: application/json" in refused.json()["error"]
    for name in ("application/json; charset=utf-8", "Application/JSON", "application/vnd.api+json"):
        assert client.post("/v1/tag", content=body, headers={"content-type": name}).status_code == 200


def test_lone_surrogates_pass_through(client: TestClient) -> None:
    body = b'{"text": "Omar Haddad\\ud800 left.", "threshold": 0, "for_recall": true}'
    headers = {"content-type": "application/json"}
    assert client.post("/v1/tag", content=body, headers=headers).status_code == 200
    for format in ("jsonl", "brat", "html", "redacted"):
        content = body[:-1].replace(b', "for_recall": true', b"") + b', "format": "%s"}' % format.encode()
        assert client.post("/v1/export", content=content, headers=headers).status_code == 200


def test_a_long_text_is_tagged_like_a_short_one(client: TestClient, tiny_model: Model) -> None:
    text = TEXT + " " + " ".join([TEXT] * 300)
    (found,) = post(client, "/v1/tag", text=text, tokens=True)["documents"]
    expected = tiny_model(text)
    mentions = [(mention.start, mention.end) for mention in expected.mentions]
    assert [(mention["start"], mention["end"]) for mention in found["mentions"]] == mentions
    spans = [[token.start, token.end] for token in expected.tokens]
    assert [span for sentence in found["sentences"] for span in sentence["tokens"]] == spans


def test_lattice_tells_every_fragment_of_a_sentence(client: TestClient, tiny_model: Model) -> None:
    answer = post(client, "/v1/lattice", text=TEXT, sentence=1, offsets="utf16")
    (sentence,) = answer["sentences"]
    assert answer["labels"] == list(tiny_model.labels)
    assert TEXT[sentence["start"] : sentence["end"]].startswith("The University")
    tokens, longest = len(sentence["tokens"]), tiny_model.config.max_words
    assert len(sentence["fragments"]) == sum(min(longest, tokens - start) for start in range(tokens))
    kept = [
        TEXT[sentence["tokens"][f["first"]][0] : sentence["tokens"][f["last"]][1]]
        for f in sentence["fragments"]
        if f["outcome"] == "mention"
    ]
    assert kept == [m.text for m in tiny_model(TEXT).mentions if m.start >= sentence["start"]]
    assert post(client, "/v1/lattice", text=TEXT, sentence=9)["sentences"] == []
    assert post(client, "/v1/lattice", text="")["sentences"] == []


def test_export(client: TestClient) -> None:
    def export(format: str) -> Any:
        return client.post("/v1/export", json={"text": "Omar Haddad left.", "format": format})

    assert export("brat").text == "T1\tPER 0 11\tOmar Haddad\n"
    assert export("redacted").text == "[PER] left."
    assert json.loads(export("jsonl").text)["mentions"][0]["text"] == "Omar Haddad"
    assert export("html").headers["content-type"].startswith("text/html")
    assert ">Omar Haddad<small>" in export("html").text


def test_redacted_export_has_no_contact_data(client: TestClient) -> None:
    request = {"text": "ring +47 22 33 44 55", "format": "redacted"}
    assert client.post("/v1/export", json=request).text == "ring [PHONE]"


def test_rules_of_the_server_and_of_the_request(serving: Serving) -> None:
    client = serving(rules=[Rule("order", "ORDER", "replace", pattern=r"AC-\d+")])
    text = "AC-17 is for a@b.no on 12 May."

    def rules(**request: Any) -> list[str]:
        (document,) = post(client, "/v1/tag", text=text, **request)["documents"]
        return [one["rule"] for one in document["mentions"] if "rule" in one]

    assert rules() == ["order"]
    assert rules(rules=["contact", "dates"]) == ["order", "contact: e-mail", "dates: English, day first"]
    query = "/v1/stream?rules=contact&rules=dates"
    lines = client.post(query, content=text, headers={"content-type": "text/plain"}).text.splitlines()
    assert [one["type"] for one in json.loads(lines[0])["mentions"]] == ["ORDER", "EMAIL", "DATE"]
    export = {"text": text, "format": "redacted", "rules": ["dates"]}
    assert client.post("/v1/export", json=export).text == "[ORDER] is for [EMAIL] on [DATE]."


def test_a_rule_makes_one_mention_of_a_match_in_a_long_text(client: TestClient) -> None:
    text = "It rained again. " * 2000 + "Write to a@b.no."
    (document,) = post(client, "/v1/tag", text=text, rules=["contact"])["documents"]
    assert [one["text"] for one in document["mentions"] if "rule" in one] == ["a@b.no"]


def test_a_stream_is_answered_line_by_line(client: TestClient) -> None:
    plain = client.post(
        "/v1/stream",
        content="\ufeffOmar Haddad left.\r\n\nIn Lima it rained.",
        headers={"content-type": "text/plain"},
    )
    found = [[m["text"] for m in json.loads(line)["mentions"]] for line in plain.text.splitlines()]
    assert found == [["Omar Haddad"], [], ["Lima"]]
    assert json.loads(plain.text.splitlines()[0])["mentions"][0]["start"] == 0  # behind the byte order mark
    body = b'{"id": 7, "text": "Omar Haddad left."}\n{"text": 3}\nno\n\xff\n{"id": 1e400, "text": ""}\n'
    body += b'{"text": "\\ud800 Lima"}\n'
    lines = client.post(
        "/v1/stream?offsets=bytes&threshold=0.5",
        content=body,
        headers={"content-type": "application/x-ndjson"},
    ).text.splitlines()
    first, *bad, last = map(json.loads, lines)
    assert (first["id"], first["mentions"][0]["end"]) == (7, 11)
    assert all("error" in line for line in bad)
    assert len(bad) == 4
    assert "mentions" in last


def test_health_metrics_and_the_page(client: TestClient) -> None:
    post(client, "/v1/tag", text=TEXT)
    assert client.get("/health").json() == {"status": "ok"}
    metrics = client.get("/metrics")
    assert metrics.headers["content-type"].startswith("text/plain; version=")
    assert 'fofe_requests_total{method="POST",path="/v1/tag",status="200"}' in metrics.text
    assert 'fofe_request_seconds_bucket{le="+Inf",path="/v1/tag"}' in metrics.text
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "script-src 'self'" in page.headers["content-security-policy"]


def test_metrics_do_not_grow_with_made_up_paths(client: TestClient) -> None:
    for number in range(3):
        assert client.get(f"/none/{number}").status_code == 404
    assert "none" not in client.get("/metrics").text


@pytest.mark.parametrize("kind", ["application/json", "application/xml", "multipart/form-data"])
def test_a_stream_is_lines_of_text_or_json(client: TestClient, kind: str) -> None:
    refused = client.post("/v1/stream", content=b'{"text": "Lima"}', headers={"Content-Type": kind})
    assert refused.status_code == 422
    assert "send lines, with Content-Type: text/plain or application/x-ndjson" in refused.json()["error"]
