# A server that says the postage, or that nothing is sent to an address, as docs/postage.md explains it.
# POSTAGE_SECRETS=whsec_... PORT=8098 python3 postage.py
import base64, hashlib, hmac, json, os, re, sys, time, unicodedata
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FAR = {"JP-01": 1080, "JP-47": 1080}  # Hokkaido and Okinawa, as `prefecture` has them: the region is free text, in any spelling.
UNSERVED = "10021"  # Postal codes on the Ogasawara islands begin so.
SORRY = {"ja": "小笠原諸島にはお送りできません。", "en": "We do not ship to the Ogasawara islands."}

def key(secret):
    """The key in a secret. One of fewer than 24 bytes is none: an empty one would believe everybody."""
    try:
        data = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        data = b""
    if not secret.startswith("whsec_") or len(data) < 24:
        sys.exit("POSTAGE_SECRETS: each is whsec_ and the Base64 of 24 bytes or more")
    return data

class Postage(BaseHTTPRequestHandler):
    timeout = 20  # For a client that says nothing.

    def do_POST(self):
        sizes = self.headers.get_all("content-length", [])
        if len(sizes) != 1 or "transfer-encoding" in self.headers:
            return self.send_error(411)
        if not re.fullmatch("[0-9]{1,5}", sizes[0]) or int(sizes[0]) > 65536:
            if re.fullmatch("[0-9]{1,6}", sizes[0]):
                self.rfile.read(int(sizes[0]))  # Closing before would take the answer from a client that sends all first.
            return self.send_error(413)
        body = self.rfile.read(int(sizes[0]))
        id, at, given = (self.headers.get("webhook-" + name, "").encode("latin-1") for name in ("id", "timestamp", "signature"))
        tags = [b"v1," + base64.b64encode(hmac.digest(key, id + b"." + at + b"." + body, hashlib.sha256)) for key in KEYS]
        good = any(hmac.compare_digest(tag, part) for tag in tags for part in given.split())
        if not good or not re.fullmatch(b"[0-9]{1,12}", at) or abs(time.time() - int(at)) > 300:
            return self.send_error(403)
        try:
            question = json.loads(body)
            prefecture, currency = question["address"]["prefecture"], question["currency"]
            code = re.sub("[^0-9]", "", unicodedata.normalize("NFKC", question["address"]["postalCode"] or ""))
        except (ValueError, TypeError, KeyError, RecursionError):
            return self.send_error(400)
        if prefecture is None:
            return self.send_error(422)  # Region and postal code leave it in doubt: no price, and the buyer chooses another address.
        if code.startswith(UNSERVED):
            answer = {"undeliverable": SORRY}  # The buyer reads the sentence, and chooses another address.
        else:
            answer = {"amount": {"amount": str(FAR.get(prefecture, 540)), "currencyCode": currency}}
        answer = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

KEYS = [key(secret) for secret in os.environ.get("POSTAGE_SECRETS", "").split()] or sys.exit("POSTAGE_SECRETS is not set")
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Postage).serve_forever()
