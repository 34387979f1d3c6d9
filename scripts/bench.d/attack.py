"""What other clients notice while one address attacks at full speed: their times, refusals, and the memory of the server."""
import asyncio
import itertools
import json
import multiprocessing
import os
import re
import ssl
import struct
import time
import urllib.request
import uuid

import buyers
import report
from machine import resident_kilobytes
from stage import say

PARTS = {
    "text": "messages and fields as large as may be, of combining marks, which a comparison of text would sort by insertion, and of many members; and larger ones",
    "reviews": "150 reviews at a time of made-up checkout sessions, with many webview sessions",
    "heads": "heads of HTTP/2 streams that name a large field of the compression table and never end",
    "connections": "as many connections as the server lets in, from all addresses of one network",
}
# How many times their usual 99th percentile the requests of others may take.
SLOWER = 3
# Milliseconds: a 99th percentile below this is as good as none. Less is within the noise of a machine with two cores.
UNNOTICED = 15
# Megabytes that one address may hold beyond what the server has without it, docs/operations.md: 191 MB of connections, 64 MB of content.
HELD = 191 + 64
ADDRESS = "127.66.6.6"
NETWORK = "127.66.6."
# The limits that the other benches lift, as they are by default.
LIMITS = {
    "LIMITS_ISSUE_PER_MINUTE": "600", "LIMITS_UNKNOWN_PER_MINUTE": "20", "LIMITS_WEBVIEW_SESSIONS_TOTAL": "1000000",
    "LIMITS_REQUESTS_PER_CONNECTION": "100000", "LIMITS_CONNECTIONS": "20000", "LIMITS_CONNECTIONS_PER_ADDRESS": "1000", "LIMITS_IDLE": "75s",
    "SESSION_LAUNCH": "5m", "HTTP2_CLEAR": "true", "SIMULATOR_QUOTA": "live",
    "NOTIFICATIONS_TOPIC_ARN": "arn:aws:sns:ap-northeast-1:123456789012:bench",
}
# Few enough for the attacker's own descriptors: one network tries to open more than all of them.
OVERRIDES = {"connections": {"LIMITS_CONNECTIONS": "4000"}}


# The attacks. Each is a coroutine that goes on until it is cancelled.

async def connect(port, address=ADDRESS):
    return await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0), limit=1 << 20)


