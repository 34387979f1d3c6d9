#!/usr/bin/python3
"""history: reload, back, forward and double taps on every page of the tab and in every state, in headless Chromium.

A walk is a table. A row is what the buyer does, the page that comes and the state of the webview session behind it, then the pages that come
with reload, with back and with forward again. Behind every cell the state is as the row says, nobody who has ordered is told to begin again,
and the simulator holds the money that belongs to the state. The program's trail must not show a state that goes back. Walks are taken in English,
and some in Japanese too; the profile is standard, but for those that are of another.

usage: Tests/Browser/history.py [--program PATH] [WALK ...]
"""
import argparse
import json
import pathlib
import subprocess
import sys
import urllib.request
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import purchase  # noqa: E402
from demo import Merchant  # noqa: E402
from selenium.common.exceptions import WebDriverException  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402

# What an order comes to: of the sample's carts, and of the shop with a server of its own.
TOTAL, TOTAL_OF_SITE = "27996", "3180"

# What the buyer sees: path, heading in English and in Japanese, and the control that leads on.
PAGES = {
    "cart": ("/browser/cart", "Your cart", "カート", "amzn_button"),
    "tap": ("/button", "Opening the payment page", "お支払いページを開きます", "open_button"),
    "button": ("/button", "Payment with Amazon Pay", "Amazon Pay でのお支払い", None),
    "confirm": ("/confirm_order", "Review your order", "ご注文内容の確認", "purchase_button"),
    "meet": ("/confirm_order", "Review your order", "ご注文内容の確認", "purchase_link"),
    "result": ("/checkout_result", "Your order is not placed yet", "まだ注文は確定していません", "purchase_link"),
    "completing": ("/checkout_result", "Completing your order", "ご注文を確定しています", None),
    "waiting": ("/checkout_result", "Checking your payment", "お支払いを確認しています", None),
    "declined": ("/checkout_result", "The payment did not go through", "お支払いを完了できませんでした", "retry"),
    "left": ("/checkout_cancel", "You have not been charged", "お支払いは行われていません", "retry"),
    "canceled": ("/checkout_cancel", "Your purchase is cancelled", "購入を取り消しました", None),
    "link": ("/", "The app did not open", "アプリが開きませんでした", "rescue"),
    "rescue": ("/rescue", "How to return to the app", "アプリに戻る方法", "purchase_link"),
    "no link": ("/rescue", "How to return to the app", "アプリに戻る方法", None),
    "paid": ("/", "Your order is complete", "ご注文は完了しています", None),
    "pending": ("/", "Your order is being completed", "ご注文を確定しています", None),
    "over": ("/", "This page has expired", "このページは終了しました", None),
    "ended": ("/button", "This checkout has ended", "この手続きは終了しました", None),
    "thanks": ("/thanks", "Thank you for your order.", "ご購入ありがとうございました。", None),
}

# What nobody may read who has ordered, nor where the money may be on its way.
BEGIN_AGAIN = ["start again", "again from the cart", "not been charged", "not placed yet", "before you return", "やり直", "請求は発生していません",
               "請求は発生しません", "まだ注文は確定していません"]

LATE_CANCEL = "double tap #cancel_button"

# No state comes before one that was there, but for a new try after a decline, and a second opening after both halves have met.
ORDER = ["issued", "opened", "reviewed", "placed", "declined", "purchasing", "authorized", "canceled", "expired", "revoked"]

# Taps once more as soon as the app has the ticket.
SECOND_TAP = """
let ticket;
Object.defineProperty(window, "handed", {
  get: () => ticket,
  set: (value) => { if (!ticket) setTimeout(() => document.getElementById("amzn_button").click()); ticket = value; },
});
"""

LOOK = """
const shown = (e) => e.checkVisibility() && !e.disabled;
return [location.href, document.querySelector("h1")?.innerText || "", document.querySelector("main")?.innerText || "",
        Array.from(document.querySelectorAll("main a[id], main button[id]")).filter(shown).map((e) => e.id)];
"""

