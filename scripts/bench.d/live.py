"""What maintenance costs PostgreSQL while many sessions are live: the minutes after a start, and each session that ends."""
import pathlib
import threading
import time
import urllib.error
import urllib.request

import report
from machine import PROC, cpu_seconds, tree
from postgres import FILLING
from servers import helper
from stage import say

SQL = pathlib.Path(__file__).resolve().parent / "live.sql"
# What PostgreSQL comes with, and many installations run with.
DEFAULTS = {"jit": "on", "max_parallel_workers_per_gather": "2", "autovacuum": "off"}
# A twentieth of a core, one process; microseconds for a session that ends.
MINUTE, PROCESSES, ENDED = 3.0, 1, 60.0
# Sessions that have all ended when the server starts.
BACKLOG = 100_000


class Watch(threading.Thread):
    """Looks fifty times a second how many processes of PostgreSQL work for clients at once."""

    def __init__(self, root):
        super().__init__(daemon=True)
        self.root, self.most, self.is_over = root, 0, threading.Event()

    def run(self):
        before = set()
        pids, looked = [], 0.0
        while not self.is_over.wait(0.02):
            if time.monotonic() - looked > 0.2:
                pids, looked = tree(self.root)[1:], time.monotonic()
            now = {pid for pid in pids if self.works(pid)}
            # A heartbeat of another connection is over before the next look.
            self.most = max(self.most, len(now & before))
            before = now

    @staticmethod
    def works(pid):
        try:
            if (PROC / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()[0] != "R":
                return False
            title = (PROC / str(pid) / "cmdline").read_text()
        except OSError:
            return False
        return "[local]" in title or "parallel worker" in title

    def stop(self):
        self.is_over.set()
        self.join()
        return self.most


class Live:
    """Figures of each number of sessions; `faults` says which bounds were missed."""

    def __init__(self, stage, counts, minutes):
        self.stage, self.counts, self.minutes = stage, counts, minutes
        self.rows, self.ended, self.faults = [], None, []

    def run(self):
        stage = self.stage
        stage.postgres.restart(**FILLING)
        stage.make_database("live")
        stage.server.migrate(stage.postgres.uri("live"))
        helper("seed", "confirm", 1, stage.postgres.uri("live"))
        for count in self.counts:
            stage.postgres.restart(**FILLING)
            # None ends before the server has started.
            self.fill(f"live_{count}", count, "7140 s", "0 s")
            self.minutes_of(count)
        stage.postgres.restart(**FILLING)
        self.fill("ended", BACKLOG, "3 h", "7260 s")
        self.backlog()
        return self

    def fill(self, name, count, age_from, age_until):
        start = time.monotonic()
        self.stage.postgres.sql(f"CREATE DATABASE {name} TEMPLATE live")
        text = SQL.read_text()
        for word, value in (("age_from", age_from), ("age_until", age_until), ("count", count)):
            text = text.replace(f":{word}", str(value))
        self.stage.postgres.sql(text, name)
        self.stage.postgres.restart(**DEFAULTS)
        self.stage.postgres.checkpoint()
        say(f"{name}: {count:,} sessions in {time.monotonic() - start:.0f} s")

    def minutes_of(self, count):
        stage, name = self.stage, f"live_{count}"
        # So near the limit that their number matters: it is never counted more often.
        stage.server.overrides = {"LIMITS_WEBVIEW_SESSIONS_TOTAL": str(count * 11 // 10)}
        root, begin = stage.postgres.pid, time.monotonic()
        before, known = cpu_seconds(root), None
        watch = Watch(root)
        watch.start()
        stage.serve(name)
        spent = []
        for minute in range(1, self.minutes + 1):
            while (left := begin + 60 * minute - time.monotonic()) > 0:
                time.sleep(min(1, left))
                if known is None and self.gauge() is not None:
                    known = time.monotonic() - begin
            spent.append(cpu_seconds(root) - before)
            before += spent[-1]
            say(f"{count:,} live sessions, minute {minute}: {spent[-1]:.2f} s of PostgreSQL")
        counted, most = self.gauge(), watch.stop()
        # Of those that are live now.
        live = int(stage.postgres.sql(
            "SELECT count(*) FROM webview_session WHERE state = 'opened' AND least(idle_until, absolute_until) > now()", name))
        stage.server.stop()
        stage.server.overrides = {}
        if max(spent) > MINUTE:
            self.faults.append(f"{count:,} live sessions: {max(spent):.2f} s of PostgreSQL in a minute, bound {MINUTE}")
        if most > PROCESSES:
            self.faults.append(f"{count:,} live sessions: {most} processes at once, bound {PROCESSES}")
        if counted is None or abs(counted - live) > max(10, live // 20):
            self.faults.append(f"{count:,} live sessions: counted {counted} of {live}")
        self.rows.append({"live": count, "minutes": spent, "processes": most, "known": known, "counted": counted, "are": live})

    def gauge(self):
        """The number of live sessions as the server shows it, or None."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.stage.server.admin}/metrics", timeout=5) as answer:
                for line in answer.read().decode().splitlines():
                    if line.startswith("sallyport_live_sessions "):
                        return int(float(line.split()[1]))
        except (OSError, urllib.error.URLError):
            pass
        return None

    def backlog(self):
        stage = self.stage
        root, begin = stage.postgres.pid, time.monotonic()
        before = cpu_seconds(root)
        stage.serve("ended")
        # Noted when every session was visited.
        while not stage.postgres.sql("SELECT 1 FROM webview_session_sweep", "ended"):
            if time.monotonic() - begin > 900:
                raise RuntimeError("the sweep does not come to an end")
            time.sleep(5)
        spent, wall = cpu_seconds(root) - before, time.monotonic() - begin
        left = int(stage.postgres.sql("SELECT count(*) FROM webview_session WHERE state <> 'expired'", "ended"))
        if left:
            raise RuntimeError(f"{left} of {BACKLOG} sessions have not ended")
        stage.server.stop()
        self.ended = {"sessions": BACKLOG, "seconds": wall, "postgres": spent, "each": spent * 1e6 / BACKLOG}
        say(f"{BACKLOG:,} sessions ended in {wall:.0f} s: {self.ended['each']:.1f} us of PostgreSQL each")
        if self.ended["each"] > ENDED:
            self.faults.append(f"{self.ended['each']:.1f} us for a session that ends, bound {ENDED}")

    def markdown(self):
        rows = [(f"{row['live']:,}", *(f"{value:.2f}" for value in row["minutes"]), row["processes"],
                 "–" if row["known"] is None else f"{row['known']:.0f} s", f"{row['counted'] or 0:,} of {row['are']:,}")
                for row in self.rows]
        minutes = [f"s of PostgreSQL, minute {number}" for number in range(1, self.minutes + 1)]
        parts = [report.table(["live sessions at the start", *minutes, "processes at once", "known after", "counted"], rows)]
        ended = self.ended
        parts.append(f"{ended['sessions']:,} sessions that had ended before the start, each fifth with an order: {ended['seconds']:.0f} s, "
                     f"{ended['each']:.1f} µs of PostgreSQL each.")
        parts.append("\n".join(f"missed: {fault}" for fault in self.faults) or
                     f"Bounds: {MINUTE:g} s a minute, {PROCESSES} process, {ENDED:g} µs for a session that ends.")
        return "\n\n".join(parts)
