"""What cards in Wallet cost: making one beside pass libraries, the requests of phones, points, and pushes; and how that grows with cards."""
import base64
import http.client
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import urllib.request

import load
import report
from machine import Meter
from postgres import FILLING
from servers import ROOT, free_port, listens
from stage import say

sys.path.append(str(ROOT / "Tests/Support"))
from passkeys import PassKeys  # noqa: E402

SQL = pathlib.Path(__file__).resolve().parent / "wallet.sql"
TEMPLATE = ROOT / "examples/wallet/templates/member"
TYPE = "pass.com.example.sallyport.member"
CONNECTIONS = 32
HOST = "cards.localhost"
KEY = "swk_" + base64.urlsafe_b64encode(bytes(range(1, 49))).decode()
SECRET = bytes(range(32, 96))
# Passes whose files fit the cache; of many more none is in it when it is asked for again.
CACHED, COLD = 100, 20_000
PUSHES = 10_000
MEANING = {
    "304": "a phone asks for a pass that it has", "204": "a phone asks what has changed: nothing", "list": "the same: one pass has",
    "200": "a phone gets a pass that is in memory", "cold": "a phone gets a pass that is made for it", "register": "another phone registers",
    "points": "`POST /v1/wallet/members/{id}/points`, a new version and a push",
}
PEERS = {"py_pkpass": ("py-pkpass==1.0.2", "cryptography"), "wallet": ("wallet-py3k==0.0.4", "the program openssl")}


