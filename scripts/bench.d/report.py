"""Medians, ratios, tables."""
import json
import os
import pathlib
import platform
import re
import statistics

# Above this share of the machine taken by others, a figure is marked.
FOREIGN = 0.08
DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/performance.md"


def middle(values):
    """Median and half of the range, the latter as a share of the former."""
    median = statistics.median(values)
    return median, ((max(values) - min(values)) / 2 / median if median else 0.0)


def with_range(values, digits):
    median, spread = middle(values)
    return f"{median:,.{digits}f} ±{spread:.0%}"


def machine_line():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        names = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
    return f"{os.cpu_count()} cores ({names[0] if names else platform.machine()}), Linux {platform.release()}"


def ratio(ours, theirs, key):
    """Ours divided by theirs, round by round; the median, with half of the range."""
    pairs = [(a[key], b[key]) for a, b in zip(ours, theirs) if b[key]]
    if not pairs or not any(a for a, _ in pairs):
        return "–"
    median, spread = middle([a / b for a, b in pairs])
    return f"{median:.2f} ±{spread * median:.2f}"


def comparison(samples):
    """The table of all cases: a row for each case, connections and program; ratios stand beside who is compared with.

    `samples` maps (case, connections, who) to the figures of each round.
    """
    lines = ["| case | conns | program | req/s | p50 ms | p99 ms | p99.9 ms | server µs | PostgreSQL µs | others "
             "| our req/s ÷ theirs | our CPU ÷ theirs |", "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for (case, connections, who), rounds in samples.items():
        def cell(key, digits=1, own=rounds):
            values = [one[key] for one in own]
            return with_range(values, digits) if any(values) else "–"
        others = statistics.median(one["others"] for one in rounds)
        tail = [f"{statistics.median(one[key] for one in rounds):.2f}" for key in ("p50", "p99", "p999")]
        ours = samples.get((case, connections, "sallyport"))
        compared = ["", ""]
        if ours and who != "sallyport":
            # Against pgbench it is PostgreSQL's CPU that can be compared.
            key = "server" if any(one["server"] for one in rounds) else "postgres"
            compared = [ratio(ours, rounds, "rate"), ratio(ours, rounds, key)]
        mark = " (!)" if others > FOREIGN else ""
        lines.append(" | ".join(["| " + case, str(connections), who + mark, cell("rate", 0), *tail, cell("server"),
                                 cell("postgres"), f"{others:.0%}", *compared]) + " |")
    return "\n".join(lines)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def write_json(path, value):
    pathlib.Path(path).write_text(json.dumps(value, indent=1) + "\n")


def write_docs(name, text):
    """Replaces the block of docs/performance.md between `<!-- bench NAME -->` and `<!-- end NAME -->`."""
    page = DOCS.read_text()
    block = re.compile(rf"(<!-- bench {name} -->\n).*?(<!-- end {name} -->)", re.S)
    if not block.search(page):
        raise RuntimeError(f"{DOCS} has no block {name}")
    DOCS.write_text(block.sub(lambda match: f"{match.group(1)}{text.strip()}\n{match.group(2)}", page))
