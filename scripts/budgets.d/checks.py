"""What is counted, and how it is held to the budgets."""
import contextlib
import math
import re
import sys
import time

import database
import routes
import soak
from client import Refused
from counters import LIBRARIES, Trace, difference

# Rounds; the least one holds, for what the server does beside the requests (a heartbeat, a timer) can only add.
WINDOWS = 5
TRACES = 2
ATTEMPTS = 3
# System calls that the library in front counts already, and futex, which has a column of its own.
COUNTED = ["recvfrom", "recvmsg", "sendto", "sendmsg", "epoll_wait", "epoll_pwait", "futex"]


class Book:
    """The budgets of docs/budgets.md, and what was held against them."""

    def __init__(self, path):
        self.path, self.limits, self.rows, columns = path, {}, [], []
        for line in path.read_text().splitlines():
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
            name = re.fullmatch(r"`([^`]+)`", cells[0]) if cells else None
            if name:
                self.limits[name[1]] = dict(zip(columns[1:], cells[1:]))
            elif cells and not cells[0].startswith("-"):
                columns = cells

    def text(self, name, column):
        if column not in self.limits.get(name, {}):
            sys.exit(f"budgets: docs/budgets.md has no {column} for {name}")
        return self.limits[name][column]

    def limit(self, name, column):
        return float(self.text(name, column))

    def hold(self, name, column, counted, note=""):
        limit = self.limit(name, column)
        self.row(name, column, f"{counted:.3f}".rstrip("0").rstrip("."), f"{limit:g}", counted <= limit, note)

    def row(self, name, column, counted, limit, holds, note=""):
        self.rows.append((name, column, counted, limit, holds, note))
        if not holds:
            print(f"budgets: {name}: {column}: counted {counted}, budget {limit} {note}", file=sys.stderr, flush=True)

    @contextlib.contextmanager
    def counting(self, name):
        """A server that refuses, hangs or is gone while it is counted exceeds every budget."""
        try:
            yield
        except (Refused, OSError, RuntimeError) as error:
            self.row(name, "counted", f"nothing: {type(error).__name__}: {error}", "all", False)

    def verdict(self):
        wide = max(len(row[0]) for row in self.rows)
        for name in dict.fromkeys(row[0] for row in self.rows):
            cells = [f"{column} {counted}/{limit}{'' if holds else ' OVER'}"
                     for row_name, column, counted, limit, holds, _ in self.rows if row_name == name]
            print(f"{name:{wide}}  " + "  ".join(cells))
        over = [row for row in self.rows if not row[4]]
        for name, column, counted, limit, _, note in over:
            print(f"budgets: OVER BUDGET: {name}: {column}: counted {counted}, budget {limit} {note}")
        for name, column, counted, limit in self.loose():
            print(f"budgets: could be lowered: {name}: {column}: counted {counted}, budget {limit}")
        print(f"budgets: {len(self.rows)} counts, {len(over)} over budget")
        return 1 if over else 0


    def loose(self):
        """Budgets of allocations that a change has left far above what is counted."""
        for name, column, counted, limit, holds, _ in self.rows:
            if column in ("allocations", "of libraries") and holds and float(limit) - float(counted) > max(2, float(limit) / 10):
                yield name, column, counted, limit


    def lower(self):
        """Writes the allocations that were counted into the tables where the budget is higher: never the other way."""
        lines = self.path.read_text().splitlines()
        for name, column, counted, limit, holds, _ in self.rows:
            if column not in ("allocations", "of libraries") or math.ceil(float(counted)) >= float(limit):
                continue
            place = list(self.limits[name]).index(column) + 2
            for index, line in enumerate(lines):
                if line.startswith(f"| `{name}` |"):
                    cells = line.split("|")
                    cells[place] = f" {math.ceil(float(counted))} "
                    lines[index] = "|".join(cells)
        self.path.write_text("\n".join(lines) + "\n")


# MARK: Per request and route

