#!/usr/bin/python3
"""kotlin: compiles the Kotlin client, and runs its cases against a demo of their own.

Usage: Tests/Browser/kotlin.py [PROGRAM]
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import purchase  # noqa: E402


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(purchase.ROOT / ".build/debug/sallyport")
    shop = purchase.Shop(program)
    try:
        authority = shop.folder / "var/development/authority.pem"
        places = {"WEB": shop.web, "LINK": shop.link, "SIM": shop.simulator, "CA": str(authority)}
        done = subprocess.run([purchase.ROOT / "clients/kotlin/build", "test"], env={**os.environ, **places}, check=False)
        # Money is counted at the provider.
        paid = [session for session, _ in shop.completes()]
        if len(paid) != len(set(paid)) or not paid:
            sys.exit(f"error: completions with an effect: {paid}")
    finally:
        shop.stop()
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
