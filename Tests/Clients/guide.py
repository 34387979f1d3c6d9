#!/usr/bin/python3
"""guide: builds the programs of docs/mobile-guide.md as they stand there, and buys with them in a demo.

Usage: Tests/Clients/guide.py [PROGRAM]
"""
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
from demo import ROOT, Shop, free_ports  # noqa: E402

BUNDLE = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
# What the guide does to the whole machine, this does to the program alone: another list of authorities lies over the system's.
TRUSTING = 'mount --bind "$0" ' + str(BUNDLE) + ' && exec stdbuf -oL "$@"'


def blocks(text):
    """The code of the guide by the path in its first comments; commands are a list."""
    files, commands = {}, []
    for language, code in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        title = re.match(r"(?://.*\n)?// (buy/\S+)\n", code)
        if title:
            files[title[1]] = code
        elif language == "sh":
            commands.append(code)
    return files, commands


def run(words, folder):
    subprocess.run(words, cwd=folder, check=True)


class Running:
    """A program of the guide. One that says nothing for five minutes is ended: then its lines end, too."""

    def __init__(self, words, folder):
        self.process = subprocess.Popen(["timeout", "300", *words], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def line(self):
        return self.process.stdout.readline().strip()

    def say(self, line):
        self.process.stdin.write(line + "\n")
        return self.line()

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)

    def end(self):
        self.process.stdin.close()
        return self.process.wait(60)


def buy_once(shop, words, folder):
    """Takes the program with which the guide opens through its purchase."""
    program = Running(words, folder)
    try:
        places = {**os.environ, "SIM": shop.simulator, "CA": str(shop.authority)}
        link = subprocess.run([ROOT / "scripts/play-tab", program.line()], env=places, check=True, capture_output=True, text=True).stdout.strip()
        if "paid" not in (answer := program.say(link)).lower():
            sys.exit(f"error: {words[-1]}: {answer!r} is not paid")
        if (status := program.end()) != 0:
            sys.exit(f"error: {words[-1]} ended with {status}")
    finally:
        program.process.kill()


def buy(shop, words, folder, dies=False):
    """Takes a program through a link of somebody else, the purchase and a replay; where it keeps its checkout, behind a declined card and a death in the tab."""
    name = words[-1]
    program = Running(words, folder)
    try:
        launch = program.line()
        places = {**os.environ, "SIM": shop.simulator, "CA": str(shop.authority)}
        tab = [ROOT / "scripts/play-tab"]
        if dies:
            refused = subprocess.run([*tab, launch], env={**places, "CARD": "card-3434"}, capture_output=True, text=True)
            line = program.say("?")
            if "no return link" not in refused.stderr or "declined" not in line.lower():
                sys.exit(f"error: {name}: {refused.stderr!r}, then {line!r} after a declined card")
            launch = program.say("")
            program.interrupt()
            program = Running(words, folder)
            if "intab" not in (line := program.line()).lower():
                sys.exit(f"error: {name}: {line!r} after its end")
        link = subprocess.run([*tab, launch], env=places, check=True, capture_output=True, text=True).stdout.strip()
        first, last = re.search(r"old_\w+=swa_(.).*?(.)&", link).regs[1:]
        forged = [link[:at] + ("B" if link[at] == "A" else "A") + link[at + 1:] for at, _ in (first, last)]
        lines = [(forged[0], "othersession"), (forged[1], "othercheckout"), (link, "paid"), (link, "replayed"), ("https://example.com/", "foreignhost")]
        for line, said in lines:
            answer = program.say(line)
            if said not in answer.lower().replace("_", ""):
                sys.exit(f"error: {name}: {answer!r} has no {said!r}")
        if (status := program.end()) != 0:
            sys.exit(f"error: {name} ended with {status}")
    finally:
        program.process.kill()


def serve(program, shop, port, code, folder):
    """The server of the guide; what listens elsewhere and lies elsewhere here is put in."""
    places = {"https://localhost:8443": shop.web, "var/development/authority.pem": str(shop.authority), "PORT=8097": f"PORT={port}",
              "var/shop.json": str(folder / "shop.json"), ".build/release/sallyport": program, "SALLYPORT_URL=": "exec env SALLYPORT_URL="}
    for here, there in places.items():
        if here not in code:
            sys.exit(f"error: the guide's server has no {here}")
        code = code.replace(here, there)
    environment = {**os.environ, "SALLYPORT_DATA_DIR": str(shop.folder / "var")}
    server = subprocess.Popen(["sh", "-ec", code], cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
    if "ready on port" not in (line := server.stderr.readline()):
        sys.exit(f"error: the guide's server does not start: {line}")
    return server


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / ".build/debug/sallyport")
    files, commands = blocks((ROOT / "docs/mobile-guide.md").read_text())
    kotlin = next(code for code in commands if "kotlinc" in code)
    shop, server = Shop(program), None
    port = free_ports(1)[0]
    try:
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            (folder / "sallyport").symlink_to(ROOT)
            for name, code in files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                code = code.replace("https://localhost:8443", shop.web).replace("https://links.localhost:8443", shop.link)
                (folder / name).write_text(code.replace("127.0.0.1:8097", f"127.0.0.1:{port}"))
            trusted = folder / "trusted.pem"
            trusted.write_text(BUNDLE.read_text() + shop.authority.read_text())
            server = serve(program, shop, port, next(code for code in commands if "shop.py" in code), folder)
            built = ROOT / ".build/guide"
            run(["swift", "build", "--scratch-path", built], folder / "buy")
            buy_once(shop, ["stdbuf", "-oL", built / "debug/first"], folder)
            unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
            buy(shop, [*unshare, "sh", "-c", TRUSTING, trusted, built / "debug/page"], folder)
            buy(shop, ["stdbuf", "-oL", built / "debug/own"], folder, dies=True)
            *steps, first, page, own = kotlin.replace("../sallyport/var/development/authority.pem", str(shop.authority)).strip().splitlines()
            for step in steps:
                run(["sh", "-ec", step], folder / "buy")
            buy_once(shop, shlex.split(first), folder / "buy")
            buy(shop, shlex.split(page), folder / "buy")
            buy(shop, shlex.split(own), folder / "buy", dies=True)
        paid = shop.completes()
        if len(paid) != 6 or len({session for session, _ in paid}) != 6:
            sys.exit(f"error: completions with an effect: {paid}")
    finally:
        if server:
            server.kill()
        shop.stop()
    print("guide: 6 programs bought")


if __name__ == "__main__":
    main()
