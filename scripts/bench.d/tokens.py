"""Tokens for the runs that use them up, and those that do not."""
import time

from servers import helper


class Tokens:
    """Writes files of tokens; how many a run may need is learnt from the runs before."""

    # Requests a second that a first run is prepared for.
    FIRST = {"open": 22_000, "purchase": 700}
    REVIEWED = 20_000
    # Seconds; half of what a tab lives.
    FRESH = 3_600

    def __init__(self, folder, server, simulator):
        self.folder, self.server, self.simulator = folder, server, simulator
        self.rates = dict(self.FIRST)
        self.reviewed = {}

    def make(self, kind, database_uri, seconds):
        """A file with enough tokens for a run of some seconds."""
        if kind == "confirm":
            return self.shown(database_uri)
        count = int(self.rates[kind] * seconds) + 500
        if kind == "open":
            return self.write(kind, helper("seed", "open", count, database_uri))
        return self.write(kind, helper("place", count, f"http://{self.server.web}", self.simulator.url, self.simulator.authority))

    def shown(self, database_uri):
        """Tab tokens are not used up by looking; fresh ones come before the old ones are over."""
        made, path = self.reviewed.get(database_uri, (0, None))
        if not path or time.monotonic() - made > self.FRESH:
            path = self.write(f"confirm-{len(self.reviewed)}", helper("seed", "confirm", self.REVIEWED, database_uri))
            self.reviewed[database_uri] = (time.monotonic(), path)
        return path

    def write(self, kind, text):
        path = self.folder / f"{kind}.tokens"
        path.write_text(text)
        return path

    def learn(self, kind, rate):
        """A run got this far; the next one may be a third faster."""
        if kind in self.rates:
            self.rates[kind] = max(rate * 1.35, self.FIRST[kind] * 0.3)

    def double(self, kind):
        """A run ran out."""
        self.rates[kind] *= 2