class Cards:
    """A server with cards in its database, the push service simulator, and phones' requests."""

    def __init__(self, stage, options):
        self.stage, self.options = stage, options
        self.samples = {}
        self.keys = PassKeys(SECRET)
        self.control = free_port()
        listen = free_port()
        secret = stage.folder / "merchant.secret"
        secret.write_bytes(SECRET)
        secret.chmod(0o600)
        stage.simulator.overrides = {"PUSH_SIMULATOR_LISTEN": f"127.0.0.1:{listen}", "PUSH_SIMULATOR_CONTROL": f"127.0.0.1:{self.control}"}
        passes = stage.simulator.keys / "passes"
        self.certificates = passes / "certificates"
        self.overrides = {
            "MERCHANT_API": "true", "MERCHANT_REQUESTS_PER_MINUTE": "1000000", "MERCHANT_SECRET_FILE": str(secret),
            "WALLET_TEMPLATES": str(TEMPLATE.parent), "WALLET_CERTIFICATES": str(self.certificates), "WALLET_LIST_RATE": "10000000",
            # A card says where phones ask, by https alone.
            "WALLET_HOST": f"https://{HOST}", "WALLET_PUSH_HOST": f"localhost:{listen}", "WALLET_PUSH_TRUST": str(stage.simulator.authority),
        }

    def open(self):
        """An empty database whose templates are known."""
        stage = self.stage
        stage.postgres.restart(**FILLING) if stage.postgres.process else stage.postgres.start(**FILLING)
        stage.simulator.stop()
        stage.simulator.start()
        stage.simulator.wait_for(lambda: listens(self.control))
        self.simulate("options", {"acceptsUnknownTokens": True})
        stage.make_database("cards")
        stage.server.overrides = self.overrides
        stage.serve("cards")
        stage.server.stop()

    def fill(self, count):
        start, name = time.monotonic(), f"cards_{count}"
        self.stage.postgres.sql(f"CREATE DATABASE {name} TEMPLATE cards")
        text = SQL.read_text().replace(":count", str(count)).replace(":key", KEY).replace(":type", TYPE)
        self.stage.postgres.sql(text, name)
        # Evenly spread over the tables.
        rows = self.stage.postgres.sql(f"SELECT serial, device, account_id FROM made ORDER BY md5(i::text) LIMIT {COLD}", name).splitlines()
        lines = [f"{TYPE} {serial} {self.keys.token(TYPE, serial)} {device} {account}" for serial, device, account in (row.split("|") for row in rows)]
        for size in (CACHED, COLD):
            self.file(name, size).write_text("\n".join(lines[:size]) + "\n")
        say(f"{count:,} cards in {time.monotonic() - start:.0f} s")
        return name

    def file(self, database, size):
        return self.stage.folder / f"{database}.{size}"

    def simulate(self, path, value):
        request = urllib.request.Request(f"http://127.0.0.1:{self.control}/_sim/{path}", json.dumps(value).encode(),
                                         {"Content-Type": "application/json"})
        urllib.request.urlopen(request, timeout=30).close()

    # MARK: Phones

    def ask(self, step, case, database, number):
        """One run of a case, kept under the step."""
        os.environ |= {"BENCH_CASE": case, "BENCH_CARDS": HOST}
        file = self.file(database, CACHED if case == "200" else COLD)
        if case == "200":
            self.fetch_all(file)
        server, seconds = self.stage.server, self.options.seconds
        self.keep(step, case, self.stage.measure(server.pid, lambda: load.wrk(server, "wallet", CONNECTIONS, seconds, file)), number)

    def fetch_all(self, file):
        """Each pass once, so that it is in memory."""
        connection = http.client.HTTPConnection("127.0.0.1", self.stage.server.clear, timeout=60)
        for line in file.read_text().splitlines():
            pass_type, serial, token, _, _ = line.split()
            connection.request("GET", f"/v1/passes/{pass_type}/{serial}", headers={"Host": HOST, "Authorization": f"ApplePass {token}"})
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise RuntimeError(f"a pass: {answer.status}")
        connection.close()

    def keep(self, step, case, sample, number):
        if load.is_void(sample):
            raise RuntimeError(f"{case}: {sample['bad']} of {sample['n']} answers were not 2xx or 3xx")
        self.samples.setdefault((step, case), []).append(sample)
        say(f"round {number}: {step:>10} {case:9} {sample['rate']:9,.0f}/s  server {sample['server']:7.1f} us  "
            f"PostgreSQL {sample['postgres']:7.1f} us  others {sample['others']:.0%}")

    # MARK: Pushes

    def push(self, step, database, number):
        """As many phones as there are, or 10,000, are due: until the last has been taken."""
        stage = self.stage
        stage.postgres.sql("TRUNCATE wallet_push_job", database)
        before = stage.server.metric('sallyport_wallet_pushes_total{outcome="accepted"}')
        stage.postgres.checkpoint()
        meter, start = Meter(stage.server.pid, stage.postgres.pid, [stage.simulator.pid]), time.monotonic()
        due = int(stage.postgres.sql(f"""
            WITH due AS (INSERT INTO wallet_push_job (due_at, not_before, since, wanted, attempts, is_again, is_sent, device, pass_type)
                SELECT now(), now(), now(), 2, 0, false, false, device, pass_type FROM wallet_device
                WHERE device IN (SELECT device FROM made WHERE i <= {PUSHES}) RETURNING 1)
            SELECT count(*) FROM due""", database))
        while stage.server.metric('sallyport_wallet_pushes_total{outcome="accepted"}') - before < due:
            if time.monotonic() - start > 300:
                raise RuntimeError("not all pushes were taken within five minutes")
            time.sleep(0.05)
        used, seconds = meter.stop(), time.monotonic() - start
        sample = {"rate": due / seconds, "n": due, "bad": 0, "seconds": seconds, "others": used["others"],
                  **{name: used[name] * 1e6 / due for name in ("server", "postgres", "load")}}
        self.keep(step, "push", sample, number)

    def change(self, database):
        """Points of 10,000 members, each once: how long until they are stored, and until each phone has been woken."""
        stage = self.stage
        stage.postgres.sql("TRUNCATE wallet_push_job", database)
        connections = stage.server.metric('sallyport_outbound_connections_total{purpose="push"}')
        before = stage.server.metric('sallyport_wallet_pushes_total{outcome="accepted"}')
        accounts = self.file(database, COLD).read_text().split("\n")[:PUSHES]
        start = time.monotonic()
        run = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("points.py"), str(stage.server.clear), stage.server.web, KEY],
                             input="\n".join(line.split()[4] for line in accounts), text=True, capture_output=True, check=True)
        stored = time.monotonic() - start
        queued = stage.server.metric('sallyport_wallet_pushes_total{outcome="accepted"}') - before
        while (sent := stage.server.metric('sallyport_wallet_pushes_total{outcome="accepted"}') - before) < PUSHES:
            if time.monotonic() - start > 300:
                raise RuntimeError(f"{sent} of {PUSHES} phones were woken within five minutes")
            time.sleep(0.05)
        return {"stored": stored, "sent_by_then": queued, "sent": time.monotonic() - start, "answers": json.loads(run.stdout),
                "connections": stage.server.metric('sallyport_outbound_connections_total{purpose="push"}') - connections}


