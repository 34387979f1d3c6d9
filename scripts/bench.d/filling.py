"""Databases with a past: rows of true shape in the partitions of 90 days, frozen as vacuum would leave them, indexes included."""
import pathlib
import subprocess

from servers import helper
from stage import say

SQL = pathlib.Path(__file__).resolve().parent / "filling.sql"


class Filling:
    def __init__(self, stage):
        self.stage, self.postgres = stage, stage.postgres
        uri = self.postgres.uri(stage.DATABASE)
        stage.server.migrate(uri)
        helper("seed", "confirm", 1, uri)

    def make(self, name, count):
        """A database with so many webview sessions; its size in bytes."""
        sql = lambda text: self.postgres.sql(text, name)  # noqa: E731
        sql_admin = self.postgres.sql
        sql_admin(f"CREATE DATABASE {name} TEMPLATE {self.stage.DATABASE}")
        now = sql("SELECT date_trunc('second', now())")
        sql(SQL.read_text().replace("now()", f"timestamptz '{now}'"))
        for line in sql(f"SELECT * FROM past.months({count})").splitlines():
            month, since, until, first, last = line.split("|")
            say(f"{name}: {month}, webview sessions {int(first):,} to {int(last):,}")
            # The two tables at once: there are two cores at least.
            copies = [self.copy(name, f"past.{rows}({first}, {last}, {count})", table, month, since, until)
                      for table, rows in (("webview_session", "webview_sessions"), ("webview_session_event", "events"))]
            for copy in copies:
                self.end(copy)
        sql(f"INSERT INTO webview_session_private SELECT t.webview_session_id, sealed FROM past.one_private, "
            f"past.range(past.number(date_trunc('day', timestamptz '{now}'), {count}), {count - 1}, {count}) AS t; DROP SCHEMA past CASCADE; ANALYZE")
        have = int(sql("SELECT count(*) FROM webview_session")) if count <= 1_000_000 else count
        if have < count:
            raise RuntimeError(f"{name} has {have} webview sessions instead of {count}, at {now}")
        return int(sql_admin(f"SELECT pg_database_size('{name}')"))

    def copy(self, database, source, table, month, since, until):
        """Two psql, one that makes the rows and one that stores them into an emptied partition."""
        environment = {**self.postgres.environment(database), "PGOPTIONS": "-c timezone=UTC"}
        program = [f"{self.postgres.bin}/psql", "-qXAt", "-v", "ON_ERROR_STOP=1"]
        reader = subprocess.Popen([*program, "-c", f"COPY (SELECT * FROM {source}) TO STDOUT (FORMAT binary)"],
                                  stdout=subprocess.PIPE, env=environment)
        # Frozen rows go only into a table that was emptied in the same transaction.
        writer = subprocess.Popen(
            [*program, "--single-transaction", "-c", f"SELECT partition_make('{table}', '{since}', '{until}')",
             "-c", f"TRUNCATE {table}_{month}", "-c", f"COPY {table}_{month} FROM STDIN (FORMAT binary, FREEZE)"],
            stdin=reader.stdout, stdout=subprocess.DEVNULL, env=environment)
        reader.stdout.close()
        return reader, writer

    def end(self, copy):
        for process in copy:
            if process.wait():
                raise RuntimeError(f"filling failed: {' '.join(process.args)[-300:]}")
