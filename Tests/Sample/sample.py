#!/usr/bin/env python3
"""sample: adds the feature of Tests/Sample/tree to a copy of the sources, and drives it over sockets; then starts the program with some of
its features only.

The copy differs in two files of the program: Package.swift, and the list of features. It is built in FOLDER, which is kept for the next
run. Root has it mounted in the place of the sources, for this program alone, so that what is built of them need not be built again. Usage: Tests/Sample/sample.py [--subsets] [--kills N] [FOLDER]
"""
import argparse
import http.client
import json
import os
import pathlib
import random
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import uuid
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIST = "Sources/Program/Program/FeatureList.swift"
sys.path[:0] = [str(ROOT / "scripts/bench.d"), str(ROOT / "Tests/Support")]
from demo import free_ports  # noqa: E402
from postgres import Postgres  # noqa: E402

# File, what stands there once, and what stands behind it then.
EDITS = [
    ("Package.swift", '            part("SecurityText",', '            part("Notes"),\n'),
    ("Package.swift", '            part("AmazonPaySimulator",', '            part("StampSimulator", ["SimulatorCore"]),\n'),
    ("Package.swift", '                    "AmazonPaySimulator", "PushSimulator", "AppleSimulator", "CBuild",', '                    "Notes", "StampSimulator",\n'),
    (LIST, "import SecurityText\n", "import Notes\nimport StampSimulator\n"),
    (LIST, "MerchantFeature.self", None),
    (LIST, "SimulatedAmazonPay.self", None),
]
INSIDE = {"MerchantFeature.self": ", Notes.self", "SimulatedAmazonPay.self": ", StampOffice.self"}


# Of 2020: what something happens to may be of any age.
BOARD = "016f5e66-e800-7000-8000-000000000001"


def fail(text):
    sys.exit(f"sample: {text}")


def expect(found, wanted, what):
    if found != wanted:
        fail(f"{what}: {found!r} in place of {wanted!r}")


