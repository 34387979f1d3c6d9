"""Commits per request, and whether what was acknowledged is what is stored."""
import base64
import collections
import os
import selectors
import signal
import time
import uuid

import routes
from client import Connection, Refused

CONNECTIONS = 32
WAVES = 40


class Load:
    """Issues on many connections, each with one request in flight, until a number of answers has come."""

    def __init__(self, shop, pieces=lambda number: 1):
        self.shop, self.pieces, self.sent = shop, pieces, 0
        self.statuses, self.sessions = collections.Counter(), []

    def run(self, count, after=None):
        """Sends `count` requests; `after` is called once half of them are answered."""
        selector = selectors.DefaultSelector()
        goal = self.sent + count
        for _ in range(CONNECTIONS):
            self.begin(selector)
        answered = 0
        while selector.get_map():
            ready = selector.select(30)
            if not ready:
                raise Refused("a request was not answered within 30 s")
            for key, _ in ready:
                connection = key.data
                try:
                    answer = connection.receive()
                except (Refused, OSError):
                    self.statuses["closed"] += 1
                    self.end(selector, connection)
                    if self.sent < goal:
                        self.begin(selector)
                    continue
                self.count(answer)
                answered += 1
                if after and answered == count // 2:
                    after()
                if self.sent >= goal or answer.field("connection") == "close":
                    self.end(selector, connection)
                    if self.sent < goal:
                        self.begin(selector)
                else:
                    self.next(connection)
        return self

    def count(self, answer):
        """Whether a request was answered with a ticket."""
        self.statuses[answer.status] += 1
        if answer.status == 200:
            self.sessions.append(session_of(routes.ticket_of(answer)))
        return answer.status == 200

    def begin(self, selector):
        connection = Connection(self.shop.clear_port)
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        self.next(connection)

    def end(self, selector, connection):
        selector.unregister(connection.socket)
        connection.close()

    def next(self, connection):
        connection.send(routes.issue_request(self.shop, self.pieces(self.sent)))
        self.sent += 1


def session_of(ticket):
    """The webview session's id stands in front of the secret."""
    return str(uuid.UUID(bytes=base64.urlsafe_b64decode(ticket.split("_", 1)[1])[:16]))


def stored_sessions(shop):
    return set(shop.sql("SELECT webview_session_id FROM webview_session", "sallyport"))


def commits(shop, book):
    """Transactions that wrote, by the numbers that the database gave out: the question itself, a heartbeat and a vacuum take none."""
    # The gathering of statistics does, whenever it pleases.
    stop_autovacuum(shop)
    wave = routes.Wave(shop, CONNECTIONS)
    requests, count = [routes.issue_request(shop)] * CONNECTIONS, WAVES * CONNECTIONS
    wave.send(requests)
    made = least(book.limit("commits", "budget") * count, lambda: in_waves(shop, wave, requests))
    wave.close()
    book.hold("commits", "budget", made / count, f"({made} commits for {count} issues that lay ready 32 at a time)")
    made = least(book.limit("commits, free-running", "budget") * count, lambda: free_running(shop, count))
    book.hold("commits, free-running", "budget", made / count, f"({made} commits for {count} issues)")


def stop_autovacuum(shop):
    """A worker that has begun goes through all its tables, whatever the setting is by then."""
    shop.sql("ALTER SYSTEM SET autovacuum = off")
    shop.sql("SELECT pg_reload_conf()")
    deadline = time.monotonic() + 120
    while shop.sql("SELECT pid FROM pg_stat_activity WHERE backend_type LIKE 'autovacuum%'"):
        if time.monotonic() > deadline:
            raise Refused("autovacuum goes on for two minutes after it was switched off")
        time.sleep(0.1)


def least(limit, count):
    """The least of three counts, which the server's upkeep can only add to; the first within the limit is enough."""
    made = count()
    for _ in range(2):
        if made <= limit:
            break
        made = min(made, count())
    return made


def in_waves(shop, wave, requests):
    before = next_transaction(shop)
    for _ in range(WAVES):
        wave.send(requests)
    return next_transaction(shop) - before


