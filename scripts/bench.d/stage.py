"""Everything that a run needs, started in order and taken down in any case."""
import contextlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from machine import Meter
from postgres import Postgres
from servers import HELPER_BUILD, ROOT, Sallyport, Simulator, raise_descriptors
from tokens import Tokens


def say(*words):
    """Progress: time and words on standard error."""
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


def build():
    say("building in release mode")
    release = ["swift", "build", "-c", "release", "--product"]
    # The program as it is shipped. The helper shares code with the tests, whose library cannot be linked in.
    for words in ([*release, "sallyport", "--static-swift-stdlib"], [*release, "sallyport-bench", "--scratch-path", HELPER_BUILD]):
        subprocess.run(words, cwd=ROOT, check=True, stdout=sys.stderr)


class Stage(contextlib.ExitStack):
    """A folder, PostgreSQL, the simulator, and one server at a time."""

    DATABASE = "sallyport"

    def __init__(self, folder=None):
        super().__init__()
        raise_descriptors()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sallyport-bench-", dir=folder))
        self.folder.chmod(0o755)
        self.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.postgres = Postgres(self.folder)
        self.callback(self.postgres.stop)
        self.simulator = Simulator(self.folder)
        self.callback(self.simulator.stop)
        self.server = Sallyport(self.folder, self.simulator)
        self.callback(self.server.stop)
        self.tokens = Tokens(self.folder, self.server, self.simulator)

    def open(self, **settings):
        """Starts PostgreSQL and the simulator and makes the database."""
        self.postgres.start(**settings)
        self.simulator.start()
        self.make_database(self.DATABASE)
        return self

    def make_database(self, name):
        self.postgres.sql(f"CREATE DATABASE {name}")

    def serve(self, database=DATABASE, loops=0):
        """Starts the server, on another database or with other loops where it ran before."""
        self.server.stop()
        self.server.start(self.postgres.uri(database), loops)
        return self.server

    def measure(self, program, run, postgres=True):
        """One run between two readings of the kernel's clocks; figures per request."""
        if postgres:
            self.postgres.checkpoint()
        meter = Meter(program, self.postgres.pid if postgres else None, [self.simulator.pid])
        result = run()
        used = meter.stop()
        count = max(1, result["n"])
        return {
            "rate": result["n"] / result["seconds"], "n": result["n"], "bad": result["bad"],
            "p50": result["p50"], "p99": result["p99"], "p999": result["p999"],
            **{name: used[name] * 1e6 / count for name in ("server", "postgres", "load")}, "others": used["others"],
        }
