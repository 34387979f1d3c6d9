"""Everything at once for a while: memory and descriptors must stay where they are."""
import os
import statistics
import time

import load
import report
from machine import descriptors, resident_kilobytes
from stage import say

# What a run may add to the memory of a warm server.
SHARE, KILOBYTES = 0.05, 2_048
# What a run may leave open: each loop keeps up to sixteen connections to the provider.
KEPT, SPARE = 16, 4
# Fewer samples of a warm server say nothing about growth.
ENOUGH = 6
# Seconds in which pools, caches and the allocator's arenas fill.
WARM = 180


class Soak:
    def __init__(self, stage, options):
        self.stage, self.options = stage, options
        self.samples, self.requests, self.complaints = [], 0, []
        self.server = stage.serve(loops=options.loops)

    def run(self):
        start = time.monotonic()
        self.sample(start)
        while time.monotonic() - start < self.options.seconds:
            self.cycle()
            self.sample(start)
        self.judge()
        return self

    @property
    def is_flat(self):
        return not self.complaints

    def cycle(self):
        """A mixture of some seconds; what uses up tokens gets fresh ones."""
        server, tokens, uri = self.server, self.stage.tokens, self.stage.postgres.uri(self.stage.DATABASE)
        self.count(load.wrk(server, "aasa", 256, 1))
        self.count(load.h2load(server, 64, 1, is_h1=True))
        try:
            self.count(load.h2load(server, 64, 1, streams=10))
        except load.NotOffered:
            pass
        self.count(load.handshakes(server, 1))
        self.count(load.wrk(server, "issue", 256, 2))
        self.count(load.wrk(server, "open", 64, 2, tokens.make("open", uri, 2)), "open")
        self.count(load.wrk(server, "confirm", 64, 2, tokens.make("confirm", uri, 2)))
        self.count(load.crossings(server, self.stage.simulator, 32, 3))

    def count(self, result, kind=None):
        self.requests += result["n"]
        if kind:
            self.stage.tokens.learn(kind, result["n"] / result["seconds"])
            if result["bad"]:
                self.stage.tokens.double(kind)
        elif load.is_void(result):
            raise RuntimeError(f"{result['bad']} of {result['n']} answers were not 2xx or 3xx")

    def sample(self, start):
        """Memory and descriptors with nobody connected."""
        time.sleep(1)
        pid = self.server.pid
        one = {"at": round(time.monotonic() - start), "kilobytes": resident_kilobytes(pid), "descriptors": descriptors(pid),
               "requests": self.requests}
        self.samples.append(one)
        say(f"{one['at']:5} s  {self.requests:12,} requests  {one['kilobytes'] / 1024:7.1f} MB  {one['descriptors']} descriptors")

    def judge(self):
        """Compares the beginning of the warm part with the end."""
        warm = [one for one in self.samples if one["at"] >= WARM]
        self.is_judged = len(warm) >= ENOUGH
        warm = warm or self.samples[-1:]
        third = max(1, len(warm) // 3)
        self.first, self.last = (statistics.median(one["kilobytes"] for one in part) for part in (warm[:third], warm[-third:]))
        self.bound = self.first * (1 + SHARE) + KILOBYTES
        if self.is_judged and self.last > self.bound:
            self.complaints.append(f"memory grew from {self.first / 1024:.1f} MB to {self.last / 1024:.1f} MB")
        start, end = self.samples[0]["descriptors"], self.samples[-1]["descriptors"]
        if end > start + KEPT * (self.options.loops or os.cpu_count()) + SPARE:
            self.complaints.append(f"descriptors grew from {start} to {end}")
        if self.server.process.poll() is not None:
            self.complaints.append("the server ended")

    def markdown(self):
        step = max(1, len(self.samples) // 12)
        shown = self.samples[::step] + ([self.samples[-1]] if (len(self.samples) - 1) % step else [])
        rows = [(one["at"], f"{one['requests']:,}", f"{one['kilobytes'] / 1024:.1f}", one["descriptors"]) for one in shown]
        outcome = "; ".join(self.complaints) or (
            f"Flat: {self.first / 1024:.1f} MB in the first third after warming up, {self.last / 1024:.1f} MB in the last "
            f"(bound {self.bound / 1024:.1f} MB)" + ("" if self.is_judged else ", too short a run to judge"))
        return "\n\n".join([f"{self.options.seconds} s, {self.requests:,} requests; {report.machine_line()}.",
                            report.table(["s", "requests", "resident MB", "descriptors"], rows), f"{outcome}."])

    def json(self):
        return {"machine": report.machine_line(), "samples": self.samples, "complaints": self.complaints}