def run(connection, requests, status):
    for request in requests:
        answer = connection.ask(request)
        if answer.status != status:
            raise Refused(f"{answer.status} instead of {status}: {answer.body[:300]}")


def per_route(shop, book):
    for route in routes.ALL:
        print(f"budgets:   {route.name}", file=sys.stderr, flush=True)
        with book.counting(route.name):
            count_route(shop, book, route)


def count_route(shop, book, route):
    windows, traces = [], []
    for attempt in range(ATTEMPTS):
        more_windows, more_traces = rounds(shop, route)
        windows += more_windows
        traces += more_traces
        rows = held(route, windows, traces)
        # A busy machine makes rounds so long that something of the server's own falls into each of them.
        if all(counted <= book.limit(route.name, column) for column, counted, _ in rows):
            break
    for column, counted, note in rows:
        book.hold(route.name, column, counted, note)


def rounds(shop, route):
    requests = iter(route.prepare(shop, route.window * (1 + WINDOWS + TRACES)))
    take = lambda: [next(requests) for _ in range(route.window)]
    connection = route.connect(shop)
    run(connection, take(), route.status)
    windows, traces = [], []
    for _ in range(WINDOWS):
        window = take()
        before = shop.counters.settled()
        run(connection, window, route.status)
        windows.append(difference(before, shop.counters.settled()))
    for _ in range(TRACES):
        window, trace = take(), Trace(shop.pid, shop.folder)
        run(connection, window, route.status)
        shop.counters.settled()
        traces.append(trace.stop())
    connection.close()
    return windows, traces


def held(route, windows, traces):
    """The least of all rounds, per request: column, number and a note."""
    requests = route.window * route.flight
    least = {name: min(window[name] for window in windows) / requests for name in windows[0]}
    most = max(window["own"] for window in windows) / requests
    futex = min(calls.get("futex", 0) for calls in traces) / requests
    others = [{name: number for name, number in calls.items() if name not in COUNTED} for calls in traces]
    other = min(others, key=lambda calls: sum(calls.values()))
    named = " ".join(f"{name}:{number / requests:g}" for name, number in sorted(other.items()))
    return [
        ("allocations", least["own"], f"({least['own']:g} to {most:g} in {len(windows)} rounds)"),
        ("of libraries", sum(least[name] for name in LIBRARIES), ""),
        ("receive", least["recv"], ""),
        ("send", least["send"], ""),
        ("wait", least["epoll_wait"], ""),
        ("futex", futex, ""),
        ("other calls", sum(other.values()) / requests, f"({named})"),
    ]


def in_one_turn(shop, book):
    """Requests that lie ready together share one wait and one reading of the clock: the server is held while they are sent."""
    wave, requests = routes.Wave(shop, 32), [routes.aasa(shop)] * 32
    wave.send(requests)
    counts = []
    for _ in range(WINDOWS):
        before = shop.counters.settled()
        wave.send(requests)
        counts.append(difference(before, shop.counters.settled()))
    wave.close()
    least = {name: min(count[name] for count in counts) / 32 for name in counts[0]}
    book.hold("one turn", "allocations", least["own"])
    book.hold("one turn", "receive", least["recv"])
    book.hold("one turn", "send", least["send"])
    book.hold("one turn", "wait", least["epoll_wait"])
    book.hold("one turn", "clock", least["clock"])


# MARK: The whole process

def threads(shop, book):
    """After all that load: a thread that came into being under it would still be there, unless it was made for a moment."""
    loops = [f"loop{number}" for number in range(shop.loops)]
    expected = sorted(loops + book.text("threads", "budget").split())
    deadline = time.monotonic() + 10
    while (found := shop.threads()) != expected and time.monotonic() < deadline:
        time.sleep(0.1)
    book.row("threads", "budget", " ".join(found), " ".join(expected), found == expected)


ALL = {
    "routes": per_route, "turn": in_one_turn, "commits": database.commits, "stored": database.stored, "bad rows": database.bad_rows,
    "soak": soak.soak, "threads": threads, "killed": database.killed,
}
