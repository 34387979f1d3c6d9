"""As much HTTP/2 as counting needs: requests without a body over TLS, any number of them in one flight."""
import struct

from client import Answer, Connection, Refused

DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, WINDOW = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    """A field that no table remembers, so that every request costs the same (RFC 7541, 6.2.2)."""
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def get(path, host):
    """The field block of a GET."""
    return b"".join([literal(":method", "GET"), literal(":scheme", "https"), literal(":authority", host), literal(":path", path)])


class Connection2(Connection):
    """One connection; a request is a field block, or a list of them that are sent together."""

    def __init__(self, shop):
        super().__init__(shop.tls_port, shop.trust2)
        if self.socket.selected_alpn_protocol() != "h2":
            raise Refused("the server does not speak HTTP/2")
        self.stream = 1
        # Windows so wide that no answer ever waits for one, and no credit has to be sent.
        wide = struct.pack(">HI", 4, 2**31 - 1)
        self.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, wide)
                  + frame(WINDOW, 0, 0, struct.pack(">I", 2**30)))

    def take(self, count):
        while len(self.pending) < count:
            self.more()
        taken, self.pending = self.pending[:count], self.pending[count:]
        return taken

    def ask(self, request):
        blocks = request if isinstance(request, list) else [request]
        frames = []
        for block in blocks:
            frames.append(frame(HEADERS, END_HEADERS | END_STREAM, self.stream, block))
            self.stream += 2
        self.send(b"".join(frames))
        statuses = [self.answer_ended() for _ in blocks]
        return Answer(max(statuses), [], b"")

    def answer_ended(self):
        """The status of the next answer that has come to its end."""
        self.statuses = getattr(self, "statuses", {})
        while True:
            head = self.take(9)
            kind, flags, stream = head[3], head[4], struct.unpack(">I", head[5:])[0]
            payload = self.take(int.from_bytes(head[:3], "big"))
            if kind == SETTINGS and not flags & ACK:
                self.send(frame(SETTINGS, ACK, 0))
            elif kind == HEADERS:
                # 0x88 to 0x8e are the statuses of the static table; 303 is not among them.
                self.statuses[stream] = {0x88: 200, 0x8b: 304}.get(payload[0], 500)
            elif kind in (RESET, GOAWAY):
                raise Refused(f"frame {kind}: {payload!r}")
            if kind in (HEADERS, DATA) and flags & END_STREAM:
                return self.statuses.pop(stream)
