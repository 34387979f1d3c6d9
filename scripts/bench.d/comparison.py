"""The comparison: every hot path of Sallyport, with nginx and pgbench beside it in the same rounds."""
import statistics

import load
import report
from machine import resident_kilobytes
from pgload import PgLoad
from servers import Nginx
from stage import say

MEANING = {
    "aasa": "`GET /.well-known/apple-app-site-association` over plain HTTP/1.1, from memory",
    "tls": "the same over TLS 1.3, HTTP/1.1, connections kept",
    "h2": "the same over TLS 1.3, HTTP/2, one stream a connection",
    "h2x10": "the same with ten streams a connection",
    "handshake": "a new TLS 1.3 connection (P-256, no resumption) and one request, 100 at a time",
    "issue": "`POST /secureWebviewSession`: prices a cart, one guarded insert with its audit row",
    "open": "`GET /button?…A`: one guarded update with its audit row, 303 with two cookies",
    "confirm": "`GET /confirm_order`: one read, unseals buyer and address, renders the page",
    "purchase": "`POST /purchase` on webview sessions that wait for it: lease, signed complete call to the simulator over TLS, settlement",
    "crossing": "a whole crossing: nine requests to the server, the provider's pages between them; latency is that of a crossing",
}
# One number of connections only: the load is bound by the client, or by the simulator.
SINGLE = {"tls": 32, "h2": 32, "h2x10": 32, "handshake": 100, "purchase": 32, "crossing": 32}
IDLE = 1_000
REFUSALS = "sallyport_postgres_refused_total"


