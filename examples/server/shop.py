# A merchant's server between an app (or a site) and Sallyport's interface /v1. Python 3.11, nothing but its standard library.
#
#   SALLYPORT_URL=https://pay.example.com SALLYPORT_KEY=key.txt PORT=8097 SHOP_STATE=shop.json python3 shop.py
#
# SALLYPORT_KEY     the API key or the file that holds it; its scopes: sessions:read,sessions:write,payments:write,refunds:write
# SALLYPORT_CA      a PEM file, where the certificate of SALLYPORT_URL is not of a public authority
# WEBHOOK_SECRETS   whsec_..., several with blanks between them, each of 24 bytes or more; where it is not set no webhook is believed
# SHOP_STAFF_TOKEN  what the shop's own people show to capture and refund, 24 characters or more; where it is not set nobody can
# SHOP_RETURN_URL   where buyers of the client `site` come back to
#
# It listens on this machine only: TLS is the business of the proxy in front of it. In production SHOP_STATE is your database, PRICES
# your catalogue, and a login what your app's users have; here every Bearer token of 16 to 128 characters is one.
import base64, hashlib, hmac, http.client, json, os, re, secrets, signal, ssl, sys, threading, time, traceback, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

PRICES, POSTAGE = {"tea": ("Sencha 100 g", 1320, 8), "cup": ("Tea cup", 880, 10)}, 540
# What the states of a session mean to an app, and the status that tells it.
MEANING = {"created": "open", "at_provider": "open", "in_review": "open", "paying": "pending", "payment_pending": "pending",
           "declined": "declined", "canceled": "over", "expired": "over", "closed": "over",
           "paid": "paid", "captured": "paid", "part_refunded": "paid", "refunded": "paid"}
STATUS = {"open": 202, "pending": 202, "declined": 402, "over": 410, "paid": 200}
WORD = "[A-Za-z0-9_-]{1,64}"

lock = threading.Lock()
state = {"logins": {}, "checkouts": {}, "calls": {}}  # What must survive a crash.

class Answer(Exception):
    """What is answered; raised where there is nothing more to do."""
    def __init__(self, status, body, retry=None):
        self.status, self.body, self.retry = status, body, retry

