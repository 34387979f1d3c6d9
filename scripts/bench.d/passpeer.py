"""One pass library: makes passes of a template's images for some seconds, prints how many and the CPU seconds; run in its own venv.

    passpeer.py MODULE TEMPLATE CERTIFICATE KEY INTERMEDIATE SECONDS OUTPUT
"""
import importlib
import io
import json
import os
import pathlib
import sys
import time


def make(models, template, files, number, names):
    """A pass like the server's, with the same texts, images and languages."""
    source = json.loads(json.dumps(template).replace("{{memberId}}", f"M{number:08}").replace("{{name}}", f"Member {number}"))
    card = models.StoreCard()
    card.addPrimaryField("points", number, "POINTS")
    card.addSecondaryField("name", f"Member {number}", "MEMBER")
    card.addBackField("no", f"M{number:08}", "MEMBER_NUMBER")
    card.addBackField("terms", "TERMS_TEXT", "TERMS")
    made = models.Pass(card, passTypeIdentifier=source["passTypeIdentifier"], organizationName=source["organizationName"],
                       teamIdentifier=source["teamIdentifier"])
    made.serialNumber, made.description = f"S{number}", source["description"]
    made.webServiceURL, made.authenticationToken = "https://shop.example/wallet", "x" * 32
    made.barcode = models.Barcode(message=f"M{number:08}")
    for name, data in files.items():
        made.addFile(name, io.BytesIO(data))
    return made.create(*names, None).getvalue()


def main():
    module, template, certificate, key, intermediate, seconds, output = sys.argv[1:]
    models, folder = importlib.import_module(f"{module}.models"), pathlib.Path(template)
    source = json.loads((folder / "pass.json").read_text())
    # As a shop has them in memory.
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "pass.json"}
    pathlib.Path(output).write_bytes(make(models, source, files, 0, (certificate, key, intermediate)))
    count, start, used = 0, time.monotonic(), os.times()
    while time.monotonic() - start < float(seconds):
        count += 1
        make(models, source, files, count, (certificate, key, intermediate))
    spent = [b - a for a, b in zip(used, os.times())]
    print(json.dumps({"n": count, "cpu": sum(spent[:4])}))


if __name__ == "__main__":
    main()
