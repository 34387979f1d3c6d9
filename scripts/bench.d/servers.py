"""The programs that are measured: Sallyport, its simulator of the provider, and nginx beside it."""
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / ".build/release/sallyport"
HELPER_BUILD = ROOT / ".build-bench"
HELPER = HELPER_BUILD / "release/sallyport-bench"
ASSOCIATION = "/.well-known/apple-app-site-association"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def raise_descriptors():
    """As many descriptors as may be had; children inherit it."""
    wanted, (_, hard) = 65_536, resource.getrlimit(resource.RLIMIT_NOFILE)
    for most in (max(wanted, hard), hard):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
            return
        except (ValueError, OSError):
            continue


def helper(*words, **options):
    """Runs `sallyport-bench`; the output."""
    run = subprocess.run([HELPER, *map(str, words)], capture_output=True, text=True, check=False, **options)
    if run.returncode:
        raise RuntimeError(f"sallyport-bench {words[0]}: {run.stderr[-1000:]}")
    return run.stdout


class Program:
    """A child process with a log file."""

    def __init__(self, folder, name):
        self.folder, self.log, self.process = folder, folder / f"{name}.log", None

    def launch(self, words, environment=None):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(list(map(str, words)), env=environment, cwd=ROOT, stdout=log, stderr=log,
                                            start_new_session=True)

    @property
    def pid(self):
        return self.process.pid

    def wait_for(self, is_ready):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            if is_ready():
                return
            time.sleep(0.05)
        raise RuntimeError(f"{self.log.stem} did not start: {self.log.read_text()[-2000:]}")

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class Simulator(Program):
    """Amazon Pay on loopback, with the development keys that all of the bench use."""

    def __init__(self, folder):
        super().__init__(folder, "simulator")
        self.port = free_port()
        self.url = f"https://localhost:{self.port}"
        self.keys = folder / "keys/development"
        self.authority = self.keys / "authority.pem"
        # Further simulators.
        self.overrides = {}

    def start(self):
        settings = {"SALLYPORT_DATA_DIR": str(self.folder / "keys"), "SALLYPORT_LOG_LEVEL": "warning",
                    "SALLYPORT_SIMULATOR_LISTEN": f"127.0.0.1:{self.port}", "SALLYPORT_SIMULATOR_QUOTA": "none"}
        settings |= {f"SALLYPORT_{name}": value for name, value in self.overrides.items()}
        self.launch([PROGRAM, "simulators"], {**os.environ, **settings})
        self.wait_for(lambda: listens(self.port))
        return self


