"""What becomes of purchases under way when every process is killed, and whether any order is ever charged twice."""
import collections
import concurrent.futures
import http.client
import json
import random
import signal
import ssl
import time
import urllib.parse
import urllib.request

import report
from servers import PROGRAM, Sallyport, helper
from stage import say

PARTS = {
    "live": "400 purchases under way, the limits of a live account at the simulator, two processes with half of them each",
    "lifted": "1,000 purchases under way, no limits",
    "kills": "200 kills at random moments",
}
# All purchases have ended so many seconds after the kill; the lease of the dead holders is part of it.
BOUND = 120
# So many calls are on their way at the moment of the kill; the others have failed without an answer.
ON_THE_WAY = 32
NEVER = 600_000  # milliseconds: longer than the bench


class Shop:
    """Two processes on one database, and the simulator."""

    def __init__(self, stage):
        self.stage, self.database = stage, stage.DATABASE
        self.servers = []
        for name in ("one", "two"):
            folder = stage.folder / name
            folder.mkdir()
            self.servers.append(Sallyport(folder, stage.simulator))
            stage.callback(self.servers[-1].stop)
        self.uri = stage.postgres.uri(self.database)
        self.servers[0].migrate(self.uri)
        self.trust = ssl.create_default_context(cafile=str(stage.simulator.authority))

    def start(self, *servers, **settings):
        for server in servers or self.servers:
            extra = {f"SALLYPORT_{name}": value for name, value in settings.items()}
            server.launch([PROGRAM, "serve"], {**server.environment(self.uri), **extra})
        for server in servers or self.servers:
            server.wait_for(server._is_ready)

    def kill(self, *servers):
        for server in servers or self.servers:
            server.process.send_signal(signal.SIGKILL)
        for server in servers or self.servers:
            server.process.wait(30)

    def simulate(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.stage.simulator.url}/_sim/{path}", data, method=method)
        with urllib.request.urlopen(request, timeout=60, context=self.trust) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def log(self, since=0):
        """The calls after a number, how often a completion of each session took effect, and the last number."""
        calls, effects = [], {}
        while True:
            page = self.simulate(f"log?since={since}&limit=1000")
            calls += page["entries"]
            effects.update(page["effectiveCompletes"])
            if not page["entries"]:
                return calls, {session: number for session, number in effects.items() if number}, since
            since = page["last"]

    def fault(self, action, count=1_000_000):
        self.simulate("faults", {"match": {"operation": "CompleteCheckoutSession", "count": count}, "action": action})

    def clear_faults(self):
        self.simulate("faults", method="DELETE")

    def place(self, count):
        """Webview sessions that wait for their purchase: cookie and form of each."""
        server = self.servers[0]
        lines = helper("place", count, f"http://{server.web}", self.stage.simulator.url, self.stage.simulator.authority)
        return [tuple(line.split("\t")) for line in lines.splitlines()]

    def buy(self, server, session, patience=60):
        """Status of one POST /purchase; `None` where the server went away."""
        cookie, form = session
        connection = http.client.HTTPConnection("127.0.0.1", server.clear, timeout=patience)
        try:
            fields = {"Host": server.web, "Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
            connection.request("POST", "/purchase", form, fields)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def ask(self, sql):
        return self.stage.postgres.sql(sql, self.database)

    def under_way(self):
        return int(self.ask("SELECT count(*) FROM webview_session_purchase"))


class Recovery:
    def __init__(self, stage, options):
        self.stage, self.options, self.lines, self.complaints, self.values = stage, options, [], [], {}
        self.shop = Shop(stage)

    @property
    def is_good(self):
        return not self.complaints

    def run(self):
        for part in self.options.recovery_parts:
            say(part, "–", PARTS[part])
            self.shop.simulate("reset", {})
            getattr(self, part)()
        return self

    def live(self):
        self.crash("live", 400, "live", {"SIMULATOR_QUOTA": "live", "PROVIDER_QUOTA_PROCESSES": "2"})

    def lifted(self):
        self.crash("lifted", 1000, "none", {})

    # Everything dies

    def crash(self, name, count, quota, settings):
        shop = self.shop
        shop.simulate("options", {"quota": "none"})
        shop.start()
        sessions = shop.place(count)
        before = set(shop.ask("SELECT webview_session_id FROM webview_session WHERE state = 'authorized'").split())
        self.strand(sessions)
        done = int(shop.ask("SELECT count(*) FROM webview_session_purchase"))
        if done != count:
            raise RuntimeError(f"{done} of {count} purchases are under way")
        paid = self.charged()
        start = time.monotonic()
        shop.kill()
        shop.clear_faults()
        shop.simulate("options", {"quota": quota})
        _, _, last = shop.log()
        shop.start(**settings)
        curve, shown = [], None
        while True:
            at, left = time.monotonic() - start, shop.under_way()
            if left != shown:
                curve.append((at, left))
                shown = left
            if not left or at > 3 * BOUND:
                break
            time.sleep(0.5)
        took = curve[-1][0]
        self.check(left == 0 and took <= BOUND, f"{name}: {left} left after {took:.0f} s, {BOUND} s are allowed")
        authorized = set(shop.ask("SELECT webview_session_id FROM webview_session WHERE state = 'authorized'").split()) - before
        self.check(len(authorized) == count, f"{name}: {len(authorized)} of {count} are authorized")
        self.once(name, count)
        made = collections.Counter((call["operation"], call["status"]) for call in shop.log(last)[0])
        first = next((at for at, left in curve if left < count), took)
        half = next((at for at, left in curve if left <= count / 2), took)
        text = ", ".join(f"{number} {operation} {status}" for (operation, status), number in sorted(made.items(), key=str))
        self.lines.append((name, count, paid, f"{first:.0f}", f"{half:.0f}", f"{took:.0f}", text))
        self.values[name] = {"count": count, "curve": curve, "calls": {f"{o} {s}": n for (o, s), n in made.items()}}
        for server in shop.servers:
            server.stop()

    def strand(self, sessions):
        """Leaves purchases under way: of half of them the provider has the effect, and nobody has its answer."""
        shop, third = self.shop, (len(sessions) - ON_THE_WAY) // 2
        effect, none, rest = sessions[:third], sessions[third:2 * third], sessions[2 * third:]
        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            for group, action in ((effect, {"resetAfter": True}), (none, {"resetBefore": True})):
                shop.fault(action)
                answers = collections.Counter(pool.map(lambda pair: shop.buy(*pair), self.spread(group)))
                if set(answers) != {409}:
                    raise RuntimeError(f"purchases without an answer: {answers}")
                shop.clear_faults()
            # In flight at the moment of the kill.
            half = len(rest) // 2
            shop.fault({"slowBodyMs": NEVER}, half)
            shop.fault({"delayMs": NEVER}, len(rest) - half)
            waiting = [pool.submit(shop.buy, server, session, 5) for server, session in self.spread(rest)]
            deadline = time.monotonic() + 5
            while shop.under_way() < len(sessions) and time.monotonic() < deadline:
                time.sleep(0.05)
            del waiting

    def spread(self, sessions):
        return [(self.shop.servers[number % 2], session) for number, session in enumerate(sessions)]

    def charged(self):
        return sum(self.shop.log()[1].values())

    def once(self, name, count):
        _, effects, _ = self.shop.log()
        wrong = {session: number for session, number in effects.items() if number != 1}
        self.check(not wrong, f"{name}: sessions with other than one charge: {wrong}")
        self.check(len(effects) == count, f"{name}: {len(effects)} sessions were charged, {count} were bought")
        charges = int(self.shop.ask("SELECT count(DISTINCT charge) - count(*) FROM webview_session WHERE state = 'authorized'"))
        self.check(charges == 0, f"{name}: two orders name one charge")

    def check(self, holds, complaint):
        if not holds:
            say(complaint)
            self.complaints.append(complaint)

    # One dies at a time

    def kills(self):
        shop, count, draw = self.shop, self.options.kills, random.Random(self.options.seed)
        shop.simulate("options", {"quota": "none"})
        settings = {"SESSION_LEASE": "31s"}
        shop.start(**settings)
        sessions = shop.place(count * 4)
        answers = collections.Counter()
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            for number in range(count):
                # A slow provider now and then, so that kills meet each step of a purchase.
                if draw.random() < 0.5:
                    shop.fault({draw.choice(["delayMs", "processingMs", "slowBodyMs"]): draw.randrange(1, 60)}, 4)
                victim = shop.servers[draw.randrange(2)]
                group = sessions[4 * number:4 * number + 4]
                buys = [pool.submit(shop.buy, shop.servers[index % 2], session, 10) for index, session in enumerate(group)]
                time.sleep(draw.random() * 0.08)
                shop.kill(victim)
                shop.clear_faults()
                shop.start(victim, **settings)
                answers.update(buy.result() for buy in buys)
            took = time.monotonic() - start
            say(f"{count} kills in {took:.0f} s; answers {dict(answers)}; {shop.under_way()} purchases under way")
            last = time.monotonic()
            while shop.under_way() and time.monotonic() - last < BOUND:
                time.sleep(0.5)
            left, waited = shop.under_way(), time.monotonic() - last
            self.check(left == 0, f"kills: {left} purchases under way {BOUND} s after the last kill")
            # Who got no answer asks again: nothing of it may charge a second time.
            again = collections.Counter(pool.map(lambda pair: shop.buy(*pair), self.spread(sessions)))
        self.check(set(again) == {200}, f"kills: repeats were answered {dict(again)}")
        self.once("kills", len(sessions))
        text = ", ".join(f"{number} × {status or 'none'}" for status, number in sorted(answers.items(), key=str))
        self.lines.append(("kills", len(sessions), "–", "–", "–", f"{waited:.0f}", f"{count} kills in {took:.0f} s; answers: {text}"))
        self.values["kills"] = {"kills": count, "orders": len(sessions), "answers": {str(k): n for k, n in answers.items()}}
        for server in shop.servers:
            server.stop()

    # Figures

    def markdown(self):
        head = ("part", "purchases", "charged before the kill", "first ended, s", "half, s", "all, s", "calls after the kill")
        outcome = "Every bound was kept." if self.is_good else "Missed: " + "; ".join(self.complaints)
        seconds = "Seconds count from the kill; the lease of the dead holders is 45 s (kills: 31 s)."
        return f"{report.machine_line()}. {seconds}\n\n{report.table(head, self.lines)}\n\n{outcome}"

    def json(self):
        return {"parts": self.values, "complaints": self.complaints}