def run(words, **more):
    done = subprocess.run(words, capture_output=True, text=True, **more)
    if done.returncode:
        fail(f"{' '.join(map(str, words))}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def lay_out(tree):
    """A copy of the sources with the feature in it; what has not changed keeps its time, so that it is not built again."""
    names = [n for n in run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"]).splitlines() if (ROOT / n).is_file()]
    changed = {}
    for file, mark, before in EDITS:
        text = changed.get(file, (ROOT / file).read_text())
        if text.count(mark) != 1:
            fail(f"{file} does not have {mark!r} once")
        changed[file] = text.replace(mark, mark + INSIDE[mark] if before is None else before + mark)
    wanted = {name: (ROOT / name).read_bytes() for name in names}
    for path in sorted((HERE / "tree").rglob("*")):
        if path.is_file():
            name = str(path.relative_to(HERE / "tree"))
            if name in wanted:
                fail(f"{name} is there already")
            wanted[name] = path.read_bytes()
    wanted.update({file: text.encode() for file, text in changed.items()})
    for old in (p for p in tree.rglob("*") if p.is_file() and ".build" not in p.parts):
        if str(old.relative_to(tree)) not in wanted:
            old.unlink()
    for name, content in wanted.items():
        path = tree / name
        if path.exists() and path.read_bytes() == content:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if (ROOT / name).exists():
            shutil.copystat(ROOT / name, path)
        if name in changed:
            os.utime(path)
    lines = sum(len(p.read_text().splitlines()) for p in (HERE / "tree").rglob("*") if p.is_file())
    if lines >= 500:
        fail(f"the feature has {lines} lines")
    print(f"sample: {lines} lines, {len({file for file, _, _ in EDITS})} files edited")


def stand_in_place(tree):
    """Runs this program again where the copy stands in the place of the sources, with what is built of them; a build is good for one place only."""
    if os.geteuid() != 0 or not (ROOT / ".build/debug").exists() or subprocess.run(["unshare", "--mount", "true"]).returncode:
        return
    if not (tree / ".build").exists():
        run(["cp", "-a", ROOT / ".build", tree / ".build"])
    mount = 'mount --bind "$0" "$1" && cd "$1" && shift && exec "$@"'
    words = ["unshare", "--mount", "sh", "-c", mount, tree, ROOT, sys.executable, "Tests/Sample/sample.py", *sys.argv[1:], "--in-place"]
    os.execvp(words[0], [str(word) for word in words])


def wait_for(is_so, what, seconds=60):
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            fail(f"{what}: not within {seconds} s")
        time.sleep(0.2)


class Demo:
    """The program of the copy, as `demo`, on ports of its own."""

    def __init__(self, tree, folder):
        self.program, self.folder = tree / ".build/debug/sallyport", pathlib.Path(folder)
        names = ("LISTEN", "ADMIN_LISTEN", "SIMULATOR_LISTEN", "STAMPS_LISTEN")
        self.ports = dict(zip(names, free_ports(len(names))))
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("SALLYPORT_")},
            **{f"SALLYPORT_{name}": f"127.0.0.1:{port}" for name, port in self.ports.items()},
            "SALLYPORT_REDIRECT_LISTEN": "", "SALLYPORT_DATA_DIR": str(folder / "data"),
            "SALLYPORT_PUBLIC_DIR": str(tree / "public"), "SALLYPORT_MIGRATIONS_DIR": str(tree / "migrations"),
        }
        self.stamps = f"http://127.0.0.1:{self.ports['STAMPS_LISTEN']}"
        self.web = f"https://localhost:{self.ports['LISTEN']}"
        self.log = open(folder / "log", "w+")
        self.child = subprocess.Popen([self.program, "demo"], env=self.environment, stdout=self.log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 240
        while "ready https" not in (text := (folder / "log").read_text()):
            if self.child.poll() is not None or time.monotonic() > deadline:
                fail(f"the demo did not come up:\n{text[-4000:]}")
            time.sleep(0.2)

    def command(self, *words):
        return run([self.program, *words], env=self.environment)

    def curl(self, path, *words):
        """Status and content."""
        authority = self.folder / "data/development/authority.pem"
        text = run(["curl", "-sS", "--cacert", authority, "-w", "\n%{http_code}", *words, self.web + path])
        content, status = text.rsplit("\n", 1)
        return int(status), content

    def stop(self):
        self.child.terminate()
        return self.child.wait(60)


def drive(demo):
    routes = demo.command("routes")
    for row in ("GET   /notes/{note}", "POST  /notes/{note}", "POST  /v1/notes/{board}", "GET   /app/v1/notes"):
        expect(row in routes, True, f"`routes` has {row}")
    expect("notes                " in demo.command("--help"), True, "`--help` has the command")
    expect("SALLYPORT_NOTES_KEEP" in demo.command("help", "settings"), True, "`help settings` has the setting")
    expect("notes.keep = 720h" in demo.command("serve", "--print-config"), True, "--print-config has it, too")
    expect("notes/0001_note.sql applied" in demo.command("migrate", "--status"), True, "the migration is applied")

    key = demo.command("keys", "create", "--name", "writer", "--scopes", "notes:write,events:read").strip()
    other = demo.command("keys", "create", "--name", "reader", "--scopes", "events:read").strip()
    bearer = ("-H", f"Authorization: Bearer {key}")
    status, content = demo.curl("/v1/notes/" + BOARD, "-d", "x")
    expect((status, json.loads(content)["code"]), (401, "unauthenticated"), "without a key, as a problem")
    expect(demo.curl("/v1/notes/" + BOARD, "-H", f"Authorization: Bearer {other}", *note_fields("x"))[0], 403, "with a key for something else")
    expect(demo.curl("/v1/notes/" + BOARD, *bearer, "-d", "x")[0], 415, "a form")
    first = note_fields("Tea is ready <3")
    status, content = demo.curl("/v1/notes/" + BOARD, *bearer, *first)
    expect(status, 201, "a note")
    note = json.loads(content)["id"]
    expect(demo.curl("/v1/notes/" + BOARD, *bearer, *first), (201, content), "the same again for a repeat")
    expect(demo.curl("/v1/notes/" + BOARD, *bearer, *first[:-1], '{"text":"another"}')[0], 422, "another note under its key")
    expect(demo.curl("/v1/notes/" + BOARD, *bearer, *note_fields("x", size=16_384))[0], 201, "16 KB from a merchant")
    expect(demo.curl("/v1/notes/" + BOARD, *bearer, *note_fields("x", size=16_385))[0], 413, "more")
    document = json.loads(demo.curl("/v1/openapi.json")[1])["paths"]
    expect("/v1/notes/{board}" in document and "/v1/sessions" in document, True, "the description of all features")

    jar = str(demo.folder / "jar")
    english = ("-b", jar, "-c", jar, "-H", "Accept-Language: en")
    status, page = demo.curl(f"/notes/{note}", *english)
    expect((status, "A note from the shop" in page, "Tea is ready &lt;3 (oval)" in page, "before" in page), (200, True, True, False), "the page")
    expect("You have read this note before." in demo.curl(f"/notes/{note}", *english)[1], True, "the cookie")
    expect("お店からのメモ" in demo.curl(f"/notes/{note}")[1], True, "the page in Japanese")
    expect(demo.curl("/notes/nobody")[0], 404, "no note")
    expect(demo.curl(f"/notes/{note}", "-d", "text=" + "x" * 1_020)[0], 413, "a long reply")
    expect(demo.curl(f"/notes/{note}", "-H", "Origin: https://evil.example", "-d", "text=x")[0], 403, "a reply from another site's page")
    expect(demo.curl(f"/notes/{note}", "-d", "text=x&text=y")[0], 400, "a field that comes twice")
    expect(demo.curl(f"/notes/{note}", "-d", "text=Thanks")[0], 204, "a reply")
    status, page = demo.curl(f"/notes/{note}", "-H", "Accept-Language: en", "-d", "text=Again")
    expect((status, "There is a reply" in page), (409, True), "another reply")
    # One comes back every six seconds, so no machine is too slow to run into it.
    expect(any(demo.curl(f"/notes/{note}", "-d", "text=Again")[0] == 429 for _ in range(100)), True, "too many replies")

    secret = (demo.folder / "data/development/merchant.secret").read_bytes()
    keys = demo.folder / "keys"
    keys.touch(0o600)
    keys.write_text(f"1 {secret.hex()}\n2 {os.urandom(32).hex()}\n")
    demo.environment["SALLYPORT_MERCHANT_SECRET_FILE"] = str(keys)
    for resealed in (1, 0):
        report = [json.loads(line) for line in demo.command("reseal").splitlines() if line.startswith("{")]
        expect(report[-1], {"column": "shop_note.reply", "values": 1, "resealed": resealed, "left": 0}, "the reply, sealed anew")
    del demo.environment["SALLYPORT_MERCHANT_SECRET_FILE"]

    events = json.loads(demo.curl("/v1/events", *bearer)[1])["data"]
    told = [(e["type"], e["subject"], e["sequence"], e["data"]) for e in events if e["type"].startswith("note.")]
    expect(told[0], ("note.written", {"kind": "board", "id": BOARD}, 1, {"note": note}), "the event")
    expect(len(told), 2, "events")

    wait_for(lambda: demo.command("notes").strip() == "2", "both are counted")
    drive_person(demo)
    report = demo.command("doctor", "--demo", "--online", "--json")
    checks = {finding["check"]: finding["message"] for finding in json.loads(report)["findings"]}
    expect(checks.get("N02"), "The stamp is oval.", "the online check")
    expect(checks.get("D73"), None, "what keeps phones with cards away")
    demo.environment["SALLYPORT_NOTES_KEEP"] = "1h"
    checks = {finding["check"] for finding in json.loads(demo.command("doctor", "--demo", "--json"))["findings"]}
    expect("N01" in checks, True, "the offline check")


def drive_person(demo):
    """A note on the board of an account is exported and erased with it; the staff has a page."""
    key = demo.command("keys", "create", "--name", "person", "--scopes", "notes:write,accounts:read,accounts:write").strip()
    bearer = ("-H", f"Authorization: Bearer {key}")
    status, content = demo.curl("/v1/accounts", *bearer, "--json", '{"externalId":"customer-1"}')
    account = json.loads(content)["id"]
    expect(status, 201, "an account")
    note = json.loads(demo.curl("/v1/notes/" + account, *bearer, *note_fields("For you"))[1])["id"]
    app = drive_app(demo, bearer, account)
    export = json.loads(demo.curl(f"/v1/accounts/{account}/export", *bearer)[1])
    expect("For you (oval)" in str(export), True, f"the export: {export}")
    status, content = demo.curl(f"/v1/accounts/{account}", *bearer, "-X", "DELETE")
    report = {"feature": "notes", "outcome": "erased", "erased": [{"kind": "notes", "count": 1}]}
    expect((status, report in json.loads(content)["features"]), (200, True), f"the report: {content}")
    expect("For you" in demo.curl(f"/notes/{note}")[1], False, "the note of a person who is erased")
    expect(demo.curl("/app/v1/account", *app)[0], 401, "the app of a person who is erased")
    wait_for(lambda: demo.command("notes").strip() == "3", "it is counted all the same")

    admin, jar = f"http://localhost:{demo.ports['ADMIN_LISTEN']}", str(demo.folder / "staff")
    name, key = (demo.folder / "data/development/operators.secret").read_text().splitlines()[0].removeprefix("# The key of ").rsplit(": ", 1)
    curl = ["curl", "-sS", "-L", "-b", jar, "-c", jar, "-H", f"Origin: {admin}", "-H", "Accept-Language: en"]
    page = run([*curl, "--data-urlencode", f"name={name}", "--data-urlencode", f"key={key}", "-d", "next=/console/notes", f"{admin}/console/sign-in"])
    expect("<p>3</p>" in page, True, f"the page of the staff:\n{page}")


def drive_app(demo, bearer, account):
    """An app reads the notes of its account with a token, and no others; gives what it shows."""
    def token(account, wish="{}"):
        status, content = demo.curl(f"/v1/accounts/{account}/tokens", *bearer, "--json", wish)
        expect(status, 201, f"a token: {content}")
        return ("-H", "Authorization: Bearer " + json.loads(content)["token"])
    app = token(account)
    expect(json.loads(demo.curl("/app/v1/account", *app)[1])["id"], account, "whom the app speaks for")
    status, content = demo.curl("/app/v1/notes", *app)
    expect((status, json.loads(content)), (200, {"notes": ["For you (oval)"]}), "the notes of the app's account")
    other = json.loads(demo.curl("/v1/accounts", *bearer, "--json", '{"externalId":"customer-2"}')[1])["id"]
    stranger = token(other, '{"scopes":["notes"],"lifetime":60}')
    expect(json.loads(demo.curl("/app/v1/notes", *stranger)[1]), {"notes": []}, "the notes of another account")
    expect(demo.curl("/app/v1/notes", *bearer)[0], 401, "a key in place of a token")
    expect(demo.curl("/v1/notes/" + account, *app, *note_fields("x"))[0], 401, "a token in place of a key")
    expect(demo.curl("/app/v1/notes", *app, "-H", "Origin: null")[0], 403, "a token in a browser")
    expect(demo.curl("/app/v1/token", *stranger, "-X", "DELETE")[0], 200, "signing out")
    expect(demo.curl("/app/v1/account", *stranger)[0], 401, "a token after that")
    document = json.loads(demo.curl("/v1/openapi.json")[1])["paths"]
    expect(document["/app/v1/notes"]["get"]["security"], [{"token": ["notes"]}], "the description of the app's route")
    return app


def note_fields(text, size=0):
    """What curl sends a note with, under a word of its own, in at least so many bytes."""
    return ("-H", "Content-Type: application/json", "-H", f"Idempotency-Key: {uuid.uuid4()}", "-d", json.dumps({"text": text}).ljust(size))


class Subset:
    """The program as `serve`, with a database of its own and no settings but those given."""

    children = []

    def __init__(self, program, folder, database, **settings):
        self.program, self.folder = program, folder
        folder.mkdir()
        web, admin = free_ports(2)
        keys = folder.parent / "data/development"
        self.web, self.admin = f"https://localhost:{web}", f"http://127.0.0.1:{admin}"
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("SALLYPORT_")},
            "SALLYPORT_LISTEN": f"127.0.0.1:{web}", "SALLYPORT_ADMIN_LISTEN": f"127.0.0.1:{admin}", "SALLYPORT_REDIRECT_LISTEN": "",
            "SALLYPORT_WEB_BASE_URL": self.web, "SALLYPORT_LINK_BASE_URL": "https://link.localhost",
            "SALLYPORT_TLS_CERTIFICATE": str(keys / "server.pem"), "SALLYPORT_TLS_KEY": str(keys / "server.key"),
            "SALLYPORT_DATABASE_URL": database, "SALLYPORT_DATA_DIR": str(folder),
            "SALLYPORT_PUBLIC_DIR": str(program.parents[2] / "public"), "SALLYPORT_MIGRATIONS_DIR": str(program.parents[2] / "migrations"),
            **{f"SALLYPORT_{name}": str(value) for name, value in settings.items()},
        }
        self.authority = keys / "authority.pem"

    def command(self, *words, statuses=(0,)):
        done = subprocess.run([self.program, *words], env=self.environment, capture_output=True, text=True)
        if done.returncode not in statuses:
            fail(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def start(self):
        self.command("migrate")
        return self.serve()

    def serve(self):
        log = self.folder / "log"
        self.child = subprocess.Popen([self.program, "serve"], env=self.environment, stdout=open(log, "a"), stderr=subprocess.STDOUT)
        Subset.children.append(self.child)
        deadline = time.monotonic() + 60
        while self.status("/readyz", self.admin) != 200:
            if self.child.poll() is not None or time.monotonic() > deadline:
                fail(f"{self.folder.name} did not come up:\n{log.read_text()[-4000:]}")
            time.sleep(0.1)
        return log

    def status(self, path, base=None, *words):
        done = subprocess.run(["curl", "-s", "--cacert", self.authority, "-o", self.folder / "answer", "-w", "%{http_code}", *words,
                               (base or self.web) + path], capture_output=True, text=True)
        return int(done.stdout)

    def answer(self):
        return (self.folder / "answer").read_text()

    def ask(self, status, path, *words, base=None, bearer=None):
        """What is answered, as JSON; the status has to be the given one."""
        shown = ("-H", f"Authorization: Bearer {bearer}") if bearer else ()
        expect(self.status(path, base, *shown, *words), status, path)
        return json.loads(self.answer() or "{}")

    def customer(self, key, name, *scopes):
        """A new account and a token of it."""
        account = self.ask(201, "/v1/accounts", "--json", json.dumps({"externalId": name}), bearer=key)["id"]
        scopes = json.dumps({"scopes": scopes})
        token = self.ask(201, f"/v1/accounts/{account}/tokens", "-H", f"Idempotency-Key: {account}", "--json", scopes, bearer=key)["token"]
        return account, token

    def simulate(self, words, settings, control):
        """Starts a simulated system alone, for this program."""
        environment = {**self.environment, **{f"SALLYPORT_{name}": str(value) for name, value in settings.items()}}
        with open(self.folder / "simulator", "w") as log:
            child = subprocess.Popen([self.program, "simulators", *words], env=environment, stdout=log, stderr=subprocess.STDOUT)
        Subset.children.append(child)
        wait_for(lambda: self.status("/health", control) == 200, f"the simulated system of {self.folder.name}")
        return child

    def stop(self):
        self.child.terminate()
        expect(self.child.wait(60), 0, f"the end of {self.folder.name}")


ACCOUNT = {
    "PROVIDER_MERCHANT_ID": "A1EXAMPLE2MERCH", "PROVIDER_PUBLIC_KEY_ID": "SANDBOX-" + "A" * 24,
    "PROVIDER_STORE_ID": "amzn1.application-oa2-client.5a11e9047de7e10b3e0f57ee9a1d0f00",
}


def check_unknown_paths(subset):
    expect(subset.status("/healthz", subset.admin), 200, "health")
    expect(subset.status("/metrics", subset.admin), 200, "metrics")
    expect((subset.status("/nowhere"), "ページ" in subset.answer() or "<html" in subset.answer()), (404, True), "an unknown path")
    expect(subset.status("/v1/nowhere") in (401, 404), True, "an unknown path of programs")


def drive_subsets(tree, folder, cluster, stamps):
    """Each answers, has its tables, says what is off, and stops."""
    account = {**ACCOUNT, "PROVIDER_PRIVATE_KEY": folder / "data/development/merchant.key"}
    program = tree / ".build/debug/sallyport"

    def subset(name, **settings):
        database = name.lower().replace(" ", "_")
        run([f"{cluster.bin}/createdb", "-h", cluster.socket, "-U", "postgres", database])
        print(f"sample: {name}")
        return Subset(program, folder / database, cluster.uri(database), **settings)

    health = subset("Nothing but health")
    log = health.start()
    check_unknown_paths(health)
    expect(health.status("/browser/cart"), 404, "no cart")
    report = health.command("doctor")
    switched = "off; to switch it on, set provider.merchant_id"
    for line in (f"checkout: The feature is {switched}", "merchant: The feature is off, because checkout is off", "notes: The feature is off; to switch it on, set notes.stamp_url"):
        expect(line in report, True, f"the doctor says {line!r} of nothing:\n{report}")
    expect(switched in log.read_text(), True, "the start says what is off")
    health.stop()

    sample = subset("The sample alone", NOTES_STAMP_URL=stamps)
    sample.start()
    check_unknown_paths(sample)
    expect(sample.status("/notes/nobody"), 404, "no note")
    expect("notes/0001_note.sql applied" in sample.command("migrate", "--status"), True, "its migration")
    expect(sample.command("notes").strip(), "0", "its command")
    key = sample.command("keys", "create", "--name", "writer", "--scopes", "notes:write").strip()
    status = sample.status("/v1/notes/" + BOARD, None, "-H", f"Authorization: Bearer {key}", *note_fields("Tea is ready"))
    expect((status, "id" in json.loads(sample.answer())), (201, True), "a note of a merchant without Merchant")
    wait_for(lambda: sample.command("notes").strip() == "1", "its event is counted")
    expect(sample.status("/v1/openapi.json"), 200, "the description")
    document = json.loads(sample.answer())
    own = {path for path in document["paths"] if not path.startswith("/v1/accounts")}
    below = {"/v1/openapi.json", "/app/v1/account", "/app/v1/token"}
    expect(own - below, {"/v1/notes/{board}", "/app/v1/notes"}, "the description of its routes alone")
    sample.stop()

    drive_cards(subset, program, folder)
    drive_purchases(subset, program, folder)
    drive_devices(subset, program, folder)

    both = subset("Checkout and Merchant", MERCHANT_API="true", **account)
    both.start()
    check_unknown_paths(both)
    expect((both.status("/browser/cart"), both.status("/v1/events")), (200, 401), "the cart and the interface")
    both.stop()
    half = subset("Half of an account", PROVIDER_STORE_ID=account["PROVIDER_STORE_ID"])
    refused = half.command("serve", statuses=(2,))
    for name in ("merchant_id", "public_key_id", "private_key"):
        expect(f"provider.{name}: must be set" in refused, True, f"what is missing of {name}:\n{refused}")

    # Merchant cannot be switched off where there is an account, so this program has none.
    text = (tree / LIST).read_text()
    (tree / LIST).write_text(text.replace("import Merchant\n", "").replace(" MerchantFeature.self,", ""))
    build(tree)
    checkout = subset("Checkout without Merchant", **account)
    checkout.start()
    check_unknown_paths(checkout)
    expect((checkout.status("/browser/cart"), checkout.status("/v1/events")), (200, 404), "the cart and no interface")
    expect("merchant/" in checkout.command("migrate", "--status"), False, "no migration of Merchant")
    checkout.stop()


def drive_cards(subset, program, folder):
    """Cards without an account of Amazon: made, installed, changed, woken and fetched, removed. The other side is the push service alone."""
    service, control = free_ports(2)
    keys = folder / "data/development"
    simulated = f"http://127.0.0.1:{control}/_sim"
    cards = subset(
        "Wallet alone", WALLET_TEMPLATES=program.parents[2] / "examples/wallet/templates", WALLET_CERTIFICATES=keys / "passes/certificates",
        WALLET_PUSH_HOST=f"localhost:{service}", WALLET_PUSH_TRUST=keys / "authority.pem", MERCHANT_SECRET_FILE=keys / "merchant.secret",
    )
    address = {"PUSH_SIMULATOR_LISTEN": f"127.0.0.1:{service}", "PUSH_SIMULATOR_CONTROL": f"127.0.0.1:{control}", "DATA_DIR": folder / "data"}
    child = cards.simulate(["apple-push"], address, simulated)
    log = cards.start()
    check_unknown_paths(cards)
    expect(cards.status("/browser/cart"), 404, "no cart")
    # Nobody serves the links, so nothing is wrong with their host.
    report = json.loads(cards.command("doctor", "--json"))
    said = [f for f in report["findings"] if f["severity"] != "note"]
    expect(said, [], "what the doctor says of a shop without Amazon")

    key = cards.command("keys", "create", "--name", "shop", "--scopes", "wallet:read,wallet:write").strip()
    shop = ("-H", f"Authorization: Bearer {key}")
    ask, file = cards.ask, cards.folder / "answer"

    def points(number):
        return ask(200, f"/v1/wallet/members/{account}/points", *shop, "-H", f"Idempotency-Key: {uuid.uuid4()}", "--json", json.dumps({"add": number}))

    member = ask(201, "/v1/wallet/members", *shop, "--json", '{"externalId":"m-1","name":"山田 花子"}')
    account, serial, link = member["accountId"], member["serialNumber"], member["walletUrl"].removeprefix(cards.web)
    expect(cards.status(link), 200, "the link")
    card = cards.folder / "card.pkpass"
    file.rename(card)
    judged = cards.command("wallet", "check", str(card), "--trust", str(keys / "passes/root.pem"))
    expect(judged.strip(), f"{card}: conforms", "the card")

    # A phone by hand; the push service knows its token.
    with zipfile.ZipFile(card) as archive:
        face = json.loads(archive.read("pass.json"))
    passes, token = face["passTypeIdentifier"], face["authenticationToken"]
    phone = ("-H", f"Authorization: ApplePass {token}")
    device = f"/wallet/v1/devices/{uuid.uuid4().hex}/registrations/{passes}"
    ask(200, "/tokens", "-d", json.dumps({"tokens": ["aa11"], "topics": [passes]}), base=simulated)
    ask(201, f"{device}/{serial}", *phone, "-d", '{"pushToken":"aa11"}')
    before = ask(200, device)
    expect(before["serialNumbers"], [serial], "what the phone has")
    expect((points(0)["changed"], points(120)["devices"]), (False, 1), "phones to be woken")
    wait_for(lambda: any(call["token"] == "aa11" for call in ask(200, "/log", base=simulated)["entries"]), "the push")
    after = ask(200, f"{device}?passesUpdatedSince={before['lastUpdated']}")
    expect(after["serialNumbers"], [serial], "what has changed")
    ask(204, f"{device}?passesUpdatedSince={after['lastUpdated']}")
    expect(cards.status(f"/wallet/v1/passes/{passes}/{serial}", None, *phone), 200, "the new version")
    with zipfile.ZipFile(file) as archive:
        expect(json.loads(archive.read("pass.json"))["storeCard"]["primaryFields"][0]["value"], 120, "its points")

    # One of the simulator: it comes for the card by itself.
    number = ask(200, "/phones", "-d", "{}", base=simulated)["phones"][0]
    ask(200, f"/phones/{number}/add", "-d", json.dumps({"url": member["walletUrl"]}), base=simulated)
    expect(points(5)["devices"], 2, "phones to be woken")

    def shown():
        return ask(200, f"/phones/{number}", base=simulated)["cards"][0]["fields"]["points"]

    wait_for(lambda: shown() == "125", "the points on the phone")
    ask(200, f"{device}/{serial}", *phone, "-X", "DELETE")
    expect(ask(200, f"/v1/wallet/members/{account}", *shop)["state"], "installed", "a member with one phone left")
    ask(200, f"/phones/{number}/remove", "-d", json.dumps({"type": passes, "serial": serial}), base=simulated)
    wait_for(lambda: ask(200, f"/v1/wallet/members/{account}", *shop)["state"] == "removed", "a member without a phone")
    expect([m["accountId"] for m in ask(200, "/v1/wallet/members?state=removed", *shop)["data"]], [account], "the list of those")
    cards.stop()
    child.terminate()
    expect(child.wait(60), 0, "the end of the simulator")
    expect('"level":"error"' in log.read_text(), False, "an error in the log")


def drive_purchases(subset, program, folder):
    """Purchases in the App Store without an account of Amazon: granted once, spent, refunded. The other side is the simulated store alone."""
    (port,) = free_ports(1)
    keys = folder / "data/development/app-store"
    simulated = f"http://127.0.0.1:{port}/_sim"
    shop = subset(
        "App Store alone", APP_STORE_BUNDLE_ID="com.example.sallyport", APP_STORE_APP_APPLE_ID="6400000001",
        APP_STORE_ROOT_CERTIFICATES=keys / "root.pem", APP_STORE_ALLOW_OTHER_ROOT="true", APP_STORE_PRODUCTS=keys / "products.json",
        APP_STORE_PRIVATE_KEY=keys / "AuthKey_SP4TESTAPI.p8", APP_STORE_KEY_ID="SP4TESTAPI",
        APP_STORE_ISSUER_ID="5a11e904-7de7-410b-8e0f-57ee9a1d0f00", APP_STORE_PRODUCTION_URL=f"http://127.0.0.1:{port}/production",
        APP_STORE_SANDBOX_URL=f"http://127.0.0.1:{port}/sandbox",
    )
    address = {"APP_STORE_SIMULATOR_LISTEN": f"127.0.0.1:{port}", "DATA_DIR": folder / "data"}
    child = shop.simulate(["app-store", "--app-store-notify", f"{shop.web}/app-store/notifications"], address, simulated)
    log = shop.start()
    check_unknown_paths(shop)
    key = shop.command("keys", "create", "--name", "shop", "--scopes", "accounts:read,accounts:write,app_store:read,app_store:write").strip()
    ask = shop.ask
    account, token = shop.customer(key, "customer-1", "app_store", "app_store:spend")
    passed = ask(200, "/app/v1/app-store/customer", bearer=token)["appAccountToken"]
    order = json.dumps({"product": "com.example.sallyport.ticket.10", "appAccountToken": passed, "environment": "Production"})
    bought = ask(200, "/purchases", "-d", order, base=simulated)
    signed = json.dumps({"signedTransaction": bought["signedTransaction"]})
    outcomes = [ask(200, "/app/v1/app-store/transactions", "--json", signed, bearer=token)["outcome"] for _ in range(2)]
    expect(outcomes[1], "duplicate", "what becomes of a purchase that is handed in again")
    by_id = json.dumps({"transactionId": bought["transactionId"]})
    expect(ask(200, "/app/v1/app-store/transactions", "--json", by_id, bearer=token)["outcome"], "duplicate", "the same by its id")
    spent = ask(200, "/app/v1/app-store/spend", "-H", "Idempotency-Key: 1", "--json", '{"units":7}', bearer=token)
    expect(spent["units"], 3, "what is left")
    ask(200, f"/purchases/{bought['transactionId']}/refund", "-d", "{}", base=simulated)
    balance = "/app/v1/app-store/balance"
    wait_for(lambda: ask(200, balance, bearer=token)["units"] == -7, "the refund")
    expect(ask(410, "/app/v1/app-store/transactions", "--json", signed, bearer=token)["finish"], True, "a text from before the refund")
    expect(ask(200, balance, bearer=token)["spendable"], 0, "what can be spent")
    shop.stop()
    child.terminate()
    expect(child.wait(60), 0, "the end of the simulator")
    expect('"level":"error"' in log.read_text(), False, "an error in the log")


def drive_devices(subset, program, folder):
    """The bits of devices without an account of Amazon: a gift is given once for each phone, whoever signs in there. The other side is the simulated
    service alone."""
    (port,) = free_ports(1)
    keys = folder / "data/development"
    simulated = f"http://127.0.0.1:{port}/_sim"
    shop = subset(
        "DeviceCheck alone", MERCHANT_SECRET_FILE=keys / "merchant.secret", DEVICE_CHECK_TEAM_ID="SP4TESTDEV", DEVICE_CHECK_KEY_ID="SP4TESTKEY",
        DEVICE_CHECK_PRIVATE_KEY=keys / "devicecheck/AuthKey_SP4TESTKEY.p8",
        DEVICE_CHECK_PRODUCTION_URL=f"http://127.0.0.1:{port}/production", DEVICE_CHECK_DEVELOPMENT_URL=f"http://127.0.0.1:{port}/development",
    )
    child = shop.simulate(["devicecheck"], {"DEVICE_CHECK_SIMULATOR_LISTEN": f"127.0.0.1:{port}", "DATA_DIR": folder / "data"}, simulated)
    log = shop.start()
    check_unknown_paths(shop)
    key = shop.command("keys", "create", "--name", "shop", "--scopes", "accounts:read,accounts:write,devices:read,devices:write").strip()
    phone = shop.ask(200, "/devices", "-d", "{}", base=simulated)["device"]

    def claim(bearer):
        shown = shop.ask(200, f"/devices/{phone}/tokens", "-d", "{}", base=simulated)["deviceToken"]
        return shop.ask(200, "/app/v1/devices/claim", "--json", json.dumps({"deviceToken": shown, "purpose": "free-trial"}), bearer=bearer)

    (account, first), (_, second) = (shop.customer(key, f"customer-{number}", "devices") for number in (1, 2))
    expect([claim(bearer)["decision"] for bearer in (first, second, first)], ["allow", "deny", "deny"], "a gift for each phone")
    expect(shop.ask(200, f"/devices/{phone}", base=simulated)["records"] != [], True, "what Apple knows of the phone")
    history = shop.ask(200, f"/v1/devices/accounts/{account}/history", bearer=key)["data"]
    expect("claim" in [row["kind"] for row in history], True, "the history of the account")
    shop.stop()
    child.terminate()
    expect(child.wait(60), 0, "the end of the simulator")
    expect('"level":"error"' in log.read_text(), False, "an error in the log")


def crash(program, folder, cluster, stamps, kills):
    """32 writers on 8 boards, two processes that are killed at random moments: no note is without its event, and each is counted once."""
    run([f"{cluster.bin}/createdb", "-h", cluster.socket, "-U", "postgres", "crash"])
    settings = {
        **ACCOUNT, "PROVIDER_PRIVATE_KEY": folder / "data/development/merchant.key", "MERCHANT_API": "true", "NOTES_STAMP_URL": stamps,
        "MERCHANT_REQUESTS_PER_MINUTE": 1_000_000,
    }
    processes = [Subset(program, folder / f"crash_{number}", cluster.uri("crash"), **settings) for number in range(2)]
    processes[0].command("migrate")
    key = processes[0].command("keys", "create", "--name", "writer", "--scopes", "notes:write").strip()
    for process in processes:
        process.serve()
    # From 2020 to 2021.
    boards = [str(uuid.UUID(int=(1577836800000 + 60 * 86400000 * number) << 80 | 7 << 76 | 1 << 63 | number)) for number in range(8)]
    written, is_over = [], threading.Event()
    trust = ssl.create_default_context(cafile=processes[0].authority)

    def write(number):
        connection = None
        while not is_over.is_set():
            try:
                if connection is None:
                    port = int(processes[number % 2].web.rsplit(":", 1)[1])
                    connection = http.client.HTTPSConnection("localhost", port, context=trust, timeout=10)
                fields = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
                connection.request("POST", f"/v1/notes/{random.choice(boards)}", b'{"text":"x"}', fields)
                answer = connection.getresponse()
                text = answer.read()
                if answer.status == 201:
                    written.append(json.loads(text)["id"])
            except (OSError, http.client.HTTPException):
                # Killed: whether it was written nobody knows.
                connection = None
                is_over.wait(0.05)

    def ask(sql):
        return run([f"{cluster.bin}/psql", "-h", cluster.socket, "-U", "postgres", "-Atc", sql, "crash"]).strip()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(32)]
    for writer in writers:
        writer.start()
    for _ in range(kills):
        time.sleep(random.uniform(0, 0.8))
        process = random.choice(processes)
        process.child.kill()
        process.child.wait()
        process.serve()
    time.sleep(0.5)
    is_over.set()
    for writer in writers:
        writer.join()
    wait_for(lambda: ask("SELECT count(*) FROM event_queue") == "0", "every event is handled", 150)
    notes, events = int(ask("SELECT count(*) FROM shop_note")), int(ask("SELECT count(*) FROM event"))
    print(f"sample: {kills} kills, {len(written)} notes acknowledged, {notes} written, {events} events")
    expect(int(ask("SELECT count(DISTINCT n.note_id) FROM shop_note AS n JOIN event AS v ON v.data ->> 'note' = n.note_id::text")), notes, "notes with an event")
    expect(events, notes, "events, one for each note")
    lost = set(written) - set(ask("SELECT note_id FROM shop_note").split())
    expect(lost, set(), "acknowledged notes that are not there")
    # An event that was handled too early or not at all would have stopped the count of its board.
    expect(ask("SELECT b.board FROM note_count AS b WHERE (b.last, b.notes) <> (SELECT max(v.sequence), count(*) FROM event AS v WHERE v.subject_id = b.board)"),
           "", "boards that are not counted to the end")
    expect(int(ask("SELECT sum(notes) FROM note_count")), notes, "counted notes")
    for process in processes:
        process.stop()