class Sallyport(Program):
    """The program under test: a clear and a TLS listener, every header, limit, counter and log line at its default.

    Only limits against a single busy client, which the load generator is, are lifted.
    """

    name = "sallyport"

    def __init__(self, folder, simulator):
        super().__init__(folder, "sallyport")
        self.simulator = simulator
        self.clear, self.tls, self.admin = free_port(), free_port(), free_port()
        self.web, self.link = f"localhost:{self.clear}", f"links.localhost:{self.clear}"
        # Other settings for a part of a run.
        self.overrides = {}

    def settings(self, database_uri, loops):
        keys, provider = self.simulator.keys, self.simulator.url
        return {
            "LISTEN": f"127.0.0.1:{self.tls}", "CLEAR_LISTEN": f"127.0.0.1:{self.clear}",
            "ADMIN_LISTEN": f"127.0.0.1:{self.admin}", "WEB_BASE_URL": f"http://{self.web}",
            "LINK_BASE_URL": f"http://{self.link}", "DATA_DIR": str(self.folder / "data"), "DATABASE_URL": database_uri,
            "LOOPS": str(loops), "LOG_LEVEL": "info",
            "TLS_CERTIFICATE": str(keys / "server.pem"), "TLS_KEY": str(keys / "server.key"),
            "PROVIDER_MERCHANT_ID": "A1SALLYPORTDEMO",
            "PROVIDER_STORE_ID": "amzn1.application-oa2-client.5a11e9047de7e10b3e0f57ee9a1d0f00",
            "PROVIDER_PUBLIC_KEY_ID": "SANDBOX-SALLYPORTDEMOKEY00000001",
            "PROVIDER_PRIVATE_KEY": str(keys / "merchant.key"), "PROVIDER_CA_FILE": str(keys / "authority.pem"),
            "PROVIDER_API_URL": provider, "PROVIDER_SCRIPT_URL": f"{provider}/checkout.js",
            "PROVIDER_START_URL": f"{provider}/checkout/start", "PROVIDER_CSP_HOSTS": provider,
            "PROVIDER_REDIRECT_HOSTS": f"localhost:{self.simulator.port}", "SIMULATOR_QUOTA": "none",
            "LIMITS_ISSUE_PER_MINUTE": "10000000", "LIMITS_UNKNOWN_PER_MINUTE": "10000000",
            "LIMITS_WEBVIEW_SESSIONS_TOTAL": "1000000000", "LIMITS_REQUESTS_PER_CONNECTION": "1000000000",
            "LIMITS_CONNECTIONS": "60000", "LIMITS_CONNECTIONS_PER_ADDRESS": "60000", "LIMITS_IDLE": "1h",
            "SESSION_LAUNCH": "10m", "SESSION_IDLE": "2h",
            "APPS_IOS": '[{"prefix":"ABCDE12345","bundle":"com.example.shop"}]',
            "APPS_ANDROID": json.dumps([{"package": "com.example.shop", "fingerprints": [":".join(["AB"] * 32)]}]),
        }

    def environment(self, database_uri, loops=0):
        values = {f"SALLYPORT_{name}": value for name, value in {**self.settings(database_uri, loops), **self.overrides}.items()}
        return {**os.environ, **values}

    def migrate(self, database_uri):
        subprocess.run([PROGRAM, "migrate"], cwd=ROOT, env=self.environment(database_uri), check=True, stdout=subprocess.DEVNULL)

    def start(self, database_uri, loops=0):
        self.migrate(database_uri)
        self.launch([PROGRAM, "serve"], self.environment(database_uri, loops))
        self.wait_for(self._is_ready)
        return self

    def _is_ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/readyz", timeout=2) as answer:
                return answer.status == 200
        except (OSError, urllib.error.URLError):
            return False

    def metric(self, name):
        """A counter, all its labels together."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        return sum(int(line.split()[-1]) for line in lines if line.startswith(name))

    def association(self):
        """The association file, byte for byte: what nginx serves too."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.clear}{ASSOCIATION}", headers={"Host": self.link})
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.read().decode()


NGINX = """worker_processes {workers};
worker_rlimit_nofile 60000;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn;
events {{ worker_connections 20000; }}
http {{
  access_log off;
  tcp_nodelay on;
  keepalive_timeout 2h;
  keepalive_requests 1000000000;
  client_body_temp_path {folder}/nginx-body;
  proxy_temp_path {folder}/nginx-proxy;
  fastcgi_temp_path {folder}/nginx-fastcgi;
  uwsgi_temp_path {folder}/nginx-uwsgi;
  scgi_temp_path {folder}/nginx-scgi;
  ssl_certificate {keys}/server.pem;
  ssl_certificate_key {keys}/server.key;
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_session_cache shared:s:10m;
  server {{
    listen 127.0.0.1:{clear} backlog=4096 reuseport;
    listen 127.0.0.1:{tls} ssl http2 backlog=4096 reuseport;
    location = {path} {{
      default_type application/json;
      return 200 '{body}';  # from memory: about half the cost of a file
    }}
  }}
}}
"""


class Nginx(Program):
    """nginx with the association file in memory, the same certificate, and no log of requests."""

    name = "nginx"

    def __init__(self, folder, simulator, link):
        super().__init__(folder, "nginx")
        self.clear, self.tls, self.keys, self.link = free_port(), free_port(), simulator.keys, link

    def start(self, body):
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        text = NGINX.format(workers=os.cpu_count(), folder=self.folder, keys=self.keys, clear=self.clear, tls=self.tls,
                            path=ASSOCIATION, body=body.replace("'", "\\'"))
        (self.folder / "nginx.conf").write_text(text)
        self.launch([program, "-c", self.folder / "nginx.conf", "-p", self.folder, "-g", "daemon off;"])
        self.wait_for(lambda: listens(self.clear))
        return self
