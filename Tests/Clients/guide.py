#!/usr/bin/python3
"""guide: builds the programs of docs/mobile-guide.md as they stand there, and buys with them in a demo.

Usage: Tests/Clients/guide.py [PROGRAM]
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
from demo import ROOT, Shop  # noqa: E402

BUNDLE = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
# What the guide does to the whole machine, this does to the program alone: another list of authorities lies over the system's.
TRUSTING = 'mount --bind "$0" ' + str(BUNDLE) + ' && exec stdbuf -oL "$@"'


def blocks(text):
    """The code of the guide by the path in its first line; commands are a list."""
    files, commands = {}, []
    for language, code in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        title = re.match(r"// (buy/\S+)\n", code)
        if title:
            files[title[1]] = code[title.end():]
        elif language == "sh":
            commands.append(code)
    return files, commands


def run(words, folder, **more):
    subprocess.run(words, cwd=folder, check=True, **more)


def buy(shop, words, folder):
    """Takes a program through a purchase, a replay and a link of somebody else."""
    # A program that says nothing is ended: then its lines end, too.
    program = subprocess.Popen(["timeout", "120", *words], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    try:
        launch = program.stdout.readline().strip()
        places = {**os.environ, "SIM": shop.simulator, "CA": str(shop.authority)}
        link = subprocess.run([ROOT / "scripts/play-tab", launch], env=places, check=True, capture_output=True, text=True).stdout.strip()
        swapped = link.replace(re.search(r"old_\w+=(swa_\w)", link)[1], "swa_" + ("B" if "=swa_A" in link else "A"))
        for line, said in [(swapped, "other"), (link, "paid"), (link, "replayed"), ("https://example.com/", "refused")]:
            program.stdin.write(line + "\n")
            answer = program.stdout.readline().strip()
            if said not in answer.lower():
                sys.exit(f"error: {words[-1]}: {answer!r} has no {said!r}")
        program.stdin.close()
        if program.wait(60) != 0:
            sys.exit(f"error: {words[-1]} ended with {program.returncode}")
    finally:
        program.kill()


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / ".build/debug/sallyport")
    files, commands = blocks((ROOT / "docs/mobile-guide.md").read_text())
    kotlin = next(code for code in commands if "kotlinc" in code)
    shop = Shop(program)
    try:
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            (folder / "sallyport").symlink_to(ROOT)
            for name, code in files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                code = code.replace("https://localhost:8443", shop.web).replace("https://links.localhost:8443", shop.link)
                (folder / name).write_text(code)
            trusted = folder / "trusted.pem"
            trusted.write_text(BUNDLE.read_text() + shop.authority.read_text())
            built = ROOT / ".build/guide"
            run(["swift", "build", "--scratch-path", built], folder / "buy")
            unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
            buy(shop, [*unshare, "sh", "-c", TRUSTING, trusted, built / "debug/buy"], folder)
            *steps, last = kotlin.replace("../sallyport/var/development/authority.pem", str(shop.authority)).strip().splitlines()
            for step in steps:
                run(["sh", "-ec", step], folder / "buy")
            buy(shop, shlex.split(last), folder / "buy")
        paid = shop.completes()
        if len(paid) != 2 or len({session for session, _ in paid}) != 2:
            sys.exit(f"error: completions with an effect: {paid}")
    finally:
        shop.stop()
    print("guide: 2 programs bought")


if __name__ == "__main__":
    main()
