"""A private PostgreSQL with its default durability, on a Unix socket in a temporary folder."""
import glob
import os
import shutil
import signal
import subprocess
import time

from machine import cpu_seconds

# Durability is PostgreSQL's default: fsync, synchronous_commit and full_page_writes are on. A checkpoint comes where the bench
# asks for one, so that every run meets the same state.
SETTINGS = {
    "listen_addresses": "", "max_connections": "200", "shared_buffers": "256MB", "max_wal_size": "16GB",
    "checkpoint_timeout": "1h", "max_parallel_workers_per_gather": "0", "jit": "off", "timezone": "UTC",
    "log_min_messages": "error", "unix_socket_permissions": "0777",
}
# For filling large tables: nothing is forced to the disk, and what is filled in the transaction that made it is not logged.
FILLING = {"fsync": "off", "full_page_writes": "off", "wal_level": "minimal", "max_wal_senders": "0",
           "autovacuum": "off", "synchronous_commit": "off", "shared_buffers": "1GB"}


def programs():
    """The folder of the PostgreSQL programs."""
    known = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
    if known:
        return known[-1]
    return subprocess.check_output(["pg_config", "--bindir"], text=True).strip()


class Postgres:
    """One cluster; may be stopped and started with other settings."""

    def __init__(self, folder):
        self.bin, self.data, self.socket = programs(), folder / "postgres", folder / "socket"
        self.log = folder / "postgres.log"
        self.process = None
        for path in (self.data, self.socket):
            path.mkdir(mode=0o700)
            if os.geteuid() == 0:
                shutil.chown(path, "postgres")
        # The program under test, another user perhaps, comes through here too.
        self.socket.chmod(0o755)
        subprocess.run(self._as_owner("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
                                      "--locale=C.UTF-8"), check=True, stdout=subprocess.DEVNULL, cwd="/")

    def _as_owner(self, program, *words):
        prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.geteuid() == 0 else []
        return prefix + [f"{self.bin}/{program}", *map(str, words)]

    def start(self, **settings):
        values = {**SETTINGS, "unix_socket_directories": str(self.socket), **settings}
        words = [word for name, value in values.items() for word in ("-c", f"{name}={value}")]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self._as_owner("postgres", "-D", self.data, *words), stdout=log, stderr=log,
                                            cwd="/", start_new_session=True)
        deadline = time.monotonic() + 120
        while subprocess.run([f"{self.bin}/pg_isready", "-q", "-h", self.socket], check=False).returncode:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start: {self.log.read_text()[-2000:]}")
            time.sleep(0.05)
        return self

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # a fast shutdown
            self.process.wait(300)

    def restart(self, **settings):
        self.stop()
        return self.start(**settings)

    @property
    def pid(self):
        return self.process.pid

    def uri(self, database):
        return f"postgresql://postgres@/{database}?host={self.socket}"

    def environment(self, database):
        """What libpq's programs read."""
        return {**os.environ, "PGHOST": str(self.socket), "PGUSER": "postgres", "PGDATABASE": database}

    def sql(self, text, database="postgres", **variables):
        """Runs statements through psql; the output is unaligned."""
        words = [word for name, value in variables.items() for word in ("-v", f"{name}={value}")]
        run = subprocess.run([f"{self.bin}/psql", "-qXAt", "-v", "ON_ERROR_STOP=1", *words, "-f", "-"], input=text, text=True,
                             capture_output=True, env=self.environment(database), check=False)
        if run.returncode:
            raise RuntimeError(f"psql: {run.stderr[-2000:]}")
        return run.stdout.strip()

    def checkpoint(self):
        self.sql("CHECKPOINT")

    def settle(self, quiet=0.02, atmost=600):
        """Waits until the cluster does nothing of its own any more."""
        deadline = time.monotonic() + atmost
        while time.monotonic() < deadline:
            before = cpu_seconds(self.pid)
            time.sleep(1)
            if cpu_seconds(self.pid) - before <= quiet:
                return
