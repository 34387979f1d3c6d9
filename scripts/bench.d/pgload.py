"""What PostgreSQL alone can do: pgbench with the program's own statements, and with the plainest rows."""
import re
import time

from load import pgbench
from servers import helper

ROWS = 20_000
PLAIN = """
CREATE TABLE plain (id bytea PRIMARY KEY, old_id bytea, state text NOT NULL, doc jsonb NOT NULL,
                    made timestamptz NOT NULL, until timestamptz NOT NULL)
"""
# Distinct for each client and transaction, always twelve digits.
KEY = "\\set i :i + 1\n\\set k 100000000000 + :client_id * 10000000 + :i\n"
SOME = f"\\set k 100000000000 + random(0, {ROWS - 1})\n"


class PgLoad:
    """A database of its own, made as a copy of a migrated one."""

    def __init__(self, postgres, template):
        self.postgres, self.database = postgres, "pgbench"
        postgres.sql(f"CREATE DATABASE {self.database} TEMPLATE {template}")
        # One reviewed webview session of true shape: the others are copies of it under other ids.
        helper("seed", "confirm", 1, postgres.uri(self.database))
        self.sql(PLAIN + "; CREATE TABLE one AS SELECT * FROM webview_session; CREATE TABLE one_private AS SELECT * FROM webview_session_private")
        milliseconds = f"{int(time.time() * 1000):012x}"
        self.prefix = f"{milliseconds[:8]}-{milliseconds[8:]}-7000-8000-"
        self.doc = self.sql("SELECT cart::text FROM one").replace("'", "''")
        columns = ("encode(launch_hash, 'hex')", "encode(tab_hash, 'hex')", "subtotal", "tax_included", "cart::text")
        values = self.sql(f"SELECT {', '.join(columns)} FROM one").split("|", 4)
        self.launch_hash, self.tab_hash, self.subtotal, self.tax_included, self.cart = values

    def sql(self, text):
        return self.postgres.sql(text, self.database)

    def prepare(self, case, clients, seconds):
        """The script of a case and the rows that it needs."""
        self.script, self.expected = getattr(self, f"_{case}")(clients, seconds)

    def missed(self, count):
        """How many of a run's statements did not hit their row."""
        return count - int(self.sql(self.expected)) if self.expected else 0

    def run(self, clients, seconds):
        """One run of what `prepare` has made."""
        return pgbench(self.postgres, self.database, self.script, clients, seconds)

    def _statement(self, name, key, **values):
        """A statement of the program with literals for all parameters but the webview session's id."""
        sql = helper("sql", name).strip().replace("(:p1)::uuid", f"('{self.prefix}' || :k::text)::uuid")
        for number, literal in values.items():
            sql = sql.replace(f"(:{number})::", f"({literal})::")
        if missing := re.search(r":p\d+", sql):
            raise RuntimeError(f"{name} has a parameter {missing.group()} that the bench does not know")
        return f"{key}{sql};\n"

    def _fill(self, state, count, clients):
        """Copies of the one webview session in a state, `count` keys in all from those that `KEY` makes."""
        changes = {"webview_session_id": f"('{self.prefix}' || k)::uuid", "state": f"'{state}'"}
        if state == "issued":
            changes |= {name: "NULL" for name in ("tab_seen_at", "postage", "total", "tab_hash", "return_hash", "order_ref")}
            changes |= {"events": "1", "outcome": "'issued'", "launch_until": "absolute_until"}
        names = self.sql("SELECT string_agg(quote_ident(attname), ',' ORDER BY attnum) FROM pg_attribute "
                         "WHERE attrelid = 'one'::regclass AND attnum > 0").split(",")
        self.sql(f"""
            TRUNCATE webview_session, webview_session_event, webview_session_private;
            CREATE TEMP VIEW keys AS SELECT 100000000000 + c * 10000000::bigint + i AS k
                FROM generate_series(0, {count // clients}) AS i, generate_series(0, {clients - 1}) AS c;
            INSERT INTO webview_session ({','.join(names)}) SELECT {', '.join(changes.get(name, name) for name in names)} FROM one, keys;
            """)

    def _issue(self, clients, seconds):
        self.sql("TRUNCATE webview_session, webview_session_event, webview_session_private")
        script = self._statement(
            "webview_session_issue", KEY, p2="'127.0.0.0 00000000'", p3="'0123456789abcdef'", p4="'issued'", p5="300", p6="7200",
            p7=self.subtotal, p8=self.tax_included, p9="'iosApp'", p10=f"'\\x{self.launch_hash}'", p11=f"'\\x{self.launch_hash}'",
            p12="NULL", p13=f"'{self.doc}'")
        return script, "SELECT count(*) FROM webview_session"

    def _open(self, clients, seconds):
        self._fill("issued", 24_000 * seconds, clients)
        script = self._statement(
            "webview_session_open_first", KEY, p2="'127.0.0.0 00000000'", p3="'0123456789abcdef'", p4=f"'\\x{self.launch_hash}'",
            p5=f"'\\x{self.tab_hash}'", p6="NULL", p7="NULL", p8="15", p9="1800")
        return script, "SELECT count(*) FROM webview_session WHERE state = 'opened'"

    def _confirm(self, clients, seconds):
        self._fill("reviewed", ROWS, 1)
        self.sql(f"INSERT INTO webview_session_private SELECT ('{self.prefix}' || 100000000000 + i)::uuid, sealed "
                 f"FROM one_private, generate_series(0, {ROWS}) AS i")
        return self._statement("webview_session_tab_read_sealed", SOME, p2=f"'\\x{self.tab_hash}'", p3="1800", p4="60"), None

    def _plain_issue(self, clients, seconds):
        self.sql("TRUNCATE plain")
        script = (KEY + "INSERT INTO plain (id, state, doc, made, until) VALUES (sha256(int8send(:k)), 'issued', "
                  f"'{self.doc}'::text::jsonb, now(), now() + interval '10 minutes');\n")
        return script, "SELECT count(*) FROM plain"

    def _plain_open(self, clients, seconds):
        self.sql(f"""
            TRUNCATE plain;
            INSERT INTO plain SELECT sha256(int8send(100000000000 + c * 10000000::bigint + i)), NULL, 'issued', '{self.doc}',
                now(), now() + interval '1 day'
            FROM generate_series(0, {24_000 * seconds // clients}) AS i, generate_series(0, {clients - 1}) AS c""")
        script = (KEY + "UPDATE plain SET id = sha256(int8send(-(:k::bigint))), old_id = sha256(int8send(:k)), state = 'opened' "
                  "WHERE id = sha256(int8send(:k)) AND state = 'issued' AND until > now() RETURNING doc::text;\n")
        return script, "SELECT count(*) FROM plain WHERE state = 'opened'"
