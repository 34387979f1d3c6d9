"""Whether anybody gets a gift twice while processes are killed, and how wide the window is that Apple's service leaves between reading and writing."""
import asyncio
import collections
import concurrent.futures
import hashlib
import http.client
import json
import random
import signal
import statistics
import subprocess
import threading
import time
import urllib.request

import report
from servers import PROGRAM, Sallyport, free_port
from stage import say
from wallet import SECRET

PARTS = {
    "kills": "kills at random moments under load, two processes, then everybody asks again",
    "window": "the time between query and update at Apple, and pairs of accounts that claim on one device at once",
}
TEAM, KEY = "SP4TESTDEV", "AuthKey_SP4TESTKEY.p8"
PURPOSE = "free-trial"
# A request that died holds its account up for so long; some more for a busy machine.
PATIENCE = 120
# What Apple's service takes for an answer, as far as the bench imitates it, and pairs for each.
LATENCIES, SPREAD = (0, 0.02, 0.1), 1.0


class Apple:
    """The simulated DeviceCheck, reached through a relay that makes every call take its time and notes when it came by."""

    def __init__(self, port):
        self.port, self.relay_port, self.latency, self.times, self.came = port, free_port(), 0.0, [], 0
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        asyncio.run_coroutine_threadsafe(asyncio.start_server(self.relay, "127.0.0.1", self.relay_port), self.loop).result(10)

    def ask(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/_sim/{path}", data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    async def relay(self, reader, writer):
        """One request after the other: half of the latency before it, half behind it."""
        own_reader, own_writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            while True:
                head, body = await self.message(reader)
                self.came += 1
                came, call = time.monotonic(), head.split(b" ", 2)[1].rsplit(b"/", 1)[-1].decode()
                await asyncio.sleep(self.latency / 2)
                own_writer.write(head + body)
                answer = b"".join(await self.message(own_reader))
                await asyncio.sleep(self.latency / 2)
                self.times.append((call, came, time.monotonic()))
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()
            own_writer.close()

    @staticmethod
    async def message(reader):
        head = await reader.readuntil(b"\r\n\r\n")
        lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        return head, await reader.readexactly(int(lengths[0]) if lengths else 0)

    def devices(self, count):
        return [self.ask("devices", {})["device"] for _ in range(count)]

    def token(self, device):
        return self.ask(f"devices/{device}/tokens", {})["deviceToken"]

    def log(self):
        entries, since = [], 0
        while page := self.ask(f"log?since={since}&limit=1000")["entries"]:
            entries += page
            since = page[-1]["number"]
        return entries


class Gifts:
    """Two processes on one database, accounts, and what they were given."""

    def __init__(self, stage):
        self.stage, self.database = stage, stage.DATABASE
        self.apple = None
        self.tokens = collections.defaultdict(list)
        self.lock = threading.Lock()
        port = free_port()
        stage.simulator.overrides = {"DEVICE_CHECK_SIMULATOR_LISTEN": f"127.0.0.1:{port}"}
        stage.open()
        self.apple = Apple(port)
        secret = stage.folder / "merchant.secret"
        secret.write_bytes(SECRET)
        secret.chmod(0o600)
        settings = {
            "MERCHANT_API": "true", "MERCHANT_REQUESTS_PER_MINUTE": "1000000", "MERCHANT_SECRET_FILE": str(secret),
            "DEVICE_CHECK_TEAM_ID": TEAM, "DEVICE_CHECK_PRIVATE_KEY": str(stage.simulator.keys / "devicecheck" / KEY),
            "DEVICE_CHECK_PRODUCTION_URL": f"http://127.0.0.1:{self.apple.relay_port}/production", "DEVICE_CHECK_ACCOUNT_RATE": "6000",
        }
        self.uri, self.servers = stage.postgres.uri(self.database), []
        for name in ("one", "two"):
            folder = stage.folder / name
            folder.mkdir()
            server = Sallyport(folder, stage.simulator)
            server.overrides = settings
            stage.callback(server.stop)
            self.servers.append(server)
        self.servers[0].migrate(self.uri)
        self.start()
        words = [PROGRAM, "keys", "create", "--name", "bench", "--scopes", "devices:read,devices:write"]
        done = subprocess.run(words, env=self.servers[0].environment(self.uri), capture_output=True, text=True, check=True)
        self.key = done.stdout.strip()

    def start(self, *servers):
        for server in servers or self.servers:
            server.launch([PROGRAM, "serve"], server.environment(self.uri))
        for server in servers or self.servers:
            self.wait(server)

    def wait(self, server):
        """Until it is ready; somebody else may have had its port for a moment, since that is one of those that the kernel gives to clients."""
        for _ in range(100):
            try:
                return server.wait_for(server._is_ready)
            except RuntimeError as error:
                if "is in use" not in str(error):
                    raise
                time.sleep(0.3)
                server.log.write_text("")
                server.launch([PROGRAM, "serve"], server.environment(self.uri))
        raise RuntimeError("a port of the bench stays in use")

    def kill(self, server):
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(30)

    def ask(self, sql):
        return self.stage.postgres.sql(sql, self.database)

    def accounts(self, count):
        return self.ask("INSERT INTO account (account_id, created_at, external_id) "
                        f"SELECT id_new(), now(), 'bench-' || gen_random_uuid() FROM generate_series(1, {count}) RETURNING account_id").split()

    def claim(self, server, account, device):
        """Status and answer of one claim with a fresh token; `None` where the server went away."""
        token = self.apple.token(device)
        with self.lock:
            self.tokens[account].append((device, hashlib.sha256(token.encode()).hexdigest()[:16]))
        connection = http.client.HTTPConnection("127.0.0.1", server.clear, timeout=30)
        try:
            fields = {"Host": server.web, "Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
            body = json.dumps({"purpose": PURPOSE, "deviceToken": token})
            connection.request("POST", f"/v1/devices/accounts/{account}/claim", body, fields)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            return None, {}
        finally:
            connection.close()

    def given(self):
        """How often each account was given its gift, by the events that announced it."""
        rows = self.ask("SELECT data->>'accountId' FROM event WHERE type = 'device_check.claim.granted'").split()
        return collections.Counter(rows)


class DeviceCheck:
    def __init__(self, stage, options):
        self.options, self.complaints, self.values, self.blocks = options, [], {}, []
        self.gifts = Gifts(stage)

    @property
    def is_good(self):
        return not self.complaints

    def run(self):
        for part in self.options.device_parts:
            say(part, "–", PARTS[part])
            getattr(self, part)()
        for server in self.gifts.servers:
            server.stop()
        return self

    def check(self, holds, complaint):
        if not holds:
            say(complaint)
            self.complaints.append(complaint)

    # Kills

    def kills(self):
        gifts, count, draw = self.gifts, self.options.kills, random.Random(self.options.seed)
        apple = gifts.apple
        # Of three devices of a round one is wanted by two accounts at once.
        devices, people = apple.devices(3 * count), gifts.accounts(4 * count)
        wishes = [(person, devices[3 * (index // 4) + (0, 1, 2, 2)[index % 4]]) for index, person in enumerate(people)]
        answers, start = collections.Counter(), time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            for number in range(count):
                # A slow Apple now and then, whose answers are lost sometimes: so kills meet each step of a claim.
                action = draw.choice([{"delayMs": draw.randrange(1, 60)}, {"processingMs": draw.randrange(1, 60)}, {"resetAfter": True}, None])
                if action:
                    apple.ask("faults", {"match": {"count": 3}, "action": action})
                apple.latency = draw.random() * 0.02
                victim = gifts.servers[draw.randrange(2)]
                group, before, wanted = wishes[4 * number:4 * number + 4], apple.came, draw.randrange(7)
                asked = [pool.submit(gifts.claim, gifts.servers[index % 2], *wish) for index, wish in enumerate(group)]
                # A slow machine is killed as far on its way as a fast one.
                patience = time.monotonic() + 2
                while apple.came < before + wanted and time.monotonic() < patience:
                    time.sleep(0.002)
                time.sleep(draw.random() * 0.05)
                gifts.kill(victim)
                apple.ask("faults", method="DELETE")
                gifts.start(victim)
                answers.update(one.result()[0] for one in asked)
            took = time.monotonic() - start
            cut = int(gifts.ask("SELECT count(*) FROM device_claim WHERE grants = 0"))
            say(f"{count} kills in {took:.0f} s; answers {dict(answers)}; {sum(gifts.given().values())} gifts, {cut} claims cut off")
            # Who got no answer asks again until there is one, and whoever got one asks again, too.
            finals = list(pool.map(lambda pair: self.insist(gifts.servers[pair[0] % 2], *pair[1]), enumerate(wishes)))
            again = list(pool.map(lambda pair: self.insist(gifts.servers[pair[0] % 2], *pair[1]), enumerate(wishes)))
            others = gifts.accounts(len(devices))
            late = list(pool.map(lambda pair: self.insist(gifts.servers[0], *pair), zip(others, devices)))
        self.check(not any(answer.get("isGranted") for answer in again), "kills: a repeated claim was given something")
        self.check(not any(answer.get("isGranted") for answer in late), "kills: a used device was given something")
        self.judge(wishes, len(devices), answers, finals, (took, cut))

    def insist(self, server, account, device):
        """The decision on a claim, however often one has to ask."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            status, answer = self.gifts.claim(server, account, device)
            if status == 200:
                return answer
            time.sleep(1)
        raise RuntimeError(f"no decision within {PATIENCE} s: {status} {answer}")

    def judge(self, wishes, device_count, answers, finals, run):
        gifts, (took, cut) = self.gifts, run
        given, marks = gifts.given(), self.marks()
        stored = int(gifts.ask(f"SELECT coalesce(max(grants), 0) FROM device_claim WHERE purpose = '{PURPOSE}'"))
        self.check(max(given.values()) == 1 and stored == 1, "kills: an account was given its gift twice")
        by_device = collections.defaultdict(list)
        for account, device in wishes:
            if given[account]:
                by_device[device].append(marks.get((account, device)))
        self.check(len(by_device) == device_count, f"kills: {device_count - len(by_device)} devices have no gift")
        window = resumed = 0
        for device, own in by_device.items():
            if len(own) == 1:
                continue
            if None in own:
                # Cut off between its own plan and the mark: its account may finish, and nobody can say that the mark is another's.
                resumed += 1
                continue
            (read, wrote), (other_read, other_wrote) = own
            is_window = read < other_wrote and other_read < wrote
            self.check(is_window, f"kills: device {device} was given two gifts outside the window: {own}")
            window += is_window
        reasons = collections.Counter(answer["reason"] for answer in finals)
        text = ", ".join(f"{number} × {status or 'none'}" for status, number in sorted(answers.items(), key=str))
        rows = [
            ("kills of one of two processes, in seconds", f"{self.options.kills} in {took:.0f} s"),
            ("claims meanwhile, by status", text),
            ("claims cut off between their plan and their gift", cut),
            ("decisions when everybody asked again", ", ".join(f"{number} × `{reason}`" for reason, number in reasons.most_common())),
            ("accounts, devices, gifts", f"{len(wishes)}, {device_count}, {sum(given.values())}"),
            ("accounts with two gifts", sum(number > 1 for number in given.values())),
            ("devices with two gifts: both had read before either wrote", f"{window} of {self.options.kills} pairs"),
            ("devices with two gifts: a claim that was cut off before its mark, and finished", resumed),
            ("devices with two gifts, otherwise", len(self.complaints)),
        ]
        self.values["kills"] = {name: str(value) for name, value in rows}
        self.blocks.append(report.table(("Kills", "Figure"), rows))

    def marks(self):
        """When each account read a device before it marked it, and when it marked it, by the order at Apple."""
        calls = collections.defaultdict(list)
        for entry in self.gifts.apple.log():
            calls[entry["deviceToken"]].append(entry)
        found = {}
        for account, tokens in self.gifts.tokens.items():
            for device, digest in tokens:
                done = [entry for entry in calls.get(digest, []) if entry["status"] == 200]
                writes = [entry["number"] for entry in done if entry["operation"] == "updateTwoBits"]
                if writes and (account, device) not in found:
                    reads = [entry["number"] for entry in done if entry["operation"] == "queryTwoBits" and entry["number"] < writes[0]]
                    found[account, device] = (reads[-1], writes[0])
        return found

    # The window

    def window(self):
        gifts, apple, rows = self.gifts, self.gifts.apple, []
        gifts.ask("UPDATE device_account SET busy_until = NULL")
        for latency in LATENCIES:
            apple.latency, apple.times = latency, []
            self.claims_alone(self.options.pairs // 2)
            times = sorted(apple.times, key=lambda one: one[1])
            own = [1e3 * (update[1] - query[2]) for query, update in zip(times, times[1:])
                   if query[0] == "query_two_bits" and update[0] == "update_two_bits"]
            whole = [value + 1e3 * latency for value in own]
            together = self.race(0)
            apart = self.race(SPREAD)
            p99 = statistics.quantiles(whole, n=100)[98]
            rows.append((f"{1e3 * latency:.0f}", f"{statistics.median(own):.1f}", f"{statistics.median(whole):.1f}", f"{p99:.1f}",
                         f"{together} of {self.options.pairs}", f"{apart} of {self.options.pairs}"))
            say(f"Apple {1e3 * latency:.0f} ms: {rows[-1]}")
        head = ("Apple takes, ms", "ours between answer and update, ms", "window, ms, median", "p99", "double gifts of pairs at once",
                f"of pairs within {SPREAD:.0f} s")
        self.values["window"] = [dict(zip(head, row)) for row in rows]
        self.blocks.append(report.table(head, rows))

    def claims_alone(self, count):
        for account, device in zip(self.gifts.accounts(count), self.gifts.apple.devices(count)):
            status, answer = self.gifts.claim(self.gifts.servers[0], account, device)
            self.check(status == 200 and answer["isGranted"], f"window: a claim alone was answered {status}")

    def race(self, spread):
        """How many of the pairs were both given a gift, when one begins up to so many seconds behind the other."""
        gifts, count, draw = self.gifts, self.options.pairs, random.Random(self.options.seed)
        people, devices, doubles = gifts.accounts(2 * count), gifts.apple.devices(count), 0
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for number, device in enumerate(devices):
                start = threading.Barrier(2)
                pauses = (0, draw.random() * spread)
                pair = list(pool.map(lambda one: self.racer(start, *one), [
                    (gifts.servers[index], people[2 * number + index], device, pauses[index]) for index in (0, 1)
                ]))
                self.check(any(pair), "window: of two accounts on a new device none was given anything")
                doubles += all(pair)
        return doubles

    def racer(self, start, server, account, device, pause):
        start.wait(30)
        time.sleep(pause)
        return bool(self.gifts.claim(server, account, device)[1].get("isGranted"))

    # Figures

    def markdown(self):
        outcome = "Every bound was kept." if self.is_good else "Missed: " + "; ".join(self.complaints)
        return "\n\n".join([f"{report.machine_line()}.", *self.blocks, outcome])

    def json(self):
        return {"parts": self.values, "complaints": self.complaints}