class Wallet:
    """The comparison: libraries, requests beside a page of the checkout, points and pushes."""

    CASES = ("304", "204", "200", "cold")

    def __init__(self, stage, options):
        self.stage, self.options = stage, options
        self.cards, self.peers, self.changes = Cards(stage, options), {}, []

    def run(self):
        cards, stage = self.cards, self.stage
        cards.open()
        database = cards.fill(COLD)
        stage.postgres.restart(autovacuum="off")
        peers = self.install()
        # One core: what a pass costs in all, the request and the row with it.
        for number in range(1, self.options.rounds + 1):
            stage.server.overrides = {**cards.overrides, "WALLET_CACHE": "64"}
            stage.serve(database, self.options.loops)
            for case in ("304", "204", "200"):
                cards.ask("", case, database, number)
            tokens = stage.tokens.make("confirm", stage.postgres.uri(database), self.options.seconds)
            page = stage.measure(stage.server.pid, lambda: load.wrk(stage.server, "confirm", CONNECTIONS, self.options.seconds, tokens))
            cards.keep("", "confirm", page, number)
            cards.push("", database, number)
            stage.server.overrides = {**cards.overrides, "WALLET_CACHE": "1"}
            stage.serve(database, self.options.loops)
            cards.ask("", "cold", database, number)
            for module, python in peers.items():
                self.peer(module, python, number)
        stage.server.overrides = cards.overrides
        stage.serve(database, self.options.loops)
        self.changes.append(cards.change(database))
        return self

    # MARK: Libraries

    def install(self):
        """A virtual environment for each library."""
        found = {}
        for module, (requirement, _) in PEERS.items():
            folder = self.stage.folder / f"venv-{module}"
            say(f"installing {requirement}")
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder], check=True)
            subprocess.run([folder / "bin/pip", "install", "-q", "--disable-pip-version-check", requirement], check=True, stdout=sys.stderr)
            found[module] = folder / "bin/python"
        return found

    def peer(self, module, python, number):
        output = self.stage.folder / f"{module}.pkpass"
        names = [self.cards.certificates / f"{TYPE}.pem", self.cards.certificates / f"{TYPE}.key", self.cards.certificates / "intermediate.pem"]
        # Isolated: this folder has a module with the name of a library.
        run = subprocess.run([python, "-I", pathlib.Path(__file__).with_name("passpeer.py"), module, TEMPLATE, *names, str(self.options.seconds), output],
                             capture_output=True, text=True, check=False)
        if run.returncode:
            raise RuntimeError(f"{module}: {run.stderr[-1000:]}")
        result = json.loads(run.stdout)
        self.peers.setdefault(module, []).append(result["cpu"] / result["n"] * 1e6)
        say(f"round {number}: {PEERS[module][0]:22} {result['cpu'] / result['n'] * 1e6:9.0f} us a pass")

    # MARK: Output

    @property
    def is_good(self):
        return all(change["answers"]["200"] == PUSHES and change["connections"] <= 1 for change in self.changes)

    def markdown(self):
        samples, options = self.cards.samples, self.options
        head = ["request", "req/s", "server µs", "PostgreSQL µs", "a second and core of the server", "our CPU ÷ the page's", "others"]
        page, rows = samples["", "confirm"], []
        for case in ("304", "204", "200", "cold", "push", "confirm"):
            rounds = samples["", case]
            server = statistics.median(one["server"] for one in rounds)
            rows.append((MEANING.get(case, {"push": "a push, from the row to the answer", "confirm": "the confirm page"}.get(case)),
                         *(report.with_range([one[key] for one in rounds], digits) for key, digits in (("rate", 0), ("server", 1), ("postgres", 1))),
                         f"{1e6 / server:,.0f}", report.ratio(rounds, page, "server") if case in ("304", "204", "200") else "",
                         f"{statistics.median(one['others'] for one in rounds):.0%}"))
        cold = samples["", "cold"]
        made = [("sallyport, the request and the row with it", report.with_range([one["server"] for one in cold], 0),
                 f"{1e6 / statistics.median(one['server'] for one in cold):,.0f}", "")]
        for module, times in self.peers.items():
            requirement, signer = PEERS[module]
            own = [{"server": value} for value in times]
            made.append((f"{requirement.replace('==', ' ')}, signs by {signer}", report.with_range(times, 0),
                         f"{1e6 / statistics.median(times):,.0f}", report.ratio(own, cold, "server")))
        change = self.changes[0]
        return "\n\n".join([
            f"{options.rounds} rounds of {options.seconds} s, {CONNECTIONS} connections, {COLD:,} cards, medians ± half of the range; {report.machine_line()}.",
            report.table(head, rows),
            report.table(["a pass made and signed (RSA 2048)", "CPU µs", "a second and core", "their CPU ÷ ours"], made),
            f"{PUSHES:,} members got other points in {change['stored']:.1f} s by {CONNECTIONS} connections, one answer each; "
            f"{change['sent_by_then']:,} of their phones were woken by then, all of them after {change['sent']:.1f} s, over {change['connections'] or 'the'} new "
            f"connection{'' if change['connections'] == 1 else 's'} to the push service.",
        ])

    def json(self):
        return {"machine": report.machine_line(), "samples": {case: rounds for (_, case), rounds in self.cards.samples.items()},
                "peers": self.peers, "changes": self.changes}


