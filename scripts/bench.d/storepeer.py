"""Apple's library for Python: verifies texts for some seconds, prints how many and the CPU seconds; run where the library is found.

    storepeer.py ROOT TEXTS SECONDS chain|cache

chain: certificates and signature of each text, without a question to Apple. cache: as with questions to Apple, whose answers it has: the
certificates are verified once.
"""
import json
import os
import pathlib
import sys
import time

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
from storeapp import BUNDLE


def main():
    root, texts, seconds, how = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    header, *lines = texts.read_text().splitlines()
    signed = [f"{header}.{line.split()[1]}" for line in lines[:2_000]]
    verifier = SignedDataVerifier([root.read_bytes()], how == "cache", Environment.SANDBOX, BUNDLE)
    if how == "cache":
        chain = json.loads((root.parent / "chain.json").read_text())
        checked = verifier._chain_verifier  # pylint: disable=protected-access
        checked.put_verified_public_key(chain, checked.verify_chain(chain, False, int(time.time())))
    count, start, used = 0, time.monotonic(), os.times()
    while time.monotonic() - start < seconds:
        verifier.verify_and_decode_signed_transaction(signed[count % len(signed)])
        count += 1
    spent = [b - a for a, b in zip(used, os.times())]
    print(json.dumps({"n": count, "cpu": spent[0] + spent[1]}))


if __name__ == "__main__":
    main()
