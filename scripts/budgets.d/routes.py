"""The requests that are counted: for each route a connection, and as many equal requests as are asked for."""
import json
import os
import re
import signal
import time
import uuid

import http2
from client import Browser, Buyer, Connection, Refused, message
from http2 import Connection2


class Route:
    """One row of the table of routes."""

    def __init__(self, name, prepare, status=200, window=50, connect=None, flight=1):
        self.name, self.prepare, self.status, self.window = name, prepare, status, window
        self.connect, self.flight = connect or clear, flight


def clear(shop):
    return Connection(shop.clear_port)


def tls(shop):
    return Connection(shop.tls_port, shop.trust)


def repeat(request):
    return lambda shop, count: [request(shop)] * count


def aasa(shop):
    return message("GET", "/.well-known/apple-app-site-association", shop.links)


def aasa2(shop):
    return http2.get("/.well-known/apple-app-site-association", shop.links)


def unchanged(shop):
    connection = Connection(shop.clear_port)
    tag = connection.ask(aasa(shop)).field("etag")
    connection.close()
    return message("GET", "/.well-known/apple-app-site-association", shop.links, [("If-None-Match", tag)])


def static_file(shop):
    page = Browser(shop).open(f"{shop.web}/iosApp/cart")
    path = re.search(rb'href="(/static/[^"]*\.css)"', page.body)[1].decode()
    return message("GET", path, shop.host)


def cart(shop):
    return message("GET", "/iosApp/cart", shop.host)


def issue_request(shop, pieces=1):
    return message("POST", "/secureWebviewSession", shop.host, form={"client": "iosApp", "hd8": pieces, "hd10": 1})


def ticket_of(answer):
    return re.search(rb'Id":"([^"]*)"', answer.body)[1].decode()


def opens(shop, count):
    connection = Connection(shop.clear_port)
    tickets = [ticket_of(connection.ask(issue_request(shop))) for _ in range(count)]
    connection.close()
    return [message("GET", f"/button?secureWebviewSessionId={ticket}", shop.host) for ticket in tickets]


def tab_page(path):
    """A page of a tab that has come back from the provider."""
    def prepare(shop, count):
        buyer = Buyer(shop).to_confirm()
        return [message("GET", path, shop.host, buyer.tab.cookie_field())] * count
    return prepare


def status_call(shop, count):
    app = Browser(shop)
    app.open(f"{shop.web}/iosApp/cart")
    issued = app.open(f"{shop.web}/secureWebviewSession", {"client": "iosApp", "hd8": "1", "hd10": "1"})
    form = {"secureWebviewSessionId": ticket_of(issued)}
    return [message("POST", "/secureWebviewSession/status", shop.host, app.cookie_field(), form)] * count


def purchases(shop, count):
    requests = []
    for _ in range(count):
        buyer = Buyer(shop).to_confirm()
        requests.append(message("POST", "/purchase", shop.host, buyer.app.cookie_field(), buyer.to_purchase()))
    return requests


def thanks(shop, count):
    buyer = Buyer(shop).to_confirm()
    buyer.app.open(f"{shop.web}/purchase", buyer.to_purchase())
    return [message("GET", "/thanks", shop.host, buyer.app.cookie_field())] * count


def unknown_ticket(shop):
    """Of the right form, and nobody's."""
    return message("GET", "/button?secureWebviewSessionId=swa_" + "A" * 64, shop.host)


def nowhere(shop):
    return message("GET", "/nowhere", shop.host)


ORDER = json.dumps({
    "reference": "A-1001", "client": "iosApp", "currency": "JPY", "tax": {"amount": "240", "currencyCode": "JPY"},
    "postage": {"amount": {"amount": "540", "currencyCode": "JPY"}},
    "lines": [{"id": "tea", "name": "Sencha 100 g", "quantity": 2, "unitPrice": {"amount": "1200", "currencyCode": "JPY"}}],
})


