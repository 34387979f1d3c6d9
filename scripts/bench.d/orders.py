"""How the cost of merchants' requests and of the ledger changes with the orders that are kept, with autovacuum on."""
import base64
import pathlib
import time

import load
import report
from postgres import FILLING
from servers import helper
from stage import say

SQL = pathlib.Path(__file__).resolve().parent / "orders.sql"
CONNECTIONS = 32
KEY = "swk_" + base64.urlsafe_b64encode(bytes(range(1, 49))).decode()
MERCHANT = {"MERCHANT_API": "true", "MERCHANT_REQUESTS_PER_MINUTE": "1000000"}
REQUESTS = {"v1_open": "POST /v1/sessions", "v1_read": "GET /v1/sessions/{id}", "v1_list": "GET /v1/sessions?limit=20"}
LEDGER = "a reading of the ledger that changes, a poll moved on, a claim, an event"
# What a busy day does to rows that exist: each transaction is one order.
SCRIPT = """\\set n random(0, {last})
SELECT payment_observe('permission', {permission}, NULL, CASE WHEN random() < 0.5 THEN 'Chargeable' ELSE 'NonChargeable' END, NULL,
    statement_timestamp(), NULL, 'JPY', NULL, NULL, NULL);
UPDATE payment_poll SET next_at = statement_timestamp() + random() * interval '30 days' WHERE object_id = {permission};
SELECT order_announce(p.webview_session_id, 'charge.captured', NULL) FROM payment_object AS p WHERE p.object_id = {permission};
"""
PERMISSION = "'S03-' || lpad((:n / 10000000)::text, 7, '0') || '-' || lpad((:n % 10000000)::text, 7, '0')"
# Bytes of tables and indexes, partitions under their parents, and rows that are there and dead.
SIZES = """
    SELECT coalesce(p.relname, c.relname), sum(pg_table_size(c.oid)), sum(pg_indexes_size(c.oid)), sum(greatest(c.reltuples, 0))::bigint,
        sum(pg_stat_get_dead_tuples(c.oid))
    FROM pg_class AS c LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid LEFT JOIN pg_class AS p ON p.oid = i.inhparent
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND coalesce(p.relname, c.relname) IN (
        'merchant_order', 'payment_object', 'payment_operation', 'event', 'payment_poll', 'api_idempotency', 'notification')
    GROUP BY 1 ORDER BY 1
"""


class Orders:
    """Samples of each number of orders, and the sizes of their tables before and after."""

    def __init__(self, stage, options):
        self.stage, self.options = stage, options
        self.samples, self.sizes, self.filled = {}, {}, {}

    def run(self):
        stage = self.stage
        stage.postgres.restart(**FILLING)
        stage.make_database("orders")
        stage.server.migrate(stage.postgres.uri("orders"))
        helper("seed", "confirm", 1, stage.postgres.uri("orders"))
        for count in self.options.orders:
            self.fill(count)
        stage.postgres.restart(autovacuum="on", autovacuum_naptime="5s")
        stage.server.overrides = MERCHANT
        for number in range(1, self.options.rounds + 1):
            for count in self.options.orders:
                self.measure(count, number)
        stage.server.stop()
        stage.server.overrides = {}
        for count in self.options.orders:
            self.sizes[count].append(self.size(count))
        return self

    def fill(self, count):
        start = time.monotonic()
        self.stage.postgres.sql(f"CREATE DATABASE orders_{count} TEMPLATE orders")
        text = SQL.read_text().replace(":count", str(count)).replace(":key", KEY)
        self.stage.postgres.sql(text, f"orders_{count}")
        self.sizes[count] = [self.size(count)]
        self.filled[count] = time.monotonic() - start
        say(f"{count:,} orders: {sum(row[1] + row[2] for row in self.sizes[count][0]) / 1e9:.2f} GB in {self.filled[count]:.0f} s")

    def size(self, count):
        self.stage.postgres.sql("ANALYZE", f"orders_{count}")
        lines = self.stage.postgres.sql(SIZES, f"orders_{count}").splitlines()
        return [(line.split("|")[0], *map(int, line.split("|")[1:])) for line in lines]

    def measure(self, count, number):
        stage, name = self.stage, f"orders_{count}"
        server = stage.serve(name)
        ids = stage.folder / "orders.ids"
        ids.write_text(stage.postgres.sql("SELECT webview_session_id FROM merchant_order TABLESAMPLE SYSTEM (20) LIMIT 10000", name) or
                       stage.postgres.sql("SELECT webview_session_id FROM merchant_order LIMIT 10000", name))
        for case in REQUESTS:
            load.wrk(server, case, CONNECTIONS, 1, ids)
            sample = stage.measure(server.pid, lambda: load.wrk(server, case, CONNECTIONS, self.options.seconds, ids))
            self.keep(count, case, sample, number)
        script = SCRIPT.format(last=count - 1, permission=PERMISSION)
        sample = stage.measure(None, lambda: load.pgbench(stage.postgres, name, script, 8, self.options.seconds))
        self.keep(count, "ledger", sample, number)

    def keep(self, count, case, sample, number):
        if load.is_void(sample):
            raise RuntimeError(f"{case}: {sample['bad']} of {sample['n']} answers were not 2xx or 3xx")
        self.samples.setdefault((count, case), []).append(sample)
        say(f"round {number}: {count:>10,} orders {case:8} {sample['rate']:9,.0f}/s  server {sample['server']:6.1f} us  "
            f"PostgreSQL {sample['postgres']:6.1f} us  others {sample['others']:.0%}")

    # MARK: Output

    def rows(self):
        for case in (*REQUESTS, "ledger"):
            first = self.samples[self.options.orders[0], case]
            for count in self.options.orders:
                rounds = self.samples[count, case]
                yield (REQUESTS.get(case, LEDGER), f"{count:,}",
                       *(report.with_range([one[key] for one in rounds], digits)
                         for key, digits in (("rate", 0), ("server", 1), ("postgres", 1))),
                       report.ratio(rounds, first, "postgres"))

    def size_rows(self):
        for count in self.options.orders:
            before, after = self.sizes[count]
            late = {row[0]: row for row in after}
            for name, table, indexes, rows, _ in before:
                grown = late[name]
                yield (f"{count:,}", name, f"{rows:,}", f"{table / max(1, rows):.0f}", f"{indexes / max(1, rows):.0f}",
                       f"{(grown[1] + grown[2]) / max(1, table + indexes):.2f}", f"{grown[4]:,}")

    def markdown(self):
        head = ["what", "stored orders", "per second", "server µs", "PostgreSQL µs", "PostgreSQL ÷ first"]
        sizes = ["stored orders", "table", "rows", "bytes a row", "of indexes", "size after ÷ before", "dead rows left"]
        return report.table(head, self.rows()) + "\n\n" + report.table(sizes, self.size_rows())

    def json(self):
        return {"samples": [{"orders": count, "case": case, "rounds": rounds} for (count, case), rounds in self.samples.items()],
                "sizes": self.sizes, "filled": self.filled}