async def answer(reader):
    """Status, head and body of one answer."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    length = re.search(r"(?i)content-length: (\d+)", head)
    body = await reader.readexactly(int(length.group(1)) if length else 0)
    return int(head.split(" ", 2)[1]), head, body


async def keep(port, requests, address=ADDRESS):
    """Sends requests one after the other, on a new connection where the server has closed the last one."""
    writer = None
    for request in requests:
        try:
            if writer is None:
                reader, writer = await connect(port, address)
            writer.write(request)
            await writer.drain()
            _, head, _ = await answer(reader)
            if "connection: close" in head.lower():
                raise ConnectionResetError
        except (OSError, EOFError, asyncio.IncompleteReadError):
            if writer:
                writer.close()
            writer = None
            await asyncio.sleep(0.001)


def message(server, body):
    return (f"POST /ipn/amazon-pay HTTP/1.1\r\nHost: {server.web}\r\nContent-Type: text/plain; charset=UTF-8\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def marks(size):
    """So many octets, a multiple of four, in the order that costs most to sort."""
    return ("\u0300" * (size // 4) + "\u0316" * (size // 4)).encode()


async def text(server):
    # The last one is refused by its head.
    contents = [b'{"' + marks(16_000) + b'":1}', b'{"Type":"' + marks(16_000) + b'"}', b'{"' + marks(8_000) + b'":1,"a' + marks(8_000) + b'":1}',
                b"{" + b",".join(b'"%d":1' % number for number in range(1_700)) + b"}", b'{"' + marks(248_000) + b'":1}']
    field = f"GET /button?secureWebviewSessionId=x HTTP/1.1\r\nHost: {server.web}\r\nSec-Fetch-Site: ".encode() + marks(13_600) + b"\r\n\r\n"
    requests = [message(server, content) for content in contents] + [field]
    rotations = (requests[number % len(requests):] + requests[:number % len(requests)] for number in range(32))
    await asyncio.gather(*(keep(server.clear, itertools.cycle(rotation)) for rotation in rotations))


async def reviews(server):
    await asyncio.gather(*(review(server) for _ in range(150)))


async def review(server):
    """A webview session of its own, and reads of checkout sessions that nobody has."""
    while True:
        reader = writer = None
        try:
            reader, writer = await connect(server.clear)
            jar = {}

            async def send(method, path, body=""):
                cookies = "; ".join(f"{name}={value}" for name, value in jar.items())
                writer.write((f"{method} {path} HTTP/1.1\r\nHost: {server.web}\r\nCookie: {cookies}\r\nOrigin: http://{server.web}\r\n"
                              f"Content-Type: {buyers.FORM}\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode())
                status, head, content = await answer(reader)
                for name, value in re.findall(r"(?i)set-cookie: ([^=]+)=([^;\r]*)", head):
                    jar[name] = value
                return status, content.decode()
            status, content = await send("POST", "/secureWebviewSession", f"client={buyers.CLIENT}&hd8=1&hd10=1")
            if status != 200:
                await asyncio.sleep(0.05)
                continue
            ticket = re.search(r'"secureWebviewSessionId":"([^"]+)"', content).group(1)
            await send("GET", f"/button?secureWebviewSessionId={ticket}")
            for _ in range(6):
                await send("GET", f"/confirm_order?amazonCheckoutSessionId={uuid.uuid4()}")
        except (OSError, EOFError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.01)
        finally:
            if writer:
                writer.close()


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def integer(value, bits):
    """An integer of HPACK, whose first byte has some bits for it."""
    if value < (1 << bits) - 1:
        return bytes((value,))
    value, output = value - (1 << bits) + 1, bytearray(((1 << bits) - 1,))
    while value >= 128:
        output.append(value % 128 + 128)
        value //= 128
    return bytes(output + bytes((value,)))


def literal(name, value):
    """A field with a name of the static table, or with its own, that is not put into the table."""
    start = bytes((name,)) if isinstance(name, int) else b"\x00" + integer(len(name), 7) + name
    return start + integer(len(value), 7) + value


def flood(server, streams=99):
    """A connection's bytes: a field of 4 KB into the table, then heads that name it four times and wait for their content."""
    large = b"\x40" + integer(6, 7) + b"x-fill" + integer(4_000, 7) + b"x" * 4_000
    head = b"\x83\x86" + literal(4, b"/purchase") + literal(1, server.web.encode()) + literal(b"content-length", b"9")
    output = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"")
    for number in range(streams):
        fields = head + (large + b"\xbe" * 3 if number == 0 else b"\xbe" * 4)
        output += frame(1, 4, 2 * number + 1, fields)
    return output


async def heads(server):
    await asyncio.gather(*(hold(server.clear, flood(server)) for _ in range(900)))


async def hold(port, data, address=ADDRESS):
    """Sends bytes and stays until the server ends the connection; again and again."""
    while True:
        writer = None
        try:
            reader, writer = await connect(port, address)
            writer.write(data)
            while await reader.read(65_536):
                pass
        except OSError:
            pass
        finally:
            if writer:
                writer.close()
        await asyncio.sleep(0.02)


async def connections(server):
    await asyncio.gather(*(hold(server.clear, b"GET / HTTP/1.1\r\n", f"{NETWORK}{1 + number % 250}") for number in range(5_000)))


def _attack(name, server):
    # The attacker is another machine: it takes what this one has left.
    os.nice(10)

    async def forever():
        await globals()[name](server)
    asyncio.run(forever())