class WalletGrowth:
    """The same requests with more and more cards."""

    CASES = ("304", "204", "list", "register", "points")

    def __init__(self, stage, options):
        self.stage, self.options, self.cards = stage, options, Cards(stage, options)

    def run(self):
        cards, stage = self.cards, self.stage
        cards.open()
        databases = {count: cards.fill(count) for count in self.options.cards}
        stage.postgres.restart(autovacuum="off")
        for number in range(1, self.options.rounds + 1):
            for count, database in databases.items():
                stage.serve(database)
                for case in self.CASES:
                    cards.ask(f"{count:,}", case, database, number)
                cards.push(f"{count:,}", database, number)
        stage.server.stop()
        stage.server.overrides = {}
        return self

    def rows(self):
        for case in (*self.CASES, "push"):
            first = self.cards.samples[f"{self.options.cards[0]:,}", case]
            for count in self.options.cards:
                rounds = self.cards.samples[f"{count:,}", case]
                yield (MEANING.get(case, "a push, from the row to the answer"), f"{count:,}",
                       *(report.with_range([one[key] for one in rounds], digits) for key, digits in (("rate", 0), ("server", 1), ("postgres", 1))),
                       report.ratio(rounds, first, "server"), report.ratio(rounds, first, "postgres"))

    def markdown(self):
        return report.table(["what", "cards", "per second", "server µs", "PostgreSQL µs", "server ÷ first", "PostgreSQL ÷ first"], self.rows())

    def json(self):
        return [{"cards": count, "case": case, "rounds": rounds} for (count, case), rounds in self.cards.samples.items()]
