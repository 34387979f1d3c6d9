"""A plain HTTP/1.1 client on raw sockets, and a buyer who crosses the shop with it."""
import html
import re
import socket
import ssl
import urllib.parse


class Refused(Exception):
    """The server closed the connection, or answered something else than was asked for."""


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    def field(self, name):
        return next((value for key, value in self.fields if key == name), None)

    def cookies(self):
        return dict(value.split(";", 1)[0].split("=", 1) for key, value in self.fields if key == "set-cookie")


class Connection:
    """One keep-alive connection."""

    def __init__(self, port, context=None, name="localhost"):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname=name)
        self.pending = b""

    def send(self, request):
        self.socket.sendall(request)

    def more(self):
        data = self.socket.recv(65536)
        if not data:
            raise Refused("the connection was closed")
        self.pending += data

    def receive(self):
        while b"\r\n\r\n" not in self.pending:
            self.more()
        head, self.pending = self.pending.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        fields = [(key.lower(), value.strip()) for key, value in (line.split(":", 1) for line in lines[1:])]
        length = int(next((value for key, value in fields if key == "content-length"), "0"))
        while len(self.pending) < length:
            self.more()
        body, self.pending = self.pending[:length], self.pending[length:]
        return Answer(int(lines[0].split(" ")[1]), fields, body)

    def ask(self, request):
        self.send(request)
        return self.receive()

    def close(self):
        self.socket.close()


def message(method, target, host, fields=(), form=None):
    """The bytes of a request; all requests of one kind are equally long, so that buffers grow alike."""
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", "Accept-Language: en"]
    lines += [f"{name}: {value}" for name, value in fields]
    body = b""
    if form is not None:
        body = urllib.parse.urlencode(form).encode()
        lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Browser:
    """A cookie jar that follows redirects between the shop and the provider's simulator."""

    def __init__(self, shop):
        self.shop, self.jars = shop, {}

    def cookie_field(self, host=None):
        jar = self.jars.get(host or self.shop.host)
        return [("Cookie", "; ".join(f"{name}={value}" for name, value in jar.items()))] if jar else []

    def open(self, url, form=None, fields=()):
        for _ in range(20):
            answer = self.request(url, form, fields)
            if answer.status not in (302, 303):
                if answer.status != 200:
                    raise Refused(f"{url.split('?')[0]}: {answer.status} {answer.body[:200]}")
                return answer
            url, form, fields = urllib.parse.urljoin(url, answer.field("location")), None, ()
        raise Refused(f"{url}: redirects for ever")

    def request(self, url, form, fields):
        parts = urllib.parse.urlsplit(url)
        target = urllib.parse.urlunsplit(("", "", parts.path, parts.query, ""))
        ours = parts.netloc == self.shop.host
        fields = [*fields, *self.cookie_field(parts.netloc)]
        request = message("GET" if form is None else "POST", target, parts.netloc, fields, form)
        connection = Connection(self.shop.clear_port) if ours else Connection(parts.port, self.shop.trust)
        answer = connection.ask(request)
        connection.close()
        self.jars.setdefault(parts.netloc, {}).update(answer.cookies())
        return answer


def hidden_field(page, name):
    match = re.search(rb'name="%s" value="([^"]*)"' % name.encode(), page.body)
    if not match:
        raise Refused(f"no field {name}: {page.body[:300]}")
    return html.unescape(match[1].decode())


class Buyer:
    """One purchase of client iosApp: the app, and the tab with the buyer in front of it."""

    START = ["merchantId", "publicKeyId", "ledgerCurrency", "checkoutLanguage", "productType", "placement", "payloadJSON",
             "signature", "algorithm"]

    def __init__(self, shop):
        self.shop, self.app, self.tab = shop, Browser(shop), Browser(shop)

    def to_confirm(self):
        """Up to the page where the buyer agrees."""
        web = self.shop.web
        self.app.open(f"{web}/iosApp/cart")
        issued = self.app.open(f"{web}/secureWebviewSession", {"client": "iosApp", "hd8": "1", "hd10": "1"})
        self.ticket = re.search(rb'Id":"([^"]*)"', issued.body)[1].decode()
        page = self.tab.open(f"{web}/button?secureWebviewSessionId={self.ticket}")
        self.page = self.tab.open(self.shop.simulator + "/checkout/start", {n: hidden_field(page, n) for n in self.START})
        return self

    def to_purchase(self):
        """Up to the return link; returns the form that the app posts."""
        form = {name: hidden_field(self.page, name) for name in ("secureWebviewSessionId", "totalPrice")}
        page = self.tab.open(f"{self.shop.web}/confirm_order", form, [("Origin", self.shop.web)])
        link = html.unescape(re.search(rb'id="purchase_link"[^>]*href="([^"]*)"', page.body)[1].decode())
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(link).query))


def trust(authority, protocols=("http/1.1",)):
    """TLS 1.3 as a client that believes one authority."""
    context = ssl.create_default_context(cafile=authority)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols(list(protocols))
    return context