def save():
    """Replaces the file as a whole, before anything goes on that relies on it. The caller has the lock."""
    try:
        with open(STATE + ".new", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(STATE + ".new", STATE)
    except OSError:  # What is in memory alone must not be answered: a new start reads what is true.
        print("shop: SHOP_STATE cannot be written", file=sys.stderr, flush=True)
        os._exit(1)

def ask(method, path, body=None, key=None):
    """Asks Sallyport; again, under the same key, where the answer is lost or says `later`. That is safe, another key never is."""
    fields = {"Authorization": "Bearer " + API_KEY} | ({"Content-Type": "application/json", "Idempotency-Key": key} if key else {})
    for left in (2, 1, 0):
        code, status, retry, connection = "lost", 0, None, CONNECT()
        try:
            connection.request(method, URL.path.rstrip("/") + path, json.dumps(body) if key else None, fields)
            reply = connection.getresponse()
            status, retry, content = reply.status, reply.getheader("Retry-After"), json.loads(reply.read())
            code = content.get("code")
            if status < 500 and status not in (408, 429) and not (status == 409 and retry):
                return status, content, retry
        except (OSError, http.client.HTTPException, ValueError) as problem:
            print("shop: no answer to", path, type(problem).__name__, getattr(problem, "strerror", ""), file=sys.stderr, flush=True)
        finally:
            connection.close()
        pause = int(retry) if (retry or "").isdecimal() else 1
        if left == 0 or pause > 5:  # Longer than a buyer looks at nothing: the app asks again.
            waits = code == "outcome_unknown" or (status == 409 and retry)
            raise Answer(202, {"state": "pending"}, pause) if waits else Answer(503, {"state": "unavailable"}, pause)
        time.sleep(pause)

def refusal(what, status, content):
    """Logs what no repeat makes better, without any secret; returns its code."""
    print("shop:", what, status, content.get("code"), content.get("field"), content.get("detail"), file=sys.stderr, flush=True)
    return content.get("code")

def yen(amount):
    return {"amount": str(amount), "currencyCode": "JPY"}

def text(body, name, pattern):
    value = body.get(name)
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        raise Answer(400, {"error": name + " is missing or malformed"})
    return value

# For the buyer.

def begin(login, word, body):
    """Opens a session for the buyer, once for each word of the app."""
    client, items = text(body, "client", "iosApp|androidApp|site"), body.get("items")
    if not isinstance(items, dict) or not items or not set(items) <= set(PRICES) or not all(
            type(count) is int and 1 <= count <= 99 for count in items.values()):
        raise Answer(400, {"error": "items are names of ours, each with a count of 1 to 99"})
    with lock:
        call = state["calls"].get(f"open {login} {word}")
        if not call:
            # Written down before the call: where the answer is lost, the very same request goes out again under the same key.
            reference, verifier = "S-" + secrets.token_hex(8), secrets.token_urlsafe(32)
            state["checkouts"][reference] = {"reference": reference, "state": "open", "sequence": 0, "login": login,
                                               "verifier": verifier}
            call = {"asked": [client, items], "key": "open-" + reference, "order": order(reference, client, items, verifier)}
            state["calls"][f"open {login} {word}"] = call
            save()
    if call["asked"] != [client, items]:
        raise Answer(422, {"error": "this Idempotency-Key was used for another order"})
    checkout = state["checkouts"][call["order"]["reference"]]
    if "session" not in checkout:
        status, content, _ = ask("POST", "/v1/sessions", call["order"], call["key"])
        if status != 201:
            raise Answer(502, {"error": refusal("no session:", status, content)})
        with lock:
            # The proof never leaves this server: it binds the payment to the login that began it.
            checkout |= {"session": content["id"], "proof": content["launch"]["appProof"], "launch": content["launch"]["url"]}
    elif look(checkout)["state"] != "open":
        raise Answer(409, {"error": "the checkout of this Idempotency-Key has ended", "state": checkout["state"]})
    with lock:
        state["logins"][login] = checkout["reference"]
        save()
    return Answer(201, {"reference": checkout["reference"], "launchUrl": checkout["launch"]})

def order(reference, client, items, verifier):
    """The order as Sallyport wants it; the prices are ours, whatever the app says."""
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    lines = [{"id": id, "name": PRICES[id][0], "quantity": count, "unitPrice": yen(PRICES[id][1]), "taxRate": PRICES[id][2]}
             for id, count in items.items()]
    return {"reference": reference, "client": client, "currency": "JPY", "pricesIncludeTax": True, "lines": lines,
            "postage": {"amount": yen(POSTAGE)}, "codeChallenge": challenge} | ({"returnUrl": RETURN_URL} if client == "site" else {})

def redeem(login, body):
    """The buyer is back. The proof comes from the login, never from the link, which anybody can send."""
    ticket = text(body, "returnTicket", "swc_[A-Za-z0-9_-]{64}")
    reference = text(body, "orderReferenceId", "[A-Za-z0-9-]{1,64}")
    session = str(uuid.UUID(bytes=base64.urlsafe_b64decode(ticket[4:])[:16]))
    checkout = begun(login, session)
    if not checkout:
        raise Answer(403, {"state": "refused"})
    if checkout["state"] == "paid":
        return told(checkout)
    proofs = {"returnTicket": ticket, "orderReferenceId": reference, "appProof": checkout["proof"],
              "codeVerifier": checkout["verifier"]}
    status, content, retry = ask("POST", f"/v1/sessions/{session}/complete", proofs, "complete-" + checkout["reference"])
    if status == 202 and "launch" in content:  # Profile strict: both halves have met, and only now the buyer agrees, in the tab.
        return Answer(202, {"state": "continue", "launchUrl": content["launch"]["url"]})
    if status in (200, 202):
        note(checkout, content)
        return told(checkout) if status == 200 else Answer(202, {"state": "pending"}, retry or 2)
    code = refusal("not completed:", status, content)
    if status in (402, 410):
        note(checkout, {"state": {402: "declined", 410: "expired"}[status]})
        return told(checkout)
    if code in ("proof_mismatch", "order_mismatch", "not_found"):
        raise Answer(403, {"state": "refused"})
    raise Answer(503, {"state": "unavailable"}, 30)

def begun(login, session):
    """The checkout of a session, where this login has begun it. In production your database has an index for that."""
    own = (one for one in list(state["checkouts"].values()) if one.get("session") == session and one.get("login") == login)
    return next(own, None)

def current(login, session=None):
    """How a checkout of a login stands: that of the app's session, or the newest one for an app that has forgotten everything."""
    checkout = begun(login, session) if session else state["checkouts"].get(state["logins"].get(login))
    if not checkout:
        return Answer(200, {"state": "none"})
    return Answer(200, told(look(checkout)).body | {"reference": checkout["reference"]})

def look(checkout):
    """Asks how a checkout stands, unless it has ended."""
    if checkout["state"] not in ("paid", "over"):
        try:
            status, content, _ = ask("GET", "/v1/sessions/" + checkout["session"])
            if status == 200:
                note(checkout, content)
        except Answer:
            pass  # What was known before is an answer too.
    return checkout

def note(checkout, session, sequence=None):
    """Keeps what Sallyport says of a session. Paid stays paid, whatever comes late."""
    with lock:
        if sequence is not None and sequence <= checkout["sequence"]:
            return  # This webhook has come before.
        checkout["sequence"] = sequence or checkout["sequence"]
        if checkout["state"] != "paid":
            checkout["state"] = MEANING.get(session["state"], checkout["state"])
        if session.get("charges"):
            checkout |= {"charge": session["charges"][0]["id"], "total": session["amounts"]["total"]["amount"]}
        save()

def told(checkout):
    paid = {"reference": checkout["reference"], "total": checkout.get("total")} if checkout["state"] == "paid" else {}
    return Answer(STATUS[checkout["state"]], {"state": checkout["state"]} | paid)

# For Sallyport.

def hear(headers, content):
    """A webhook: believed for its signature (Standard Webhooks) and its time, counted once by its place in the session."""
    id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    tags = [hmac.digest(key, f"{id}.{at}.".encode() + content, "sha256") for key in WEBHOOK_KEYS]
    given = headers.get("webhook-signature", "").encode().split()
    good = sum(hmac.compare_digest(b"v1," + base64.b64encode(tag), part) for tag in tags for part in given)
    if not good or not re.fullmatch("[0-9]{1,12}", at) or abs(time.time() - int(at)) > 300:
        raise Answer(401, {"error": "not signed by one of our secrets, or not now"})
    try:
        event = json.loads(content)
        data, session, sequence = event["data"], event["sessionId"], event["sequence"]
        checkout = state["checkouts"].get(data.get("reference"))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise Answer(400, {"error": "the content is no event"})
    # Another program's order is none of ours, and a test is of no order.
    if checkout and checkout.get("session") == session:
        note(checkout, data, sequence)
    return Answer(204, None)

# For the shop's own people.

def move(name, deed, word, body):
    """Captures or refunds, once for each word of theirs."""
    checkout = state["checkouts"].get(name)
    if not checkout or "charge" not in checkout:
        raise Answer(404, {"error": "there is no such order, or it is not paid"})
    amount = checkout["total"] if deed == "capture" else text(body, "amount", "[1-9][0-9]{0,9}")
    with lock:
        call = state["calls"].setdefault(f"{deed} {name} {word}", {"key": secrets.token_hex(16), "amount": amount})
        save()
    if call["amount"] != amount:
        raise Answer(422, {"error": "this Idempotency-Key was used for another amount"})
    status, content, retry = ask("POST", f"/v1/charges/{checkout['charge']}/{deed}", {"amount": yen(amount)}, call["key"])
    if status < 300:
        return Answer(status, {"state": content["state"], "id": content["id"]}, retry)
    code = refusal(deed + " refused:", status, content)
    raise Answer(status if status in (402, 409, 422) else 502, {"error": code, "message": content.get("detail")})

class Shop(BaseHTTPRequestHandler):
    timeout = 20  # For a client that says nothing.

    def do_GET(self):
        try:
            self.reply(self.answer())
        except Answer as answer:
            self.reply(answer)
        except Exception:
            problem, line = sys.exc_info()[0].__name__, traceback.extract_tb(sys.exc_info()[2])[-1].lineno
            print("shop:", problem, "in line", line, file=sys.stderr, flush=True)  # No values: they may be secret.
            self.reply(Answer(500, {"error": "the request failed on our side"}))

    do_POST = do_GET

    def answer(self):
        lengths = self.headers.get_all("content-length", ["0"] if self.command == "GET" else [])
        if len(lengths) != 1 or "transfer-encoding" in self.headers:
            raise Answer(411, {"error": "one Content-Length, and nothing else, says how long the content is"})
        if not re.fullmatch("[0-9]{1,5}", lengths[0]) or int(lengths[0]) > 65536:
            if re.fullmatch("[0-9]{1,6}", lengths[0]):
                self.rfile.read(int(lengths[0]))  # Closing before would take the answer from a client that sends all first.
            raise Answer(413, {"error": "at most 65536 bytes"})
        if not re.fullmatch("[!-~]+", self.path):
            raise Answer(400, {"error": "the path is not written in ASCII"})
        content, path = self.rfile.read(int(lengths[0])), self.path.partition("?")[0]
        if len(content) < int(lengths[0]):
            raise Answer(400, {"error": "the content is shorter than Content-Length says"})
        order = re.fullmatch("/orders/([A-Za-z0-9-]{1,64})/(capture|refunds)", path)
        one = re.fullmatch("/checkouts/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", path)
        match self.command, path:
            case "POST", "/webhooks": return hear(self.headers, content)
            case "POST", "/checkouts": return begin(self.login(), text(self.headers, "Idempotency-Key", WORD), self.body(content))
            case "POST", "/checkouts/return": return redeem(self.login(), self.body(content))
            case "GET", "/checkouts/current": return current(self.login())
            case "GET", _ if one: return current(self.login(), one[1])
            case "POST", _ if order:
                if not STAFF or not hmac.compare_digest(self.bearer().encode(), STAFF.encode()):
                    raise Answer(403, {"error": "for the shop's own people"})
                return move(order[1], order[2], text(self.headers, "Idempotency-Key", WORD), self.body(content))
        raise Answer(404, {"error": "there is nothing here"})

    def bearer(self):
        return self.headers.get("authorization", "").removeprefix("Bearer ")

    def login(self):
        """Who asks; only a digest is kept, for the file would otherwise open every account."""
        if not re.fullmatch("[A-Za-z0-9_-]{16,128}", self.bearer()):
            raise Answer(401, {"error": "Authorization: Bearer and a login of 16 to 128 characters"})
        return hashlib.sha256(self.bearer().encode()).hexdigest()

    def body(self, content):
        try:
            body = json.loads(content or b"{}")
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise Answer(400, {"error": "the content is no JSON object"})
        return body

    def log_request(self, code="-", size="-"):
        # A query may hold tickets; other octets than ASCII's visible ones could be a line of their own.
        path = re.sub("[^!-~]", "?", getattr(self, "path", "").partition("?")[0])
        print("shop:", self.command, path[:200], int(code), file=sys.stderr, flush=True)

    def log_message(self, format, *arguments):
        pass  # What the library says of bad requests repeats them.

    def reply(self, answer):
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Cache-Control", "no-store")
        if answer.retry:
            self.send_header("Retry-After", str(answer.retry))
        self.end_headers()
        self.wfile.write(b"" if answer.body is None else json.dumps(answer.body).encode())

def webhook_key(secret):
    """The key in a secret. One of fewer than 24 bytes is none: an empty one would believe everybody."""
    try:
        data = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        data = b""
    if not secret.startswith("whsec_") or len(data) < 24:
        sys.exit("shop: WEBHOOK_SECRETS: each is whsec_ and the Base64 of 24 bytes or more")
    return data

missing = [name for name in ("SALLYPORT_URL", "SALLYPORT_KEY", "PORT", "SHOP_STATE") if not os.environ.get(name)]
if missing:
    sys.exit("shop: not set: " + ", ".join(missing))
URL, STATE, API_KEY = urlsplit(os.environ["SALLYPORT_URL"]), os.environ["SHOP_STATE"], os.environ["SALLYPORT_KEY"]
if not API_KEY.startswith("swk_"):
    API_KEY = open(API_KEY).read()
API_KEY = API_KEY.strip()
if URL.scheme == "https":
    TLS = ssl.create_default_context(cafile=os.environ.get("SALLYPORT_CA") or None)
    CONNECT = lambda: http.client.HTTPSConnection(URL.hostname, URL.port, timeout=60, context=TLS)
elif URL.scheme == "http" and URL.hostname in ("127.0.0.1", "::1", "localhost"):
    CONNECT = lambda: http.client.HTTPConnection(URL.hostname, URL.port, timeout=60)
else:
    sys.exit("shop: SALLYPORT_URL has to be https: the key goes there")
if not re.fullmatch("swk_[A-Za-z0-9_-]{24,}", API_KEY):
    sys.exit("shop: SALLYPORT_KEY is no API key, or a file without one")
# What is set and empty is a mistake: it is not taken for what is not set.
WEBHOOK_KEYS = [webhook_key(secret) for secret in os.environ.get("WEBHOOK_SECRETS", "").split()]
if "WEBHOOK_SECRETS" in os.environ and not WEBHOOK_KEYS:
    sys.exit("shop: WEBHOOK_SECRETS is empty")
STAFF, RETURN_URL = os.environ.get("SHOP_STAFF_TOKEN"), os.environ.get("SHOP_RETURN_URL", "https://shop.example.com/paid")
if STAFF is not None and not re.fullmatch("[!-~]{24,}", STAFF):
    sys.exit("shop: SHOP_STAFF_TOKEN has to have 24 characters or more, without blanks")
if os.path.exists(STATE):
    state = json.load(open(STATE))
server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Shop)
server.daemon_threads = False  # What has begun is answered, also when the program is told to end.
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
print("shop: ready on port", os.environ["PORT"], file=sys.stderr, flush=True)
server.serve_forever()
server.server_close()