def run_tests(tree):
    """The tests that hold lists of settings, routes, tables, statements and commands, for which the feature brings its own rows along; and
    the gates on sources."""
    for target in ("ProgramTests", "StoreTests"):
        print(f"sample: {target}", flush=True)
        run(["scripts/run-tests", "--scratch-path", tree / ".build"], cwd=tree, env={**os.environ, "ONLY_TESTS": target})
    run(["make", "-s", "layers", "knots", "sizes", "ends", "hardening", "texts", "docs-coverage"], cwd=tree)


def build(tree):
    run(["swift", "build", "--package-path", tree, "--scratch-path", tree / ".build", "--product", "sallyport"])


def main():
    parser = argparse.ArgumentParser(prog="sample.py", description=__doc__.split("\n", 1)[1], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=ROOT / ".build-sample", help="of the copy (.build-sample)")
    parser.add_argument("--kills", type=int, default=3, help="how often a process is killed that writes and handles events (3)")
    parser.add_argument("--subsets", action="store_true", help="only start the program with some of its features")
    parser.add_argument("--tests", action="store_true", help="run the tests of the program and of its stores on the copy, too")
    parser.add_argument("--in-place", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    tree = ROOT if options.in_place else pathlib.Path(options.folder).resolve()
    if not options.in_place:
        tree.mkdir(exist_ok=True)
        lay_out(tree)
        stand_in_place(tree)
    print("sample: building")
    build(tree)
    with tempfile.TemporaryDirectory(prefix="sallyport-sample", dir="/tmp") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o711)
        demo, cluster = Demo(tree, folder), Postgres(folder).start()
        try:
            if not options.subsets:
                drive(demo)
                crash(tree / ".build/debug/sallyport", folder, cluster, demo.stamps, options.kills)
            if options.tests:
                run_tests(tree)
            drive_subsets(tree, folder, cluster, demo.stamps)
        finally:
            for child in Subset.children:
                child.kill()
            cluster.stop()
            end = demo.stop()
        expect(end, 0, "the end of the demo")
    print("sample: all as it should be")


main()
