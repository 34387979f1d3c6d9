"""Buyers with an address each, over plain sockets: what the other clients of a server see while one address attacks it."""
import html
import http.client
import itertools
import multiprocessing
import re
import ssl
import threading
import time
import urllib.parse

from servers import ASSOCIATION

CLIENT = "androidApp"
FORM = "application/x-www-form-urlencoded"
# What the form of the start page holds for the provider.
START = ("merchantId", "publicKeyId", "ledgerCurrency", "checkoutLanguage", "productType", "placement", "payloadJSON", "signature", "algorithm")


class Refused(Exception):
    """An answer that a buyer cannot go on with."""


class Buyer:
    """One buyer: an address of a network of its own, a new connection for each request, two cookie jars."""

    def __init__(self, server, simulator, number, note):
        self.server, self.simulator, self.note = server, simulator, note
        # Each in a /24 of its own, none of them the attacker's.
        self.address = f"127.{100 + number // 250 % 100}.{1 + number % 250}.1"
        self.app, self.tab = {}, {}

    def send(self, method, path, jar, form=None, host=None):
        """One request on a connection of its own; the answer, after its time is noted."""
        start = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.server.clear, timeout=60, source_address=(self.address, 0))
        try:
            fields = {"Host": host or self.server.web, "Accept-Language": "en", "Origin": f"http://{self.server.web}"}
            if method == "GET":
                del fields["Origin"]
            if jar:
                fields["Cookie"] = "; ".join(f"{name}={value}" for name, value in jar.items())
            if form is not None:
                fields["Content-Type"] = FORM
            connection.request(method, path, form, fields)
            answer = connection.getresponse()
            body = answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            self.note(path, time.monotonic() - start, type(error).__name__)
            raise Refused(type(error).__name__) from error
        finally:
            connection.close()
        self.note(path, time.monotonic() - start, answer.status)
        for line in answer.headers.get_all("Set-Cookie") or []:
            name, value = line.split(";", 1)[0].split("=", 1)
            jar[name] = value
        if answer.status >= 400:
            raise Refused(f"{method} {path.split('?')[0]}: {answer.status}")
        return answer, body

    def open(self):
        """Cart, issue, open, button page."""
        self.send("GET", ASSOCIATION, {}, host=self.server.link)
        self.send("GET", f"/{CLIENT}/cart", self.app)
        _, body = self.send("POST", "/secureWebviewSession", self.app, f"client={CLIENT}&hd8=1&hd10=1")
        ticket = re.search(r'"secureWebviewSessionId":"([^"]+)"', body).group(1)
        self.send("GET", f"/button?secureWebviewSessionId={ticket}", self.tab)
        return self.send("GET", "/button", self.tab)[1]

    def review(self):
        """All of it up to the page that the provider's return leads to."""
        page, target = self.open(), f"{self.simulator.url}/checkout/start"
        form = urllib.parse.urlencode({name: html.unescape(re.search(f'name="{name}" value="([^"]*)"', page).group(1)) for name in START})
        context, jar = ssl.create_default_context(cafile=str(self.simulator.authority)), {}
        while not target.startswith(f"http://{self.server.web}/"):
            target, form = self.provider(target, form, context, jar)
        self.send("GET", target.removeprefix(f"http://{self.server.web}"), self.tab)
        self.send("GET", "/confirm_order", self.tab)

    @staticmethod
    def provider(target, form, context, jar):
        """One page of the provider, whose autopilot chooses; where it leads. Its time is not ours."""
        parts = urllib.parse.urlsplit(target)
        connection = http.client.HTTPSConnection(parts.hostname, parts.port, timeout=60, context=context)
        fields = {"Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())} if jar else {}
        try:
            path = f"{parts.path}?{parts.query}" if parts.query else parts.path
            connection.request("POST" if form else "GET", path, form, {**fields, **({"Content-Type": FORM} if form else {})})
            answer = connection.getresponse()
            answer.read()
        finally:
            connection.close()
        for line in answer.headers.get_all("Set-Cookie") or []:
            name, value = line.split(";", 1)[0].split("=", 1)
            jar[name] = value
        if answer.status not in (302, 303):
            raise Refused(f"the provider answered {answer.status}")
        return urllib.parse.urljoin(target, answer.headers["Location"]), None


def _shop(server, simulator, seconds, what, width, pause, results):
    """Buyers one after the other in some threads, until the time is over."""
    times, wrong, lock, end, numbers = [], {}, threading.Lock(), time.monotonic() + seconds, itertools.count()

    def note(path, took, status):
        with lock:
            times.append((path.split("?")[0], took))
            if not isinstance(status, int) or status >= 400:
                key = f"{path.split('?')[0]} {status}"
                wrong[key] = wrong.get(key, 0) + 1

    def visit():
        while time.monotonic() < end:
            try:
                getattr(Buyer(server, simulator, next(numbers), note), what)()
            except Refused:
                pass
            time.sleep(pause)
    threads = [threading.Thread(target=visit) for _ in range(width)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put((times, wrong))


def shop(server, simulator, seconds, what, width, pause):
    """Times of each request in seconds, by path, and what was refused; in a process of its own."""
    results = multiprocessing.Queue()
    process = multiprocessing.Process(target=_shop, args=(server, simulator, seconds, what, width, pause, results), daemon=True)
    process.start()
    return process, results
