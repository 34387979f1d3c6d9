"""What purchases in the App Store cost: verifying a text and granting it, beside Apple's library that verifies alone; and how that grows with the ledger."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import load
import report
from postgres import FILLING
from stage import say
from storeapp import BUNDLE, PRODUCT
from wallet import KEY, SECRET

HERE = pathlib.Path(__file__).resolve().parent
REQUIREMENT = "app-store-server-library==3.1.2"
CONNECTIONS = 32
# Purchases that are there already, and texts that are handed in again and again.
SMALL, AGAIN = 10_000, 500
# New texts for a second of a run; one that uses them up is void.
PACE = 6_000
MEANING = {
    "grant": "a new purchase: three certificates and the text verified, granted", "duplicate": "the same purchase again: verified, nothing to grant",
    "balance": "the balance of an account", "spend": "units spent, with `Idempotency-Key`",
}
PEERS = {"chain": "verifies alone, certificates each time", "cache": "verifies alone, certificates from its cache"}


class Ledger:
    """A server with purchases in its database, and programs that hand in more."""

    def __init__(self, stage, options):
        self.stage, self.options, self.samples, self.made = stage, options, {}, 0
        self.folder = stage.folder / "store"
        self.folder.mkdir(mode=0o755)
        secret, products = stage.folder / "merchant.secret", self.folder / "products.json"
        secret.write_bytes(SECRET)
        secret.chmod(0o600)
        products.write_text(json.dumps({PRODUCT: {"units": 1}}))
        self.library = self.install()
        stage.server.overrides = {
            "MERCHANT_API": "true", "MERCHANT_REQUESTS_PER_MINUTE": "1000000", "MERCHANT_SECRET_FILE": str(secret),
            "APP_STORE_BUNDLE_ID": BUNDLE, "APP_STORE_ENVIRONMENTS": "Sandbox", "APP_STORE_PRODUCTS": str(products),
            "APP_STORE_ROOT_CERTIFICATES": str(self.folder / "root.der"),
            # Nobody answers for these certificates, and the library does not ask either.
            "APP_STORE_REVOCATION": "off",
            # Nobody answers for these certificates; the library is not asked to wait for that either.
        }

    def install(self):
        """A folder with Apple's library, whose cryptography makes the texts, too; the environment that finds it."""
        folder = self.stage.folder / "library"
        say(f"installing {REQUIREMENT}")
        words = ["-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-compile", "--target", folder, REQUIREMENT]
        subprocess.run([sys.executable, *words], check=True, stdout=sys.stderr)
        return {**os.environ, "PYTHONPATH": str(folder)}

    def make(self, name, count, accounts):
        """A file of new texts."""
        words = [self.folder, name, str(self.made), str(count), str(accounts)]
        subprocess.run([sys.executable, HERE / "storetexts.py", *words], env=self.library, check=True)
        self.made += count
        return self.folder / name

    def open(self):
        """An empty database, and the certificates."""
        self.make("first", 1, 1)
        postgres = self.stage.postgres
        postgres.restart(**FILLING) if postgres.process else postgres.start(**FILLING)
        if not self.stage.simulator.process:
            self.stage.simulator.start()
        self.stage.make_database("ledger")
        self.stage.server.migrate(postgres.uri("ledger"))

    def fill(self, count):
        start, name = time.monotonic(), f"ledger_{count}"
        self.stage.postgres.sql(f"CREATE DATABASE {name} TEMPLATE ledger")
        self.stage.postgres.sql((HERE / "appstore.sql").read_text().replace(":count", str(count)).replace(":key", KEY), name)
        size = int(self.stage.postgres.sql(f"SELECT pg_database_size('{name}')"))
        say(f"{count:,} purchases: {size / 1e9:.2f} GB in {time.monotonic() - start:.0f} s")
        return name

    def ask(self, step, case, database, count, number):
        """One run of a case, kept under the step."""
        stage, seconds = self.stage, self.options.seconds
        os.environ["BENCH_CASE"] = case
        texts = self.make(case, PACE * seconds if case == "grant" else AGAIN, count // 10)
        if case == "duplicate":
            self.submit_all(database, texts)
        before = self.purchases(database)
        sample = stage.measure(stage.server.pid, lambda: load.wrk(stage.server, "appstore", CONNECTIONS, seconds, texts))
        granted = self.purchases(database) - before
        if load.is_void(sample) or sample["n"] > PACE * seconds and case == "grant":
            raise RuntimeError(f"{case}: {sample['bad']} of {sample['n']} answers were not 2xx")
        # What was under way at the end is granted, too.
        if not (sample["n"] <= granted <= sample["n"] + CONNECTIONS if case == "grant" else granted == 0):
            raise RuntimeError(f"{case}: {granted} purchases were granted by {sample['n']} requests")
        self.samples.setdefault((step, case), []).append(sample)
        say(f"round {number}: {step:>10} {case:9} {sample['rate']:9,.0f}/s  server {sample['server']:7.1f} us  "
            f"PostgreSQL {sample['postgres']:7.1f} us  others {sample['others']:.0%}")

    def purchases(self, database):
        return int(self.stage.postgres.sql("SELECT count(*) FROM app_store_purchase WHERE transaction_id >= '3'", database))

    def submit_all(self, database, texts):
        """Each text once, so that it is granted."""
        os.environ["BENCH_CASE"] = "duplicate"
        wanted = self.purchases(database) + AGAIN
        # Each run begins with the first of them.
        for seconds in (1, 2, 4, 8, 16, 32, 64):
            load.wrk(self.stage.server, "appstore", CONNECTIONS, seconds, texts)
            if self.purchases(database) == wanted:
                return
        raise RuntimeError(f"{AGAIN} purchases were not granted within a minute")


class AppStore:
    """The comparison: requests, and Apple's library."""

    CASES = tuple(MEANING)

    def __init__(self, stage, options):
        self.stage, self.options = stage, options
        self.ledger, self.peers = Ledger(stage, options), {}

    def run(self):
        ledger, stage = self.ledger, self.stage
        ledger.open()
        database = ledger.fill(SMALL)
        stage.postgres.restart(autovacuum="off")
        for number in range(1, self.options.rounds + 1):
            stage.serve(database, self.options.loops)
            for case in self.CASES:
                ledger.ask("", case, database, SMALL, number)
            stage.server.stop()
            for how in PEERS:
                self.peer(how, number)
        return self

    def peer(self, how, number):
        words = [self.ledger.folder / "root.der", self.ledger.folder / "grant", str(self.options.seconds), how]
        run = subprocess.run([sys.executable, HERE / "storepeer.py", *words], env=self.ledger.library, capture_output=True, text=True, check=False)
        if run.returncode:
            raise RuntimeError(f"{REQUIREMENT}: {run.stderr[-1000:]}")
        result = json.loads(run.stdout)
        self.peers.setdefault(how, []).append(result["cpu"] / result["n"] * 1e6)
        say(f"round {number}: {REQUIREMENT}, {how}: {result['cpu'] / result['n'] * 1e6:.0f} us a text")

    @property
    def is_good(self):
        return True

    def markdown(self):
        samples, options, rows = self.ledger.samples, self.options, []
        for case in self.CASES:
            rounds = samples["", case]
            rows.append((MEANING[case], *(report.with_range([one[key] for one in rounds], digits)
                                          for key, digits in (("rate", 0), ("server", 1), ("postgres", 1))),
                         f"{1e6 / statistics.median(one['server'] for one in rounds):,.0f}",
                         f"{statistics.median(one['others'] for one in rounds):.0%}"))
        grants = [{**one, "both": one["server"] + one["postgres"]} for one in samples["", "grant"]]
        made = [("sallyport, verified and granted, the request with it", report.with_range([one["server"] for one in grants], 0),
                 f"{1e6 / statistics.median(one['server'] for one in grants):,.0f}", "", "")]
        for how, times in self.peers.items():
            own = [{"server": value, "both": value} for value in times]
            made.append((f"{REQUIREMENT.replace('==', ' ')}, {PEERS[how]}", report.with_range(times, 0), f"{1e6 / statistics.median(times):,.0f}",
                         report.ratio(own, grants, "server"), report.ratio(own, grants, "both")))
        return "\n\n".join([
            f"{options.rounds} rounds of {options.seconds} s, {CONNECTIONS} connections, {SMALL:,} purchases before, medians ± half of the range; {report.machine_line()}.",
            report.table(["request", "req/s", "server µs", "PostgreSQL µs", "a second and core of the server", "others"], rows),
            report.table(["a signed text", "CPU µs", "a second and core", "their CPU ÷ ours", "÷ ours with PostgreSQL"], made),
        ])

    def json(self):
        return {"machine": report.machine_line(), "samples": {case: rounds for (_, case), rounds in self.ledger.samples.items()}, "peers": self.peers}


class LedgerGrowth:
    """The same requests with more and more purchases."""

    def __init__(self, stage, options):
        self.stage, self.options, self.ledger = stage, options, Ledger(stage, options)

    def run(self):
        ledger, stage = self.ledger, self.stage
        ledger.open()
        databases = {count: ledger.fill(count) for count in self.options.purchases}
        stage.postgres.restart(autovacuum="off")
        for number in range(1, self.options.rounds + 1):
            for count, database in databases.items():
                stage.serve(database)
                for case in MEANING:
                    ledger.ask(f"{count:,}", case, database, count, number)
        stage.server.stop()
        stage.server.overrides = {}
        return self

    def rows(self):
        for case in MEANING:
            first = self.ledger.samples[f"{self.options.purchases[0]:,}", case]
            for count in self.options.purchases:
                rounds = self.ledger.samples[f"{count:,}", case]
                yield (MEANING[case], f"{count:,}",
                       *(report.with_range([one[key] for one in rounds], digits) for key, digits in (("rate", 0), ("server", 1), ("postgres", 1))),
                       report.ratio(rounds, first, "server"), report.ratio(rounds, first, "postgres"))

    def markdown(self):
        return report.table(["what", "purchases", "per second", "server µs", "PostgreSQL µs", "server ÷ first", "PostgreSQL ÷ first"], self.rows())

    def json(self):
        return [{"purchases": count, "case": case, "rounds": rounds} for (count, case), rounds in self.ledger.samples.items()]
