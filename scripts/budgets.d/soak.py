"""Connections that end in every bad way, after which every descriptor must be back."""
import socket
import struct
import time

import routes
from client import Connection
from http2 import END_HEADERS, END_STREAM, HEADERS, Connection2, frame, get

ROUNDS = 40


def soak(shop, book):
    for _ in range(2):
        whole(shop)
    start = rest(shop, None)
    for _ in range(ROUNDS):
        for kind in KINDS:
            kind(shop)
    left = [half_request(shop, wait=True) for _ in range(10)] + [half_handshake(shop, wait=True) for _ in range(10)]
    end = rest(shop, start)
    for connection in left:
        connection.close()
    book.row("descriptors", "budget", str(end), str(start), end <= start, f"(after {ROUNDS * len(KINDS) + len(left)} connections)")


def rest(shop, goal):
    """The number of descriptors once it has stopped falling, or is back at the goal.

    Deadlines of the server are two seconds, but a connection that it has made itself meanwhile is kept for more than a minute.
    """
    deadline, last, since = time.monotonic() + 180, shop.descriptors(), time.monotonic()
    while time.monotonic() < deadline:
        now = shop.descriptors()
        if now != last:
            last, since = now, time.monotonic()
        if goal is not None and now <= goal or goal is None and time.monotonic() - since > 1:
            return now
        time.sleep(0.02)
    return last


def plain(port):
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def reset(connection):
    """Closes with RST instead of FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def whole(shop):
    connection = Connection(shop.tls_port, shop.trust)
    connection.ask(routes.issue_request(shop))
    connection.ask(routes.aasa(shop))
    connection.close()


def half_request(shop, wait=False):
    connection = plain(shop.clear_port)
    connection.sendall(routes.issue_request(shop)[:30])
    if wait:
        return connection
    connection.close()


def reset_request(shop):
    connection = plain(shop.clear_port)
    connection.sendall(routes.issue_request(shop)[:30])
    reset(connection)


def half_body(shop):
    connection = plain(shop.clear_port)
    connection.sendall(routes.issue_request(shop)[:-5])
    connection.close()


def half_answered(shop):
    """HTTP/2: ten requests, and gone before an answer is read."""
    connection = Connection2(shop)
    block = get("/iosApp/cart", shop.host)
    connection.send(b"".join(frame(HEADERS, END_HEADERS | END_STREAM, 2 * number + 1, block) for number in range(10)))
    reset(connection.socket)


def no_handshake(shop):
    plain(shop.tls_port).close()


def half_handshake(shop, wait=False):
    connection = plain(shop.tls_port)
    # The head of a TLS record that promises a ClientHello, and its first bytes.
    connection.sendall(bytes([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]))
    if wait:
        return connection
    connection.close()


def rude_goodbye(shop):
    connection = Connection(shop.tls_port, shop.trust)
    connection.ask(routes.aasa(shop))
    reset(connection.socket)


def not_waiting(shop):
    connection = plain(shop.clear_port)
    connection.sendall(routes.issue_request(shop) * 3)
    reset(connection)


def nonsense(shop):
    connection = plain(shop.tls_port)
    connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    connection.close()


KINDS = [whole, half_request, reset_request, half_body, half_answered, no_handshake, half_handshake, rude_goodbye, not_waiting, nonsense]
