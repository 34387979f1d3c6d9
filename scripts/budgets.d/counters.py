"""What the server asked of the C library (count.c) and of the kernel (strace), as differences over a number of requests."""
import mmap
import pathlib
import re
import signal
import subprocess
import sys
import time

# The order is that of count.c.
LIBRARIES = ["libpq", "openssl", "curl", "nghttp2"]
NAMES = ["own", *LIBRARIES, "bytes", "frees", "recv", "send", "read", "write", "epoll_wait", "epoll_ctl", "clock"]


def build(folder):
    """Builds count.c with the compiler of the toolchain, or the machine's."""
    source, target = pathlib.Path(__file__).with_name("count.c"), folder / "count.so"
    for compiler in ("clang", "cc", "gcc"):
        try:
            subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", target, source], check=True)
            return target
        except FileNotFoundError:
            continue
    sys.exit("budgets: no C compiler: neither clang nor cc nor gcc")


class Counters:
    """The counts of one process, which it keeps in a file that both sides map."""

    def __init__(self, folder):
        self.path = folder / "counts"
        self.path.write_bytes(bytes(4096))
        with open(self.path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 4096)

    def read(self):
        return {name: int.from_bytes(self.map[8 * i:8 * i + 8], "little") for i, name in enumerate(NAMES)}

    def settled(self):
        """The counts once the server rests: what follows an answer (closing a turn, waiting again) is counted with it."""
        last, since = self.read(), time.monotonic()
        deadline = since + 10
        while time.monotonic() < deadline:
            time.sleep(0.002)
            now = self.read()
            if now != last:
                last, since = now, time.monotonic()
            elif time.monotonic() - since > 0.03:
                break
        return last


def difference(before, after):
    return {name: after[name] - before[name] for name in before}


class Trace:
    """Every system call of every thread of a process between `start` and `stop`, counted by strace."""

    def __init__(self, pid, folder):
        self.path = folder / "strace"
        self.process = subprocess.Popen(["strace", "-f", "-c", "-o", self.path, "-p", str(pid)],
                                        stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "attached" in line:
                return
            if "strace:" in line:
                self.process.wait()
                sys.exit(f"budgets: strace may not watch the server: {line.strip()}")
        sys.exit("budgets: strace did not attach")

    def stop(self):
        """Name of the call to how often it was made."""
        self.process.send_signal(signal.SIGINT)
        self.process.communicate()
        calls = {}
        for line in self.path.read_text().splitlines():
            # % time, seconds, usecs/call, calls, errors (may be missing), name
            match = re.match(r"\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", line)
            if match and match[2] != "total":
                calls[match[2]] = int(match[1])
        return calls