# Of each walk: client, card, rows. A row without the last three is only on the way to the others.
# Those of another profile are in the table behind this one.
WALKS = {
    "before consent": ("iosApp", "1111", [
        # what the buyer does   sees        state       reload      back        forward
        ("launch",              "provider", "opened",   "provider", "blank",    "provider"),
        ("launch",              "provider", "opened",   "provider", "provider", "provider"),
        ("/button",             "provider", "opened"),
        ("/confirm_order",      "provider", "opened"),
        ("/checkout_result",    "provider", "opened"),
        ("/checkout_cancel",    "left",     "opened",   "left",     "provider", "left"),
        # What stands behind it depends on how far the first tap came before the second.
        ("double tap #retry",   "provider", "opened"),
        ("choose",              "confirm",  "reviewed", "confirm",  "provider", "confirm"),
        ("launch",              "provider", "reviewed", "provider", "confirm",  "provider"),
        ("/confirm_order",      "confirm",  "reviewed", "confirm",  "provider", "confirm"),
        ("/checkout_result",    "confirm",  "reviewed", "confirm",  "confirm",  "confirm"),
        ("provider's return",   "confirm",  "reviewed", "confirm",  "confirm",  "confirm"),
        ("provider's result",   "confirm",  "reviewed"),
        ("/checkout_cancel",    "left",     "reviewed", "left",     "confirm",  "left"),
        ("double tap #retry",   "provider", "reviewed"),
    ]),
    "agreed": ("iosApp", "1111", [
        ("launch",              "provider", "opened"),
        ("choose",              "confirm",  "reviewed"),
        ("double tap #purchase_button", "result", "placed", "result", "confirm", "result"),
        ("/confirm_order",      "confirm",  "placed",   "confirm",  "result",   "confirm"),
        ("double tap #purchase_button", "result", "placed", "result", "confirm", "result"),
        ("provider's return",   "confirm",  "placed",   "confirm",  "result",   "confirm"),
        ("tap #purchase_button", "result",  "placed",   "result",   "confirm",  "result"),
        ("provider's result",   "result",   "placed",   "result",   "result",   "result"),
        ("/button",             "confirm",  "placed",   "confirm",  "result",   "confirm"),
        ("launch",              "confirm",  "placed",   "confirm",  "confirm",  "confirm"),
        ("/checkout_result",    "result",   "placed"),
        ("double tap #purchase_link", "link", "placed", "link",     "result",   "link"),
        ("double tap #rescue",  "rescue",   "placed",   "rescue",   "link",     "rescue"),
        ("/checkout_cancel",    "left",     "placed",   "left",     "rescue",   "left"),
        ("double tap #retry",   "confirm",  "placed"),
        ("tap #change_payment", "provider", "placed",   "provider", "confirm",  "provider"),
        ("/checkout_result",    "result",   "placed",   "result",   "provider", "result"),
        ("the app pays",        "result",   "authorized", "paid"),
    ]),
    "paid": ("iosApp", "1111", [
        ("launch",              "provider", "opened"),
        ("choose",              "confirm",  "reviewed"),
        ("tap #purchase_button", "result",  "placed"),
        ("the app pays",        "result",   "authorized"),
        ("back",                "paid",     "authorized"),
        ("launch",              "paid",     "authorized", "paid",   "paid",     "paid"),
        ("provider's return",   "paid",     "authorized", "paid",   "paid",     "paid"),
        ("provider's result",   "paid",     "authorized", "paid",   "paid",     "paid"),
        ("/checkout_cancel",    "paid",     "authorized", "paid",   "paid",     "paid"),
        ("/button",             "paid",     "authorized", "paid",   "paid",     "paid"),
        ("/rescue",             "paid",     "authorized", "paid",   "paid",     "paid"),
    ]),
    "under way": ("iosApp", "1111", [
        ("launch",              "provider", "opened"),
        ("choose",              "confirm",  "reviewed"),
        ("tap #purchase_button", "result",  "placed"),
        ("the app pays, and hears nothing", "result", "purchasing", "completing", "completing", "completing"),
        ("/button",             "completing", "purchasing", "completing", "completing", "completing"),
        ("/confirm_order",      "completing", "purchasing"),
        ("provider's return",   "completing", "purchasing"),
        ("provider's result",   "completing", "purchasing"),
        ("/checkout_cancel",    "completing", "purchasing", "completing", "completing", "completing"),
        ("/rescue",             "rescue",   "purchasing", "rescue", "completing", "rescue"),
        ("launch",              "pending",  "purchasing", "pending", "rescue",  "pending"),
        ("the app pays",        "pending",  "authorized", "paid"),
    ]),
    "declined": ("iosApp", "3434", [
        ("launch",              "provider", "opened"),
        ("choose",              "confirm",  "reviewed"),
        ("double tap #purchase_button", "declined", "declined", "declined", "declined", "declined"),
        ("/confirm_order",      "declined", "declined", "declined", "declined", "declined"),
        ("provider's return",   "declined", "declined"),
        ("provider's result",   "declined", "declined"),
        ("/checkout_cancel",    "left",     "declined", "left",     "declined", "left"),
        ("launch",              "provider", "declined", "provider", "left",     "provider"),
        ("/checkout_result",    "declined", "declined", "declined", "provider", "declined"),
        ("double tap #retry",   "provider", "declined"),
        ("choose a good card",  "confirm",  "reviewed", "confirm",  "provider", "confirm"),
        ("double tap #purchase_button", "result", "placed", "result", "confirm", "result"),
        ("the app pays",        "result",   "authorized", "paid"),
    ]),
    "canceled": ("iosApp", "1111", [
        ("launch",              "provider", "opened"),
        ("choose",              "confirm",  "reviewed"),
        ("tap #purchase_button", "result",  "placed"),
        ("/checkout_cancel",    "left",     "placed"),
        ("double tap #cancel_button", "canceled", "canceled", "over", "over"),
        ("/confirm_order",      "over",     "canceled", "over"),
        ("launch",              "ended",    "canceled", "ended",  "over",     "ended"),
    ]),
    "expired": ("iosApp", "1111", [
        ("launch",              "provider", "opened"),
        ("choose",              "confirm",  "reviewed"),
        ("tap #purchase_button", "result",  "placed"),
        ("time passes",         "result",   "placed"),
        ("reload",              "over",     "expired",  "over",     "over",     "over"),
        ("launch",              "ended",    "expired",   "ended",   "over",     "ended"),
    ]),
    "revoked": ("iosApp", "1111", [
        ("launch",              "provider", "opened"),
        ("choose",              "confirm",  "reviewed"),
        ("an operator revokes", "confirm",  "revoked"),
        ("double tap #purchase_button", "over", "revoked", "over",  "over"),
        ("launch",              "ended",    "revoked",  "ended"),
    ]),
    "in one browser": ("browser", "1111", [
        ("go on",               "provider", "opened",   "provider", "cart",     "provider"),
        ("choose",              "confirm",  "reviewed", "confirm",  "provider", "confirm"),
        ("double tap #purchase_button", "thanks", "authorized", "thanks", "paid", "thanks"),
        ("/confirm_order",      "paid",     "authorized", "paid",   "thanks",   "paid"),
        ("launch",              "paid",     "authorized", "paid",   "paid",     "paid"),
        ("/checkout_cancel",    "paid",     "authorized", "paid",   "paid",     "paid"),
        ("provider's return",   "paid",     "authorized"),
        ("provider's result",   "paid",     "authorized"),
        ("double tap #receipt", "thanks",   "authorized", "thanks", "paid",     "thanks"),
    ]),
    "in one browser, under way": ("browser", "1111", [
        ("go on",               "provider", "opened"),
        ("choose",              "confirm",  "reviewed"),
        ("agree, and hear nothing", "waiting", "purchasing", "waiting", "waiting", "waiting"),
        ("/confirm_order",      "waiting",  "purchasing", "waiting", "waiting", "waiting"),
        ("/button",             "waiting",  "purchasing"),
        ("launch",              "pending",  "purchasing", "pending", "waiting", "pending"),
        ("/checkout_cancel",    "waiting",  "purchasing", "waiting", "pending", "waiting"),
        ("provider's return",   "waiting",  "purchasing"),
        ("hear again",          "thanks",   "authorized", "thanks"),
    ]),
}

