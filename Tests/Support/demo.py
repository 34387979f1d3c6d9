"""A demo of its own for a test: the program, its database and the simulators, on free ports."""
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCOPES = "sessions:read,sessions:write,payments:write,refunds:write"


# As long as this process lives, no other one is given its ports: several of them begin at once.
MARKS = []


def free_ports(count):
    """Ports that nobody listens on and nobody else was given, below those that the system gives to connections.

    Nor is anybody given one of the 32 around one of them: a demo takes some beside that of its simulator.
    """
    ports = []
    while len(ports) < count:
        port = random.randrange(20_000, 32_768)
        mark = socket.socket(socket.AF_UNIX)
        try:
            mark.bind(f"\0sallyport-ports-{port // 32}")
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            mark.close()
            continue
        MARKS.append(mark)
        ports.append(port)
    return ports


class Shop:
    """The program in demo mode, with data of its own."""

    def __init__(self, program, extra=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sallyport-demo-"))
        self.folder.chmod(0o755)
        listen, admin, simulator, push, phones, store, devices = free_ports(7)
        self.web, self.simulator = f"https://localhost:{listen}", f"https://localhost:{simulator}"
        self.link, self.admin = f"https://links.localhost:{listen}", f"http://localhost:{admin}"
        self.phones = f"http://127.0.0.1:{phones}/_sim"
        settings = {
            "LISTEN": f"127.0.0.1:{listen}", "ADMIN_LISTEN": f"127.0.0.1:{admin}", "WEB_BASE_URL": self.web,
            "LINK_BASE_URL": self.link, "SIMULATOR_LISTEN": f"127.0.0.1:{simulator}",
            "PUSH_SIMULATOR_LISTEN": f"127.0.0.1:{push}", "PUSH_SIMULATOR_CONTROL": f"127.0.0.1:{phones}",
            "APP_STORE_SIMULATOR_LISTEN": f"127.0.0.1:{store}", "DEVICE_CHECK_SIMULATOR_LISTEN": f"127.0.0.1:{devices}",
            "DATA_DIR": str(self.folder / "var"), **(extra or {}),
        }
        environment = {**os.environ, **{"SALLYPORT_" + key: value for key, value in settings.items()}}
        self.program, self.environment = program, environment
        self.log = open(self.folder / "log", "w+b")
        self.process = subprocess.Popen([program, "demo"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=self.log)
        for line in self.process.stdout:
            if line.startswith(b"ready "):
                break
        else:
            self.log.seek(0)
            sys.exit("the program did not start: " + self.log.read().decode())
        # From here on its lines go nowhere, so that the pipe cannot fill up.
        subprocess.Popen(["cat"], stdin=self.process.stdout, stdout=subprocess.DEVNULL)
        self.authority = self.folder / "var/development/authority.pem"
        self.trust = ssl.create_default_context(cafile=self.authority)

    def control(self, path, value=None):
        data = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(self.simulator + "/_sim/" + path, data=data)
        return json.load(urllib.request.urlopen(request, context=self.trust))

    def clear_faults(self):
        request = urllib.request.Request(self.simulator + "/_sim/faults", method="DELETE")
        urllib.request.urlopen(request, context=self.trust).read()

    def completes(self):
        """(session, amount) of every completion that had an effect."""
        entries = self.control("log")["entries"]
        return [(entry["checkoutSessionId"], entry["amount"]["amount"]) for entry in entries
                if entry["operation"] == "CompleteCheckoutSession" and entry["effective"]]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(120)  # what is in flight has a minute
        shutil.rmtree(self.folder, ignore_errors=True)
        if status != 0:
            sys.exit(f"the program ended with status {status}")


class Merchant:
    """examples/server/shop.py as a process, with a key of a shop."""

    def __init__(self, program, shop):
        data = {**os.environ, "SALLYPORT_DATA_DIR": str(shop.folder / "var")}
        made = subprocess.run([program, "keys", "create", "--name", "shop", "--scopes", SCOPES], env=data, cwd=ROOT,
                              capture_output=True, text=True, check=True)
        port = free_ports(1)[0]
        self.url = f"http://127.0.0.1:{port}"
        environment = {**os.environ, "SALLYPORT_URL": shop.web, "SALLYPORT_CA": str(shop.authority), "SALLYPORT_KEY": made.stdout.strip(),
                       "PORT": str(port), "SHOP_STATE": str(shop.folder / "shop.json")}
        self.process = subprocess.Popen([sys.executable, ROOT / "examples/server/shop.py"], env=environment, stderr=subprocess.PIPE)
        for line in self.process.stderr:
            if b"ready on port" in line:
                break
        else:
            sys.exit("error: shop.py did not start")
        # From here on its lines go nowhere, so that the pipe cannot fill up.
        subprocess.Popen(["cat"], stdin=self.process.stderr, stdout=subprocess.DEVNULL)

    def stop(self):
        self.process.terminate()
        self.process.wait(120)