def merchant(shop, method, path, fields=(), body="", key=None):
    fields = [("Authorization", "Bearer " + (key or shop.key)), *fields]
    if body:
        fields += [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    return message(method, "/v1" + path, shop.host, fields) + body.encode()


def creates(shop, count):
    return [merchant(shop, "POST", "/sessions", [("Idempotency-Key", str(uuid.uuid4()))], ORDER) for _ in range(count)]


def reads(shop, count):
    connection = Connection(shop.clear_port)
    answer = connection.ask(creates(shop, 1)[0])
    if answer.status != 201:
        raise Refused(f"{answer.status} {answer.body[:300]}")
    session = json.loads(answer.body)["id"]
    connection.close()
    return [merchant(shop, "GET", f"/sessions/{session}")] * count


def strangers(shop):
    """A key of the right form, and nobody's."""
    digits = "".join(letter if letter in "-_" else "A" for letter in shop.key[-20:])
    return merchant(shop, "GET", "/sessions?limit=1", key=shop.key[:-20] + digits)


class Card:
    """A member's card, and the requests of phones about it."""

    def __init__(self, shop):
        self.shop = shop
        connection = Connection(shop.clear_port)
        body = json.dumps({"externalId": str(uuid.uuid4()), "name": "Hanako"})
        answer = connection.ask(merchant(shop, "POST", "/wallet/members", [("Idempotency-Key", str(uuid.uuid4()))], body))
        connection.close()
        if answer.status != 201:
            raise Refused(f"{answer.status} {answer.body[:300]}")
        card = json.loads(answer.body)
        self.account, self.type, self.serial = card["accountId"], card["passType"], card["serialNumber"]

    def pass_request(self, fields=()):
        return message("GET", f"/wallet/v1/passes/{self.type}/{self.serial}", self.shop.host, [self.authorization, *fields])

    @property
    def authorization(self):
        return "Authorization", "ApplePass " + self.shop.passes.token(self.type, self.serial)

    def register(self, device):
        body = b'{"pushToken":"00ff"}'
        fields = [self.authorization, ("Content-Length", str(len(body)))]
        return message("POST", f"/wallet/v1/devices/{device}/registrations/{self.type}/{self.serial}", self.shop.host, fields) + body


def unchanged_pass(shop):
    return Card(shop).pass_request([("If-Modified-Since", "Sun, 01 Jan 2096 00:00:00 GMT")])


def cached_pass(shop):
    return Card(shop).pass_request()


def unchanged_list(shop):
    card = Card(shop)
    connection = Connection(shop.clear_port)
    connection.ask(card.register("phone"))
    connection.close()
    path = f"/wallet/v1/devices/phone/registrations/{card.type}?passesUpdatedSince=9000000000000000000"
    return message("GET", path, shop.host)


def registrations(shop, count):
    card = Card(shop)
    return [card.register(uuid.uuid4().hex) for _ in range(count)]


def points(shop, count):
    card = Card(shop)
    path = f"/wallet/members/{card.account}/points"
    return [merchant(shop, "POST", path, [("Idempotency-Key", str(uuid.uuid4()))], '{"add":1}') for _ in range(count)]


class Wave:
    """Connections whose requests lie ready together: the server is held while they are sent."""

    def __init__(self, shop, number):
        self.shop, self.connections = shop, [Connection(shop.clear_port) for _ in range(number)]

    def send(self, requests):
        os.kill(self.shop.pid, signal.SIGSTOP)
        # A thread stops when it next comes by; until then it could still take up the first request alone.
        while any(state != "T" for state in self.shop.thread_states()):
            time.sleep(0.001)
        for connection, request in zip(self.connections, requests):
            connection.send(request)
        os.kill(self.shop.pid, signal.SIGCONT)
        for connection in self.connections:
            answer = connection.receive()
            if answer.status != 200:
                raise Refused(f"{answer.status} instead of 200: {answer.body[:300]}")

    def close(self):
        for connection in self.connections:
            connection.close()


ALL = [
    Route("aasa", repeat(aasa)),
    Route("aasa-304", repeat(unchanged), status=304),
    Route("static", repeat(static_file)),
    Route("aasa-tls", repeat(aasa), connect=tls),
    Route("static-tls", repeat(static_file), connect=tls),
    Route("aasa-h2", repeat(aasa2), connect=Connection2),
    Route("aasa-h2-10", repeat(lambda shop: [aasa2(shop)] * 10), connect=Connection2, flight=10, window=20),
    Route("cart", repeat(cart)),
    Route("issue", repeat(issue_request)),
    Route("open", opens, status=303),
    Route("confirm", tab_page("/confirm_order")),
    Route("status", status_call),
    Route("thanks", thanks),
    Route("purchase", purchases, window=4),
    Route("not-found", repeat(nowhere), status=404),
    Route("refused-open", repeat(unknown_ticket), status=404),
    Route("v1-read", reads),
    Route("v1-create", creates, status=201),
    Route("v1-refused", repeat(strangers), status=401),
    Route("pass-304", repeat(unchanged_pass), status=304),
    Route("pass-cached", repeat(cached_pass)),
    Route("pass-list-204", repeat(unchanged_list), status=204),
    Route("pass-register", registrations, status=201),
    Route("pass-points", points),
]