WALKS["of a site"] = ("site", "1111", [
    ("launch",              "provider", "opened",   "provider", "blank",    "provider"),
    ("/rescue",             "provider", "opened"),
    ("choose",              "confirm",  "reviewed", "confirm",  "provider", "confirm"),
    ("double tap #purchase_button", "result", "placed", "result", "confirm", "result"),
    ("/confirm_order",      "confirm",  "placed",   "confirm",  "result",   "confirm"),
    ("/rescue",             "result",   "placed",   "result",   "confirm",  "result"),
    ("launch",              "confirm",  "placed",   "confirm",  "result",   "confirm"),
    ("/checkout_result",    "result",   "placed"),
    ("the shop hears nothing", "result", "purchasing", "completing", "completing", "completing"),
    ("/checkout_cancel",    "completing", "purchasing", "completing", "completing", "completing"),
    ("launch",              "pending",  "purchasing", "pending", "completing", "pending"),
    ("the shop completes",  "pending",  "authorized", "paid"),
    ("/button",             "paid",     "authorized", "paid",   "paid",     "paid"),
    ("/rescue",             "paid",     "authorized", "paid",   "paid",     "paid"),
])

# The first return brings both halves together, and the buyer agrees behind a second opening.
STRICT = {
    "strict": ("iosApp", "1111", [
        ("launch",              "tap",      "issued",   "tap",      "blank",    "tap"),
        # What stands behind it depends on how far the first tap came before the second.
        ("double tap #open_button", "provider", "opened"),
        ("launch",              "tap",      "opened",   "tap",      "provider", "tap"),
        ("tap #open_button",    "provider", "opened",   "provider", "tap",      "provider"),
        ("choose",              "meet",     "reviewed", "meet",     "provider", "meet"),
        ("/rescue",             "rescue",   "reviewed", "rescue",   "meet",     "rescue"),
        ("/confirm_order",      "meet",     "reviewed"),
        ("the app meets",       "meet",     "issued",   "over"),
        ("/rescue",             "no link",  "issued",   "no link",  "over",     "no link"),
        ("launch",              "tap",      "issued",   "tap",      "no link",  "tap"),
        ("double tap #open_button", "confirm", "reviewed", "confirm"),
        ("double tap #purchase_button", "result", "placed", "result", "confirm", "result"),
        ("/rescue",             "rescue",   "placed",   "rescue",   "result",   "rescue"),
        ("/checkout_result",    "result",   "placed"),
        ("the app pays",        "result",   "authorized", "paid"),
        ("/rescue",             "paid",     "authorized", "paid",   "paid",     "paid"),
    ]),
}