def free_running(shop, count):
    """All transactions of the server's own database, as PostgreSQL counts them; the question is asked in another one."""
    before = committed(shop)
    load = Load(shop).run(count)
    made = committed(shop) - before
    if load.statuses != {200: count}:
        raise Refused(f"not every issue was answered with 200: {dict(load.statuses)}")
    return made


def next_transaction(shop):
    return int(shop.sql("SELECT pg_snapshot_xmax(pg_current_snapshot())")[0])


def committed(shop):
    """The counter, once it has taken in what idle backends hold back for at most ten seconds; heartbeats are among it."""
    time.sleep(10.5)
    return int(shop.sql("SELECT xact_commit FROM pg_stat_database WHERE datname = 'sallyport'")[0])


def compare(shop, book, name, before, load):
    acknowledged, stored = set(load.sessions), stored_sessions(shop) - before
    book.row(name, "acknowledged and not stored", str(len(acknowledged - stored)), "0", acknowledged <= stored)
    unknown = sum(number for status, number in load.statuses.items() if status != 200)
    note = f"(answers {dict(load.statuses)})"
    return len(stored - acknowledged), unknown, note


def stored(shop, book):
    before = stored_sessions(shop)
    load = Load(shop).run(1000)
    beyond, _, note = compare(shop, book, "stored", before, load)
    book.row("stored", "stored and not acknowledged", str(beyond), "0", beyond == 0, note)
    book.row("stored", "answered with 200", str(load.statuses[200]), "1000", load.statuses[200] == 1000, note)


REFUSE = """
CREATE FUNCTION budget_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a bad row'; END $$;
CREATE TRIGGER budget_refuse BEFORE INSERT ON webview_session FOR EACH ROW WHEN (NEW.subtotal > 60000) EXECUTE FUNCTION budget_refuse();
"""


def bad_rows(shop, book):
    """Every tenth row is refused by the database, in groups with good ones: those must not suffer, and must not be lost."""
    shop.sql(REFUSE, "sallyport")
    before = stored_sessions(shop)
    load = Load(shop, pieces=lambda number: 7 if number % 10 == 3 else 1).run(1000)
    shop.sql("DROP TRIGGER budget_refuse ON webview_session; DROP FUNCTION budget_refuse();", "sallyport")
    beyond, _, note = compare(shop, book, "bad rows", before, load)
    book.row("bad rows", "stored and not acknowledged", str(beyond), "0", beyond == 0, note)
    book.row("bad rows", "answered with 200", str(load.statuses[200]), "900", load.statuses[200] == 900, note)


def killed(shop, book):
    """A backend of the database is killed in the middle, and all others with it, as by the kernel when memory runs out."""
    before = stored_sessions(shop)
    load = Load(shop).run(1000, after=lambda: kill_backends(shop))
    wait_for_recovery(shop, load)
    beyond, unknown, note = compare(shop, book, "killed", before, load)
    # A group may have committed although its answer was lost: the client was told to try again, and the row is there. That may befall a
    # client twice, when its loop is back before the postmaster has noticed the death.
    limit = min(unknown, 2 * CONNECTIONS)
    book.row("killed", "stored and not acknowledged", str(beyond), str(limit), beyond <= limit, note)
    again = Load(shop).run(200)
    book.row("killed", "answered with 200 afterwards", str(again.statuses[200]), "200", again.statuses[200] == 200)


def kill_backends(shop):
    """The first one's death makes the postmaster end all the others, and recover."""
    pids = shop.sql("SELECT pid FROM pg_stat_activity WHERE datname = 'sallyport' AND backend_type = 'client backend'")
    os.kill(int(pids[0]), signal.SIGKILL)


def wait_for_recovery(shop, load):
    """Until connections to every loop are served: so many in a row that the kernel has led some to each. They store rows, too, so the load counts them."""
    deadline, served = time.monotonic() + 120, 0
    while served < 40:
        if time.monotonic() > deadline:
            raise Refused("the server did not come back within two minutes after its database was killed")
        connection = Connection(shop.clear_port)
        served = served + 1 if load.count(connection.ask(routes.issue_request(shop))) else 0
        connection.close()
        if not served:
            time.sleep(0.1)
