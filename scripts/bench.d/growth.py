"""How the cost of a request changes with stored webview sessions, with idle connections, and with loops."""
import os
import statistics
import time

import load
import report
from appstore import LedgerGrowth
from filling import Filling
from live import Live
from machine import cpu_seconds, resident_kilobytes
from orders import Orders
from postgres import FILLING
from stage import say
from wallet import WalletGrowth

CONNECTIONS = 32
PARTS = {
    "stored": "webview sessions in the tables, spread over the partitions of 90 days",
    "idle": "idle TLS connections beside the ones that are measured",
    "loops": "event loops",
    "live": "live sessions while nobody asks for anything: what maintenance takes",
    "orders": "orders of a year with ledger, operations, polls, claims and events; autovacuum is on",
    "wallet": "cards in Wallet, each with a phone",
    "appstore": "purchases in the App Store with their entries in ledgers, ten of each account",
}


class Growth:
    def __init__(self, stage, options):
        self.stage, self.options = stage, options
        self.samples, self.facts, self.maintenance, self.ledger, self.cards, self.purchases = {}, {}, None, None, None, None

    def run(self):
        if "stored" in self.options.parts:
            self.fill()
        self.stage.postgres.stop()
        os.sync()
        # Vacuum would take part in some runs and not in others.
        self.stage.postgres.start(autovacuum="off")
        if not self.stage.simulator.process:
            self.stage.simulator.start()
        self.stage.make_database("spare")
        for part in self.options.parts:
            getattr(self, part)()
        return self

    def measure(self, part, step, case, database, number):
        """One run of a case; its figures are kept under the part and its step."""
        stage, seconds = self.stage, self.options.seconds
        uri = stage.postgres.uri(database)
        tokens = stage.tokens.make(case, uri, seconds) if case in ("open", "confirm") else None
        server = stage.server
        if case == "tls":
            sample = stage.measure(server.pid, lambda: load.h2load(server, CONNECTIONS, seconds, is_h1=True))
        else:
            sample = stage.measure(server.pid, lambda: load.wrk(server, case, CONNECTIONS, seconds, tokens))
        if load.is_void(sample):
            raise RuntimeError(f"{case}: {sample['bad']} of {sample['n']} answers were not 2xx or 3xx")
        stage.tokens.learn(case, sample["rate"])
        self.samples.setdefault((part, step, case), []).append(sample)
        say(f"round {number}: {step:>10,} {part:7} {case:8} {sample['rate']:9,.0f}/s  server {sample['server']:6.1f} us  "
            f"PostgreSQL {sample['postgres']:6.1f} us  others {sample['others']:.0%}")

    # MARK: Stored webview sessions

    def fill(self):
        stage = self.stage
        stage.postgres.start(**FILLING)
        stage.simulator.start()
        stage.make_database(stage.DATABASE)
        filling = Filling(stage)
        for count in self.options.sessions:
            start = time.monotonic()
            size = filling.make(f"sessions_{count}", count)
            self.facts[f"filling {count}"] = {"seconds": round(time.monotonic() - start), "bytes": size}
            say(f"{count:,} webview sessions: {size / 1e9:.2f} GB in {time.monotonic() - start:.0f} s")

    def stored(self):
        for number in range(1, self.options.rounds + 1):
            for count in self.options.sessions:
                database = f"sessions_{count}"
                before = cpu_seconds(self.stage.postgres.pid)
                self.stage.serve(database)
                # The first sweep of a process looks at every webview session once.
                self.stage.postgres.settle()
                upkeep = cpu_seconds(self.stage.postgres.pid) - before
                self.facts.setdefault(f"start {count}", []).append(upkeep)
                load.wrk(self.stage.server, "issue", CONNECTIONS, 1)
                for case in ("issue", "open", "confirm"):
                    self.measure("stored", count, case, database, number)
        self.stage.server.stop()

    # MARK: Idle connections

    def idle(self):
        for number in range(1, self.options.rounds + 1):
            server = self.stage.serve("spare", self.options.loops)
            load.wrk(server, "issue", CONNECTIONS, 1)
            waiting = load.IdleConnections(server, is_tls=True)
            before = resident_kilobytes(server.pid)
            for count in self.options.idle:
                waiting.grow(count)
                resident = resident_kilobytes(server.pid)
                self.facts.setdefault(f"memory {count}", []).append([resident, (resident - before) / count])
                for case in ("aasa", "issue", "open"):
                    self.measure("idle", count, case, "spare", number)
            waiting.close()
        self.stage.server.stop()

    # MARK: Loops

    def loops(self):
        for number in range(1, self.options.rounds + 1):
            for count in (1, 2):
                server = self.stage.serve("spare", count)
                load.wrk(server, "issue", CONNECTIONS, 1)
                for case in ("aasa", "tls", "issue", "open", "confirm"):
                    self.measure("loops", count, case, "spare", number)
        self.stage.server.stop()

    # MARK: Live sessions

    def live(self):
        self.maintenance = Live(self.stage, self.options.live, self.options.minutes).run()

    # MARK: Orders

    def orders(self):
        self.ledger = Orders(self.stage, self.options).run()

    # MARK: Cards

    def wallet(self):
        self.cards = WalletGrowth(self.stage, self.options).run()

    # MARK: Purchases in the App Store

    def appstore(self):
        self.purchases = LedgerGrowth(self.stage, self.options).run()

    @property
    def is_good(self):
        """Whether maintenance has kept to its bounds, where that was looked at."""
        return not (self.maintenance and self.maintenance.faults)

    # MARK: Output

    def rows(self, part):
        """A row for each case and step; ratios are to the first step."""
        steps = {}
        for (of, step, case), rounds in self.samples.items():
            if of == part:
                steps.setdefault(case, {})[step] = rounds
        for case, by_step in steps.items():
            first = next(iter(by_step.values()))
            for step, rounds in by_step.items():
                others = statistics.median(one["others"] for one in rounds)
                mark = " (!)" if others > report.FOREIGN else ""
                yield (case, f"{step:,}{mark}", *(report.with_range([one[key] for one in rounds], digits)
                                                 for key, digits in (("rate", 0), ("server", 1), ("postgres", 1))),
                       report.ratio(rounds, first, "server"), report.ratio(rounds, first, "postgres"), f"{others:.0%}")

    def markdown(self):
        options = self.options
        parts = [f"{options.rounds} rounds of {options.seconds} s, {CONNECTIONS} connections, medians ± half of the range; "
                 f"{report.machine_line()}. Ratios are to the first row of the case."]
        for part in options.parts:
            if part == "live":
                parts.append(self.maintenance.markdown())
                continue
            if part == "orders":
                parts.append(self.ledger.markdown())
                continue
            if part == "wallet":
                parts.append(self.cards.markdown())
                continue
            if part == "appstore":
                parts.append(self.purchases.markdown())
                continue
            head = ["case", PARTS[part], "req/s", "server µs", "PostgreSQL µs", "server ÷ first", "PostgreSQL ÷ first", "others"]
            parts.append(report.table(head, self.rows(part)))
            if part == "stored":
                parts.append(report.table(["stored webview sessions", "on disk", "filled in", "PostgreSQL CPU of a start"], [
                    (f"{count:,}", f"{self.facts[f'filling {count}']['bytes'] / 1e9:.2f} GB",
                     f"{self.facts[f'filling {count}']['seconds']} s", f"{statistics.median(self.facts[f'start {count}']):.1f} s")
                    for count in options.sessions]))
            if part == "idle":
                parts.append(report.table(["idle TLS connections", "resident MB", "KB per connection"], [
                    (f"{count:,}", *(f"{statistics.median(values):.1f}" for values in
                                     ([one[0] / 1024 for one in self.facts[f"memory {count}"]],
                                      [one[1] for one in self.facts[f"memory {count}"]]))) for count in options.idle]))
        return "\n\n".join(parts)

    def json(self):
        rows = [{"part": part, "step": step, "case": case, "rounds": rounds}
                for (part, step, case), rounds in self.samples.items()]
        live = {"minutes": self.maintenance.rows, "ended": self.maintenance.ended} if self.maintenance else None
        return {"machine": report.machine_line(), "samples": rows, "facts": self.facts, "live": live,
                "orders": self.ledger.json() if self.ledger else None, "cards": self.cards.json() if self.cards else None,
                "purchases": self.purchases.json() if self.purchases else None}
