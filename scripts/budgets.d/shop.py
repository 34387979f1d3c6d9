"""The program under test: `sallyport serve` with a private PostgreSQL of default durability, and the provider's simulator."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import client
import counters

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests/Support"))
from demo import free_ports  # noqa: E402
from passkeys import PassKeys  # noqa: E402


class Shop:
    def __init__(self, program, folder, loops):
        self.folder, self.loops = folder, loops
        self.tls_port, self.clear_port, admin, simulator, push, control = free_ports(6)
        self.host, self.links = f"localhost:{self.tls_port}", f"links.localhost:{self.tls_port}"
        self.web, self.simulator = f"https://{self.host}", f"https://localhost:{simulator}"
        keys = folder / "data/development"
        secret = folder / "merchant.secret"
        secret.write_bytes(bytes(range(64)))
        secret.chmod(0o600)
        self.passes = PassKeys(secret.read_bytes())
        settings = {
            "LISTEN": f"127.0.0.1:{self.tls_port}", "CLEAR_LISTEN": f"127.0.0.1:{self.clear_port}",
            "ADMIN_LISTEN": f"127.0.0.1:{admin}", "SIMULATOR_LISTEN": f"127.0.0.1:{simulator}",
            "WEB_BASE_URL": self.web, "LINK_BASE_URL": f"https://{self.links}", "DATA_DIR": str(folder / "data"),
            "LOOPS": str(loops), "LOG_LEVEL": "info",
            "TLS_CERTIFICATE": str(keys / "server.pem"), "TLS_KEY": str(keys / "server.key"),
            "PROVIDER_MERCHANT_ID": "A1SALLYPORTDEMO",
            "PROVIDER_STORE_ID": "amzn1.application-oa2-client.5a11e9047de7e10b3e0f57ee9a1d0f00",
            "PROVIDER_PUBLIC_KEY_ID": "SANDBOX-SALLYPORTDEMOKEY00000001",
            "PROVIDER_PRIVATE_KEY": str(keys / "merchant.key"), "PROVIDER_CA_FILE": str(keys / "authority.pem"),
            "PROVIDER_API_URL": self.simulator, "PROVIDER_SCRIPT_URL": self.simulator + "/checkout.js",
            "PROVIDER_START_URL": self.simulator + "/checkout/start",
            "PROVIDER_REDIRECT_HOSTS": f"localhost:{simulator}", "PROVIDER_CSP_HOSTS": self.simulator,
            "SIMULATOR_QUOTA": "none", "MERCHANT_API": "true", "MERCHANT_REQUESTS_PER_MINUTE": "1000000",
            "MERCHANT_SECRET_FILE": str(secret), "WALLET_TEMPLATES": str(ROOT / "examples/wallet/templates"),
            "WALLET_CERTIFICATES": str(keys / "passes/certificates"), "PUSH_SIMULATOR_LISTEN": f"127.0.0.1:{push}",
            "PUSH_SIMULATOR_CONTROL": f"127.0.0.1:{control}", "WALLET_PUSH_HOST": f"localhost:{push}",
            "WALLET_PUSH_TRUST": str(keys / "authority.pem"), "WALLET_LIST_RATE": "60000",
            # Everybody comes from one address here.
            "LIMITS_ISSUE_PER_MINUTE": "10000000", "LIMITS_UNKNOWN_PER_MINUTE": "10000000",
            "LIMITS_REQUESTS_PER_CONNECTION": "1000000000", "LIMITS_HEADER_DEADLINE": "2s",
            "LIMITS_HANDSHAKE_DEADLINE": "2s",
            # strace may be of the same user.
            "DEBUG_CORE_DUMPS": "true",
            "APPS_IOS": '[{"prefix":"ABCDE12345","bundle":"com.example.shop"}]',
            "APPS_ANDROID": json.dumps([{"package": "com.example.shop", "fingerprints": [":".join(["AB"] * 32)]}]),
        }
        environment = {**os.environ, **{"SALLYPORT_" + name: value for name, value in settings.items()}}
        self.counters = counters.Counters(folder)
        self.processes = []
        self.start(program, "simulators", '"simulator.ready"', environment)
        counted = {**environment, "LD_PRELOAD": str(counters.build(folder)), "COUNT_FILE": str(self.counters.path)}
        self.server = self.start(program, "serve", '"server.ready"', counted)
        self.pid = self.server.pid
        self.trust = client.trust(keys / "authority.pem")
        self.trust2 = client.trust(keys / "authority.pem", ["h2"])
        self.key = subprocess.run([program, "keys", "create", "--name", "budgets", "--scopes",
                                   "sessions:read,sessions:write,wallet:read,wallet:write"],
                                  cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout.strip()
        self.control("next-buyer", '{"answers":["consent","mfa","3ds"],"count":1000000}')

    def start(self, program, command, word, environment):
        log = self.folder / f"{command}.log"
        with open(log, "wb") as out:
            process = subprocess.Popen([program, command], cwd=ROOT, env=environment, stdout=out, stderr=out)
        self.processes.append(process)
        deadline = time.monotonic() + 60
        while word not in log.read_text(errors="replace"):
            if process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                sys.exit(f"budgets: `sallyport {command}` did not start: {log.read_text()[-2000:]}")
            time.sleep(0.02)
        return process

    def stop(self):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []

    def control(self, path, body):
        connection = client.Connection(int(self.simulator.rsplit(":", 1)[1]), self.trust)
        head = f"POST /_sim/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        answer = connection.ask(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        connection.close()
        if answer.status != 200:
            sys.exit(f"budgets: the simulator refused {path}: {answer.status} {answer.body[:300]}")

    # MARK: What the kernel and the database say

    def threads(self):
        """Names of the threads, sorted."""
        return sorted(name.strip() for name in self.of_threads("comm"))

    def thread_states(self):
        """One letter for each thread, as proc(5) has them."""
        return [stat.rsplit(")", 1)[1].split()[0] for stat in self.of_threads("stat")]

    def of_threads(self, file):
        """A file of each thread that does not end meanwhile."""
        for task in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            try:
                yield (task / file).read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def sql(self, text, database=None):
        """The first column of the answer, one text per row; as the owner of the private cluster, in another session."""
        socket_folder = self.folder / "data/postgres/socket"
        run = subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", socket_folder, "-U", "sallyport",
                              "-d", database or "postgres", "-c", text], capture_output=True, text=True)
        if run.returncode:
            raise RuntimeError(f"psql: {run.stderr.strip()}")
        return run.stdout.split()
