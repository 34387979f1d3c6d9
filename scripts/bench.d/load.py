"""The load generators. Each returns {"n", "seconds", "bad", "p50", "p99", "p999"}: requests, and milliseconds of latency."""
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import tempfile
import time

from servers import ASSOCIATION, HELPER

# More answers than this share that are not 2xx or 3xx make a run void.
BAD = 0.01
LUA = pathlib.Path(__file__).resolve().parent / "lua"


def is_void(result):
    """Whether too many answers were not 2xx or 3xx, or were lost."""
    return result["bad"] > result["n"] * BAD


class NotOffered(Exception):
    """The server does not speak the protocol that was asked for."""


def _percentiles(sorted_microseconds):
    values = sorted_microseconds or [0]
    return {name: values[min(len(values) - 1, int(len(values) * share))] / 1000
            for name, share in (("p50", 0.5), ("p99", 0.99), ("p999", 0.999))}


def wrk(server, script, connections, seconds, tokens=None, port=None):
    """One wrk thread in a closed loop over the clear listener, or over another port."""
    environment = {**os.environ, "BENCH_WEB": getattr(server, "web", server.link), "BENCH_LINK": server.link,
                   "BENCH_TOKENS": str(tokens or "")}
    run = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "20s", "-s", LUA / f"{script}.lua",
                          f"http://127.0.0.1:{port or server.clear}"], capture_output=True, text=True, env=environment, check=True)
    result = json.loads(re.search(r"RESULT (\{.*\})", run.stdout).group(1))
    return {"n": result["requests"], "seconds": result["us"] / 1e6, "bad": result["bad"],
            **{name: result[name] / 1000 for name in ("p50", "p99", "p999")}}


def _h2load(server, words, is_h1):
    run = subprocess.run(["h2load", "-t1", *words, *(["--h1"] if is_h1 else []), f"--connect-to=127.0.0.1:{server.tls}",
                          f"https://{server.link}{ASSOCIATION}"], capture_output=True, text=True, check=True)
    if not is_h1 and "Application protocol: h2" not in run.stdout:
        raise NotOffered(f"{server.name} does not offer HTTP/2")

    def find(pattern):
        return re.search(pattern, run.stdout)
    answered = int(find(r"(\d+) 2xx").group(1))
    total = int(find(r"(\d+) done").group(1))
    return {"n": answered, "seconds": float(find(r"finished in ([\d.]+)").group(1)), "bad": total - answered}


def h2load(server, connections, seconds, streams=1, is_h1=False):
    """Keep-alive over TLS 1.3 with some streams a connection."""
    with tempfile.NamedTemporaryFile(prefix="sallyport-h2load-") as log:
        result = _h2load(server, [f"-c{connections}", f"-m{streams}", "-D", str(seconds), f"--log-file={log.name}"], is_h1)
        # The unit of "finished in" changes with its size.
        result["seconds"] = seconds
        latencies = sorted(int(line.split()[2]) for line in open(log.name, encoding="ascii"))
    return {**result, **_percentiles(latencies)}


def handshakes(server, seconds, is_h1=True, batch=100):
    """Fresh TLS 1.3 connections without resumption, one request each, a batch at a time."""
    start, count, bad, latencies = time.monotonic(), 0, 0, []
    while time.monotonic() - start < seconds:
        with tempfile.NamedTemporaryFile(prefix="sallyport-h2load-") as log:
            result = _h2load(server, [f"-c{batch}", f"-n{batch}", f"--log-file={log.name}"], is_h1)
            latencies += [int(line.split()[2]) for line in open(log.name, encoding="ascii")]
        count, bad = count + result["n"], bad + result["bad"]
    return {"n": count, "seconds": time.monotonic() - start, "bad": bad, **_percentiles(sorted(latencies))}


def crossings(server, simulator, width, seconds):
    """Whole crossings; a request is one to the server, latency is that of a whole crossing with the provider's pages."""
    run = subprocess.run([HELPER, "cross", str(seconds), str(width), f"http://{server.web}", simulator.url, simulator.authority],
                         capture_output=True, text=True, check=True)
    result = json.loads(run.stdout)
    if result["bad"]:
        raise RuntimeError(f"{result['bad']} crossings failed: {run.stderr[:500]}")
    return {"n": result["requests"], "seconds": result["us"] / 1e6, "bad": result["bad"],
            **{name: result[name] / 1000 for name in ("p50", "p99", "p999")}}


def pgbench(postgres, database, script, clients, seconds):
    """A script of one statement, prepared."""
    with tempfile.TemporaryDirectory(prefix="sallyport-pgbench-") as folder:
        environment = {**postgres.environment(database), "PGOPTIONS": "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off"}
        path = pathlib.Path(folder) / "script.sql"
        path.write_text(script)
        run = subprocess.run([f"{postgres.bin}/pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", "1", "-T", str(seconds),
                              "-D", "i=0", "-l", "--sampling-rate=0.1", f"--log-prefix={folder}/log", "-f", path],
                             capture_output=True, text=True, env=environment, cwd=folder, check=False)
        if run.returncode:
            raise RuntimeError(f"pgbench: {run.stderr[-1000:]}")
        latencies = sorted(int(line.split()[2]) for log in pathlib.Path(folder).glob("log*")
                           for line in open(log, encoding="ascii"))
    count = int(re.search(r"actually processed: (\d+)", run.stdout).group(1))
    rate = float(re.search(r"tps = ([\d.]+)", run.stdout).group(1))
    return {"n": count, "seconds": count / rate, "bad": 0, **_percentiles(latencies)}


class IdleConnections:
    """Connections that made one request and then wait."""

    def __init__(self, server, is_tls):
        self.server, self.is_tls, self.sockets = server, is_tls, []
        self.context = ssl.create_default_context()
        self.context.check_hostname = False
        self.context.verify_mode = ssl.CERT_NONE

    def grow(self, count):
        """As many more as are missing."""
        request = f"GET {ASSOCIATION} HTTP/1.1\r\nHost: {self.server.link}\r\n\r\n".encode()
        while len(self.sockets) < count:
            port = self.server.tls if self.is_tls else self.server.clear
            plain = socket.create_connection(("127.0.0.1", port), 30)
            connection = self.context.wrap_socket(plain, server_hostname="localhost") if self.is_tls else plain
            connection.sendall(request)
            if not connection.recv(4096).startswith(b"HTTP/1.1 200"):
                raise RuntimeError("an idle connection was refused")
            self.sockets.append(connection)

    def close(self):
        for connection in self.sockets:
            connection.close()
        self.sockets = []