class Attack:
    """Each attack beside the same buyers as without it."""

    def __init__(self, stage, options):
        self.stage, self.options, self.rows, self.complaints, self.values = stage, options, [], [], {}

    @property
    def is_good(self):
        return not self.complaints

    def run(self):
        for part in self.options.attack_parts:
            say(part, "–", PARTS[part])
            self.part(part)
        return self

    def part(self, name):
        stage = self.stage
        stage.server.overrides = {**LIMITS, **OVERRIDES.get(name, {})}
        server = stage.serve()
        self.autopilot()
        what, width, pause = ("review", 2, 0.5) if name == "reviews" else ("open", 4, 0.02)
        self.visit(server, 3, what, width, pause)
        usual, _ = self.visit(server, self.options.seconds, what, width, pause)
        before = resident_kilobytes(server.pid)
        attacker = multiprocessing.Process(target=_attack, args=(name, server), daemon=True)
        attacker.start()
        time.sleep(2)
        peaks = []
        attacked, wrong = self.visit(server, self.options.seconds, what, width, pause, lambda: peaks.append(resident_kilobytes(server.pid)))
        attacker.kill()
        attacker.join()
        grown = (max(peaks) - before) / 1024
        times = [self.percentiles(values) for values in (usual, attacked)]
        (usual_p50, usual_p99), (p50, p99) = times
        refused = sum(wrong.values())
        self.rows.append((name, f"{len(usual):,}", f"{usual_p50:.1f}", f"{usual_p99:.1f}", f"{len(attacked):,}", f"{p50:.1f}", f"{p99:.1f}",
                          f"{p99 / usual_p99:.1f}", refused, f"{grown:.0f}"))
        self.values[name] = {"usual": {"p50": usual_p50, "p99": usual_p99}, "attacked": {"p50": p50, "p99": p99}, "refused": wrong, "grown_megabytes": grown}
        self.check(p99 <= max(SLOWER * usual_p99, UNNOTICED), f"{name}: p99 of the others {p99:.1f} ms, {usual_p99:.1f} ms without the attack")
        self.check(not refused, f"{name}: {refused} of the others' requests were refused: {wrong}")
        self.check(grown <= HELD, f"{name}: {grown:.0f} MB more, {HELD} MB are documented")
        self.check(server.process.poll() is None, f"{name}: the server ended")

    def autopilot(self):
        simulator = self.stage.simulator
        context = ssl.create_default_context(cafile=str(simulator.authority))
        for path, body in (("options", {"quota": "live"}), ("next-buyer", {"email": "tokyo@example.test", "answers": ["consent"], "count": 1_000_000})):
            request = urllib.request.Request(f"{simulator.url}/_sim/{path}", json.dumps(body).encode())
            urllib.request.urlopen(request, timeout=30, context=context).read()

    def visit(self, server, seconds, what, width, pause, each_second=lambda: None):
        """Times in milliseconds of all requests to the server, and the refusals."""
        process, results = buyers.shop(server, self.stage.simulator, seconds, what, width, pause)
        while results.empty() and process.is_alive():
            each_second()
            time.sleep(1)
        times, wrong = results.get(timeout=60)
        process.join()
        return sorted(took * 1000 for _, took in times), wrong

    @staticmethod
    def percentiles(values):
        return tuple(values[min(len(values) - 1, int(len(values) * share))] for share in (0.5, 0.99))

    def check(self, holds, complaint):
        if not holds:
            say(complaint)
            self.complaints.append(complaint)

    def markdown(self):
        head = ("attack", "requests without", "p50 ms", "p99 ms", "requests beside it", "p50 ms", "p99 ms", "p99 ÷ usual", "refused", "MB more")
        outcome = "Every bound was kept." if self.is_good else "Missed: " + "; ".join(self.complaints)
        bounds = f"Bounds: p99 {SLOWER} times the usual one or {UNNOTICED} ms, none refused, {HELD} MB more."
        return f"{self.options.seconds} s each; {report.machine_line()}. {bounds}\n\n{report.table(head, self.rows)}\n\n{outcome}"

    def json(self):
        return {"parts": self.values, "complaints": self.complaints}
