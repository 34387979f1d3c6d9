# A receiver of webhooks, as docs/webhooks.md explains it.
# WEBHOOK_SECRETS=whsec_... PORT=8099 python3 receiver.py
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEYS = [base64.b64decode(secret.removeprefix("whsec_")) for secret in os.environ["WEBHOOK_SECRETS"].split()]
seen = set()  # In production: a table, written in the same transaction as the effect of the event.

class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        id, at = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        tags = [hmac.digest(key, f"{id}.{at}.".encode() + body, hashlib.sha256) for key in KEYS]
        given = self.headers["webhook-signature"].split()
        good = any(hmac.compare_digest("v1," + base64.b64encode(tag).decode(), part) for tag in tags for part in given)
        if not good or abs(time.time() - int(at)) > 300:
            return self.send_error(403)
        if id not in seen:
            event = json.loads(body)
            print(event["type"], event["sessionId"], event["sequence"], flush=True)
            seen.add(id)
        self.send_response(204)
        self.end_headers()

ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Hook).serve_forever()
