#!/usr/bin/python3
"""kotlin: compiles the Kotlin client, and runs its cases against a demo of each profile, with examples/server/shop.py over its /v1.

Usage: Tests/Clients/kotlin.py [PROGRAM]
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
import demo  # noqa: E402


def cases(program, profile, word):
    """Runs all cases; returns what is wrong, or nothing."""
    # All cases buy from one address, at once: the share of one in the account's limits is not what they are about.
    shop = demo.Shop(program, {"PROFILE": profile, "MERCHANT_API": "true", "SIMULATOR_QUOTA": "none"})
    merchant = None
    try:
        merchant = demo.Merchant(program, shop)
        places = {"WEB": shop.web, "LINK": shop.link, "SIM": shop.simulator, "CA": str(shop.authority), "PROFILE": profile, "SHOP": merchant.url}
        done = subprocess.run([demo.ROOT / "clients/kotlin/build", word], env={**os.environ, **places}, stdout=subprocess.PIPE, text=True, check=False)
        print(done.stdout, end="", flush=True)
        said = re.search(r"^(\d+) purchases$", done.stdout, re.MULTILINE)
        # Money is counted at the provider: one completion for each session, and for each purchase that a case has seen paid.
        paid = [session for session, _ in shop.completes()]
        if done.returncode != 0:
            return f"{profile}: cases failed"
        if not said or len(paid) != len(set(paid)) or len(paid) != int(said[1]) or not paid:
            return f"{profile}: {said and said[0]}, but completions with an effect: {paid}"
        print(f"kotlin: {profile}: {len(paid)} purchases, {len(paid)} completions", flush=True)
        return None
    finally:
        if merchant:
            merchant.stop()
        shop.stop()


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(demo.ROOT / ".build/debug/sallyport")
    wrong = [problem for profile, word in (("standard", "test"), ("strict", "again")) if (problem := cases(program, profile, word))]
    for problem in wrong:
        print(f"error: {problem}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
