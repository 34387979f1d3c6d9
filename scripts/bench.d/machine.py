"""What the kernel knows about processes: CPU, memory, descriptors; and who else used the machine meanwhile."""
import os
import pathlib
import time

TICK = os.sysconf("SC_CLK_TCK")
PROC = pathlib.Path("/proc")


def _stat(pid):
    """The fields of /proc/PID/stat behind the name, or None where the process is gone."""
    try:
        return (PROC / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None


def tree(root):
    """A process and every process below it."""
    parents = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit() and (fields := _stat(entry.name)):
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, todo = [], [root]
    while todo:
        pid = todo.pop()
        found.append(pid)
        todo += parents.get(pid, [])
    return found


def cpu_seconds(root):
    """User and system time of a process and those below it, children that have ended included."""
    total = 0
    for pid in tree(root):
        if fields := _stat(pid):
            total += sum(int(value) for value in fields[11:15])
    return total / TICK


def busy_seconds():
    """Busy time of the whole machine, stolen time included."""
    values = [int(value) for value in (PROC / "stat").read_text().splitlines()[0].split()[1:9]]
    return (sum(values) - values[3] - values[4]) / TICK


def resident_kilobytes(root):
    """Resident memory of a process and those below it; shared pages count in each."""
    total = 0
    for pid in tree(root):
        try:
            for line in (PROC / str(pid) / "status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    total += int(line.split()[1])
        except OSError:
            continue
    return total


def descriptors(pid):
    """How many descriptors a process has open."""
    return len(os.listdir(PROC / str(pid) / "fd"))


class Meter:
    """CPU of the program under test, of PostgreSQL and of the load around one run.

    What is left of the machine's busy time is `others`: the share that something foreign took.
    """

    def __init__(self, program, postgres=None, helpers=()):
        self.program, self.postgres, self.helpers = program, postgres, helpers
        self.start = self._read()

    def _read(self):
        own = os.times()
        helpers = sum(cpu_seconds(pid) for pid in self.helpers)
        return (cpu_seconds(self.program) if self.program else 0.0,
                cpu_seconds(self.postgres) if self.postgres else 0.0,
                helpers + own.user + own.system + own.children_user + own.children_system,
                busy_seconds(), time.monotonic())

    def stop(self):
        """Seconds of `server`, `postgres` and `load`, and `others` as a share of the machine."""
        server, postgres, load, busy, wall = (b - a for a, b in zip(self.start, self._read()))
        others = max(0.0, busy - server - postgres - load) / wall / os.cpu_count()
        return {"server": server, "postgres": postgres, "load": load, "others": others}