class Comparison:
    def __init__(self, stage, options):
        self.stage, self.options = stage, options
        self.cases = options.cases
        self.samples, self.notes, self.missed = {}, [], []
        self.server = stage.serve()
        self.nginx = self.pgload = None

    def start_others(self):
        stage = self.stage
        if "nginx" in self.options.beside:
            self.nginx = Nginx(stage.folder, stage.simulator, self.server.link)
            stage.callback(self.nginx.stop)
            self.nginx.start(self.server.association())
        if "pgbench" in self.options.beside and {"issue", "open", "confirm"} & set(self.cases):
            self.server.stop()  # A template must not be in use.
            self.pgload = PgLoad(stage.postgres, stage.DATABASE)
            stage.serve()

    def run(self):
        self.start_others()
        say("warming up")
        load.wrk(self.server, "issue", 32, 1)
        for number in range(1, self.options.rounds + 1):
            for case in self.cases:
                for connections in [SINGLE[case]] if case in SINGLE else self.options.connections:
                    self.one_case(number, case, connections)
        return self

    @property
    def uri(self):
        return self.stage.postgres.uri(self.stage.DATABASE)

    def one_case(self, number, case, connections):
        """All programs that a case compares, one after the other."""
        if case in ("aasa", "tls", "h2", "h2x10", "handshake"):
            for program in filter(None, (self.server, self.nginx)):
                try:
                    sample = self.stage.measure(program.pid, self.static(program, case, connections), False)
                except load.NotOffered as reason:
                    self.note(f"{reason}")
                    continue
                self.keep(number, (case, connections, program.name), sample)
            return
        self.keep(number, (case, connections, "sallyport"), self.dynamic(case, connections))
        # More clients than cores can use only cost pgbench.
        if self.pgload and case in ("issue", "open", "confirm") and connections <= 64:
            self.alone(number, case, connections, case, "pgbench, our statement")
            if case != "confirm":
                self.alone(number, case, connections, f"plain_{case}", "pgbench, plain row")

    def static(self, program, case, connections):
        seconds = self.options.seconds
        return {
            "aasa": lambda: load.wrk(program, "aasa", connections, seconds),
            "tls": lambda: load.h2load(program, connections, seconds, is_h1=True),
            "h2": lambda: load.h2load(program, connections, seconds),
            "h2x10": lambda: load.h2load(program, connections, seconds, streams=10),
            "handshake": lambda: load.handshakes(program, seconds),
        }[case]

    def dynamic(self, case, connections):
        """One run of the server with its database; made again with more tokens where they ran out."""
        seconds, tokens = self.options.seconds, self.stage.tokens
        if case == "crossing":
            return self.stage.measure(
                self.server.pid, lambda: load.crossings(self.server, self.stage.simulator, connections, seconds))
        for _ in range(4):
            path = None if case == "issue" else tokens.make(case, self.uri, seconds)
            before = self.server.metric(REFUSALS)
            sample = self.stage.measure(
                self.server.pid, lambda path=path: load.wrk(self.server, case, connections, seconds, path))
            sample["refused"] = self.server.metric(REFUSALS) - before
            if case not in tokens.rates or not load.is_void(sample):
                tokens.learn(case, sample["rate"])
                return sample
            say(f"{case}: {sample['bad']} answers were not 2xx or 3xx, perhaps for want of tokens; again")
            tokens.double(case)
        return sample

    def alone(self, number, case, connections, variant, name):
        """PostgreSQL without a server in front of it."""
        self.pgload.prepare(variant, connections, self.options.seconds)
        sample = self.stage.measure(None, lambda: self.pgload.run(connections, self.options.seconds))
        sample["bad"] = self.pgload.missed(sample["n"])
        self.keep(number, (case, connections, name), sample)

    def keep(self, number, key, sample):
        case, connections, who = key
        # A client who sends again only when it was answered cannot ask for more than there is.
        if sample.get("refused"):
            self.missed.append(f"Goal missed: round {number}, {case}, {connections} connections: {sample['refused']:,} of "
                               f"{sample['n']:,} requests refused")
            say(self.missed[-1])
        if load.is_void(sample):
            raise RuntimeError(f"{case}, {who}: {sample['bad']} of {sample['n']} answers were not 2xx or 3xx, or were lost")
        if sample["bad"]:
            self.note(f"Round {number}, {case}, {connections} connections, {who}: {sample['bad']} of {sample['n']:,} answers not 2xx or 3xx")
        self.samples.setdefault(key, []).append(sample)
        say(f"round {number}: {case:9} {connections:4} {who:22} {sample['rate']:9,.0f}/s  p99 {sample['p99']:7.2f} ms  server "
            f"{sample['server']:6.1f} us  PostgreSQL {sample['postgres']:6.1f} us  others {sample['others']:.0%}")

    def note(self, text):
        if text not in self.notes:
            say(text)
            self.notes.append(text)

    # MARK: Memory

    def memory(self):
        """Rows of: program, listener, resident before, kilobytes for each of some idle connections."""
        rows = []
        # What the load has left behind would be used again.
        self.server = self.stage.serve()
        if self.nginx:
            self.nginx.stop()
            self.nginx.start(self.server.association())
        for program in filter(None, (self.server, self.nginx)):
            for is_tls in (False, True):
                say(f"{IDLE} idle connections to {program.name}, {'TLS' if is_tls else 'clear'}")
                idle = load.IdleConnections(program, is_tls)
                before = resident_kilobytes(program.pid)
                idle.grow(IDLE)
                after = resident_kilobytes(program.pid)
                idle.close()
                rows.append((program.name, "TLS" if is_tls else "clear", f"{before / 1024:.1f}", f"{after / 1024:.1f}",
                             f"{max(0, after - before) / IDLE:.1f}"))
        return rows

    # MARK: Output

    def markdown(self, memory):
        options = self.options
        parts = [
            f"{options.rounds} rounds of {options.seconds} s, programs interleaved, medians ± half of the range; {report.machine_line()}. "
            "wrk and h2load with one thread on the same machine; CPU is user and system time per request.",
            report.comparison(self.samples),
        ]
        if any(statistics.median(one["others"] for one in rounds) > report.FOREIGN for rounds in self.samples.values()):
            parts.append(f"(!) other work took more than {report.FOREIGN:.0%} of the machine: compare CPU and ratios, not req/s.")
        parts += [f"{note}." for note in self.missed + self.notes]
        if memory:
            head = ["program", "listener", "MB before", f"MB with {IDLE:,} idle", "KB per idle connection"]
            parts.append(report.table(head, memory))
        return "\n\n".join(parts)

    def json(self, memory):
        rows = [{"case": case, "connections": connections, "program": who, "rounds": rounds}
                for (case, connections, who), rounds in self.samples.items()]
        return {"machine": report.machine_line(), "seconds": self.options.seconds, "samples": rows, "memory": memory,
                "notes": self.notes, "missed": self.missed}
