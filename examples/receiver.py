# A receiver of webhooks, as docs/webhooks.md explains it.
# WEBHOOK_SECRETS=whsec_... PORT=8099 python3 receiver.py
import base64, hashlib, hmac, json, os, re, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

seen = set()  # In production: a table, written in the same transaction as the effect of the event.

def key(secret):
    """The key in a secret. One of fewer than 24 bytes is none: an empty one would believe everybody."""
    try:
        data = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        data = b""
    if not secret.startswith("whsec_") or len(data) < 24:
        sys.exit("WEBHOOK_SECRETS: each is whsec_ and the Base64 of 24 bytes or more")
    return data

class Hook(BaseHTTPRequestHandler):
    timeout = 20  # For a client that says nothing.

    def do_POST(self):
        sizes = self.headers.get_all("content-length", [])
        if len(sizes) != 1 or "transfer-encoding" in self.headers:
            return self.send_error(411)
        if not re.fullmatch("[0-9]{1,6}", sizes[0]) or int(sizes[0]) > 262144:
            if re.fullmatch("[0-9]{1,6}", sizes[0]):
                self.rfile.read(int(sizes[0]))  # Closing before would take the answer from a client that sends all first.
            return self.send_error(413)
        body = self.rfile.read(int(sizes[0]))
        id, at, given = (self.headers.get("webhook-" + name, "").encode("latin-1") for name in ("id", "timestamp", "signature"))
        tags = [b"v1," + base64.b64encode(hmac.digest(key, id + b"." + at + b"." + body, hashlib.sha256)) for key in KEYS]
        good = any(hmac.compare_digest(tag, part) for tag in tags for part in given.split())
        if not good or not re.fullmatch(b"[0-9]{1,12}", at) or abs(time.time() - int(at)) > 300:
            return self.send_error(403)
        if id not in seen:
            try:
                event = json.loads(body)
                print(event["type"], event["sessionId"], event["sequence"], flush=True)
            except (ValueError, TypeError, KeyError, RecursionError):
                return self.send_error(400)
            seen.add(id)
        self.send_response(204)
        self.end_headers()

KEYS = [key(secret) for secret in os.environ.get("WEBHOOK_SECRETS", "").split()] or sys.exit("WEBHOOK_SECRETS is not set")
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Hook).serve_forever()