# Taken in Japanese too: between them these show every page but those of profile strict.
IN_JAPANESE = ["agreed", "under way", "declined", "canceled", "in one browser", "in one browser, under way", "of a site"]

# What happens without the tab: its page stays as it was.
ELSEWHERE = {"the app pays", "the app pays, and hears nothing", "the app meets", "the shop completes", "the shop hears nothing", "time passes",
             "an operator revokes"}


class Walk:
    """A buyer with the app's web view and its tab, or one browser; the server of a site is a program of its own."""

    def __init__(self, shop, database, client, card, language="en"):
        self.shop, self.database, self.client, self.card, self.language = shop, database, client, card, language
        self.tab = purchase.Tab(language, None)
        self.view = self.tab if client in ("browser", "site") else purchase.Tab(language, None)
        self.merchant = Merchant(shop.program, shop) if client == "site" else None
        self.word = uuid.uuid4().hex
        self.ticket, self.session, self.links, self.last = None, None, {}, None

    def close(self):
        self.shop.clear_faults()
        self.tab.quit()
        if self.view is not self.tab:
            self.view.quit()
        if self.merchant:
            self.merchant.stop()

    # What the buyer does.

    def begin(self):
        """As far as the launch ticket: a double tap in the cart makes one session, also where the first tap is answered before the second."""
        driver = self.view.driver
        if self.client == "site":
            (self.session,) = self.new_sessions(lambda: self.ask("/checkouts", {"client": "site", "items": {"tea": 2}}))
            return
        if self.client != "browser":
            driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": purchase.BRIDGES[self.client] + SECOND_TAP})
        (self.session,) = self.new_sessions(self.tap_in_cart)

    def new_sessions(self, body):
        before = set(self.sql("SELECT webview_session_id FROM webview_session"))
        body()
        return set(self.sql("SELECT webview_session_id FROM webview_session")) - before

    def tap_in_cart(self):
        driver = self.view.driver
        driver.get(f"{self.shop.web}/{self.client}/cart")
        self.double_tap(self.view, "#amzn_button")
        if self.client == "browser":
            self.view.until(lambda: self.seen() == "provider", "the browser does not get to the provider")
            driver.back()
            ticket = "return (JSON.parse(sessionStorage.getItem('sallyport.session')) || {}).ticket"
        else:
            ticket = "return document.querySelector('#amzn_button:enabled') && window.handed"
        self.ticket = self.view.until(lambda: driver.execute_script(ticket), "no ticket")

    def ask(self, path, body):
        """What the site's own page asks its server, which keeps the proof."""
        fields = {"Authorization": "Bearer login-of-hanako-1", "Idempotency-Key": self.word, "Content-Type": "application/json"}
        request = urllib.request.Request(self.merchant.url + path, data=json.dumps(body).encode(), headers=fields)
        answer = json.load(urllib.request.urlopen(request))
        if "launchUrl" in answer:
            self.ticket = answer["launchUrl"].split("=", 1)[1]
        return answer

    def act(self, action):
        driver, tab = self.tab.driver, self.tab
        word, _, rest = action.partition(" #")
        if action == "launch":
            driver.get(f"{self.shop.web}/button?secureWebviewSessionId={self.ticket}")
        elif action.startswith("/"):
            driver.get(self.shop.web + action)
        elif action in ("back", "forward"):
            getattr(driver, action)()
        elif action == "go on":
            driver.forward()
        elif action == "reload":
            driver.refresh()
        elif word == "tap":
            tab.click_in_view("#" + rest)
        elif word == "double tap":
            self.double_tap(tab, "#" + rest)
        elif action == "choose":
            self.choose(self.card)
        elif action == "choose a good card":
            self.choose("1111")
        elif action == "provider's return":
            driver.get(f"{self.shop.web}/confirm_order?amazonCheckoutSessionId={self.order()}")
        elif action == "provider's result":
            driver.get(f"{self.shop.web}/checkout_result?amazonCheckoutSessionId={self.order()}")
        elif action == "agree, and hear nothing":
            self.lose_answers()
            tab.click("#purchase_button")
        elif action == "hear again":
            self.find_answers()
            driver.get(self.shop.web + "/checkout_result")
        elif action == "the app pays, and hears nothing":
            self.lose_answers()
            self.deliver()
        elif action == "the app pays":
            self.find_answers()
            # A page that heard nothing asks again by itself, and may be gone by now.
            self.deliver("if (typeof purchase === 'function') { " + "purchase(arguments[0],arguments[1],arguments[2]);" * 2 + " }")
            purchase.thanks(self.view)
        elif action == "the app meets":
            self.deliver("purchase(arguments[0],arguments[1],arguments[2]);")
            again = "return window.handed !== arguments[0] && window.handed"
            self.ticket = self.view.until(lambda: self.view.driver.execute_script(again, self.ticket), "no ticket for the second opening")
        elif action == "the shop hears nothing":
            self.lose_answers()
            assert self.ask("/checkouts/return", self.returned())["state"] != "paid"
        elif action == "the shop completes":
            self.find_answers()
            assert self.ask("/checkouts/return", self.returned())["state"] == "paid"
        elif action == "time passes":
            self.sql(f"UPDATE webview_session SET idle_until = now() WHERE webview_session_id = '{self.session}'")
        elif action == "an operator revokes":
            self.sallyport("revoke", self.session)
        else:
            raise AssertionError(f"no such action: {action}")

    def double_tap(self, tab, selector):
        def element():
            found = [one for one in tab.find(selector) if one.is_displayed() and one.is_enabled()]
            return found[0] if found else None
        found = tab.until(element, f"no {selector}")
        tab.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
        ActionChains(tab.driver).double_click(found).perform()

    def choose(self, card):
        tab = self.tab
        tab.until(lambda: tab.find("#email, #select-form"), "no page of the provider")
        if tab.find("#email"):
            return purchase.hosted_pages(tab, card=card)
        tab.click(f"#select-form input[name=cardId][value*='{card}']")
        tab.click("#continue")

    def lose_answers(self):
        """The provider completes the order, and says so to nobody."""
        for operation, action in [("CompleteCheckoutSession", {"resetAfter": True}), ("CompleteCheckoutSession", {"status": 503}),
                                  ("GetCheckoutSession", {"status": 503})]:
            count = 1 if "resetAfter" in action else 200
            self.shop.control("faults", {"match": {"operation": operation, "count": count}, "action": action})

    def find_answers(self):
        self.shop.clear_faults()
        self.sql(f"UPDATE webview_session SET lease_until = now() WHERE webview_session_id = '{self.session}' AND state = 'purchasing'")

    def deliver(self, call="purchase(arguments[0],arguments[1],arguments[2]);" * 2):
        """The app gets the link that the tab had first, twice at once, and purchases."""
        values = self.link()
        self.view.driver.execute_script(call, values["secureWebviewSessionId"], values["accessToken"], values["orderReferenceId"])

    def link(self):
        return dict(part.split("=", 1) for part in self.links[self.order(), self.ticket].split("?", 1)[1].split("&"))

    def returned(self):
        """What the site's page hands to its server."""
        return {"returnTicket": self.link()["secureWebviewSessionId"], "orderReferenceId": self.link()["orderReferenceId"]}

    # What is there.

    def look(self):
        """Address, heading, text and controls of the page; nothing while one page makes way for another."""
        try:
            return self.tab.driver.execute_script(LOOK)
        except WebDriverException:
            return None

    def seen(self):
        """The page's name here, else its address and heading."""
        looked = self.look()
        if looked is None:
            return "nothing"
        url, heading, _, controls = looked
        if not url.startswith("https"):
            return "blank"
        if url.startswith(self.shop.simulator) or self.tab.host() == purchase.SECOND_HOST:
            return "provider"
        path = "/" + url.split("/", 3)[3].split("?")[0]
        for name, (where, english, japanese, control) in PAGES.items():
            title = japanese if self.language == "ja" else english
            if heading == title and path.startswith(where) and (control is None or control in controls):
                return name
        return f"{path} {heading!r} {controls}"

    def sql(self, statement):
        run = subprocess.run(["psql", "-XqAt", self.database, "-c", statement], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        return run.stdout.splitlines()

    def sallyport(self, *arguments):
        return subprocess.run([self.shop.program, *arguments], env=self.shop.environment, check=True, capture_output=True, text=True).stdout

    def column(self, name):
        return self.sql(f"SELECT {name} FROM webview_session WHERE webview_session_id = '{self.session}'")[0]

    def state(self):
        return self.column("state")

    def order(self):
        return self.column("order_ref")

    # What has to be there.

    def step(self, action, page, state):
        """Does something, and waits for the page, the state and the money that belong to it."""
        self.act(action)
        self.expect(action, page, state)

    def expect(self, action, page, state):
        self.tab.until(lambda: self.is_at(page), f"{action}: not {page}")
        self.tab.until(lambda: self.state() == state, f"{action}: {self.state()} in place of {state}")
        url, _, text, _ = self.look()
        if page in ("result", "meet"):
            # The link of the first page stays good as long as its checkout session is the order's, and its tab the session's.
            link = self.tab.find("#purchase_link")[0].get_attribute("href")
            if action not in ELSEWHERE:
                assert self.links.setdefault((self.order(), self.ticket), link) == link, f"{action}: another return link"
        if state in ("purchasing", "authorized") and action not in ELSEWHERE:
            told = [words for words in BEGIN_AGAIN if words in text]
            assert not told, f"{action}: whoever has ordered reads {told}"
        self.check_money(state)

    def is_at(self, page):
        self.last = self.seen()
        return self.last == page

    def check_money(self, state):
        """What the provider holds of this order: one charge of what was agreed, once it is to be completed; nothing before, nor otherwise."""
        objects = [one for one in self.shop.control("state")["checkoutSessions"] if self.session in names(one)]
        done = [one["effectiveCompletes"] for one in objects if one["effectiveCompletes"]]
        assert done == ([1] if state in ("purchasing", "authorized") else []), f"completed {done} times while {state}"
        for one in objects:
            if one["effectiveCompletes"]:
                charge = self.shop.control("objects/" + one["chargeId"])
                assert charge["chargeAmount"]["amount"] == (TOTAL_OF_SITE if self.client == "site" else TOTAL), charge

    def check_trail(self):
        """The states that the program noted: each is behind the one before, or begins another try."""
        events = [json.loads(line) for line in self.sallyport("audit", self.session).splitlines()]
        assert not any("added" in event for event in events), "rows of the program are not known by their mark"
        states = [event["state"] for event in events]
        for before, after in zip(states, states[1:]):
            again = (before, after) in [("declined", "reviewed"), ("reviewed", "issued")]
            assert ORDER.index(before) <= ORDER.index(after) or again, f"{before}, then {after}: {states}"
        return states


def names(session):
    """The ids that may be the webview session's: beside the merchant's reference once it is agreed to, in its place before."""
    return [(session["customInformation"] or "").split(" ")[0], session["merchantReferenceId"]]


def walk(shop, database, name, language):
    """The number of cells that are as the table says."""
    client, card, rows = {**WALKS, **STRICT}[name]
    buyer, cells, action = Walk(shop, database, client, card, language), 0, "begin"
    try:
        buyer.begin()
        for number, (action, page, state, *again) in enumerate(rows, 1):
            for move, seen in [(action, page), *zip(["reload", "back", "forward"], again)]:
                try:
                    buyer.step(move, seen, state)
                except Exception as error:
                    # The first answer takes the tab's token away: a second tap that comes behind it finds no session. What was cancelled is.
                    if move == LATE_CANCEL and buyer.last == "over":
                        buyer.expect(move, "over", state)
                        cells += 1
                        continue
                    # A second tap that comes late makes an entry of its own.
                    if action.startswith("double tap") and move == "back" and buyer.last == page:
                        buyer.step(move, seen, state)
                        cells += 1
                        continue
                    raise AssertionError(f"row {number} ({action}), {move}: {seen} and {state} expected, {buyer.last} seen: {str(error)[:400]}") from error
                cells += 1
        buyer.check_trail()
    finally:
        buyer.close()
    return cells


def opened_twice(shop, database):
    """An app's wrapper opens the tab's address twice at once: both loads end in the same checkout, which can be paid."""
    buyer = Walk(shop, database, "iosApp", "1111")
    try:
        buyer.begin()
        driver = buyer.tab.driver
        first = driver.current_window_handle
        for _ in range(2):
            driver.execute_cdp_cmd("Target.createTarget", {"url": f"{shop.web}/button?secureWebviewSessionId={buyer.ticket}"})
        loads = {}
        for handle in set(driver.window_handles) - {first}:
            driver.switch_to.window(handle)
            buyer.tab.until(lambda: buyer.is_at("provider"), "one of two loads does not get to the provider")
            loads[driver.execute_script("return performance.timeOrigin")] = handle
        # The provider goes on with the checkout that was started last.
        driver.switch_to.window(loads[max(loads)])
        buyer.step("choose", "confirm", "reviewed")
        buyer.step("double tap #purchase_button", "result", "placed")
        buyer.step("the app pays", "result", "authorized")
        outcomes = [event["outcome"] for event in map(json.loads, buyer.sallyport("audit", buyer.session).splitlines()) if event["op"] == "open"]
        assert outcomes.count("opened") == 1 and set(outcomes) <= {"opened", "doubled", "same_tab"}, f"the trail says {outcomes}"
        buyer.check_trail()
    finally:
        buyer.close()
    return 5


def run(program, profile, walks):
    """Takes walks, each with its language, in a shop of a profile; returns the names of those that failed."""
    shop, failed = purchase.open_shop(program, {"PROFILE": profile}), []
    database = f"postgresql:///sallyport?host={shop.folder}/var/postgres/socket&user=sallyport"
    try:
        for name, language in walks:
            shown = name + (", in Japanese" if language == "ja" else "")
            try:
                count = opened_twice(shop, database) if name == "opened twice" else walk(shop, database, name, language)
                print(f"history: {shown}: {count} cells passed", flush=True)
            except Exception as error:
                failed.append(shown)
                print(f"history: {shown} FAILED: {error}", flush=True)
    finally:
        shop.stop()
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=purchase.ROOT / ".build/debug/sallyport")
    parser.add_argument("walks", nargs="*", choices=[[], *WALKS, *STRICT, "opened twice"], default=[])
    options = parser.parse_args()
    chosen = options.walks or [*WALKS, *STRICT, "opened twice"]
    walks = [(name, "en") for name in chosen] + [(name, "ja") for name in chosen if name in IN_JAPANESE]
    failed = []
    for profile in ("standard", "strict"):
        of_profile = [walk for walk in walks if (walk[0] in STRICT) == (profile == "strict")]
        if of_profile:
            failed += run(options.program, profile, of_profile)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
