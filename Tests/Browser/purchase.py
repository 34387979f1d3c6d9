#!/usr/bin/python3
"""purchase: drives whole purchases in headless Chromium, against the real program and the simulator's pages.

Starts `sallyport demo` with a database of its own on free ports, then buys as client browser in Japanese and in English,
with and without script, as the two apps through their bridges, and cancels and declines on the way. The simulator's pages are on a second host,
which no setting of the shop names; one case is without it.

usage: Tests/Browser/purchase.py [--program PATH] [--screenshots FOLDER] [CASE ...]
"""
import argparse
import contextlib
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
import urllib.parse

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
from demo import ROOT, Shop, free_ports  # noqa: E402

PATIENCE = 120


class Tab:
    """One Chromium, as large as a phone."""

    def __init__(self, language, folder, script=True, preferences=None):
        options = webdriver.ChromeOptions()
        for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--ignore-certificate-errors",
                         "--window-size=390,844", f"--lang={language}", "--disable-background-networking"]:
            options.add_argument(argument)
        preferences = {"intl.accept_languages": language, **(preferences or {})}
        if not script:
            preferences["profile.managed_default_content_settings.javascript"] = 2
        options.add_experimental_option("prefs", preferences)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.language, self.folder, self.count = language, folder, 0

    def until(self, condition, what, patience=PATIENCE):
        try:
            # A page may go away while it is looked at: the next look is at the new one.
            wait = WebDriverWait(self.driver, patience, poll_frequency=0.05, ignored_exceptions=[StaleElementReferenceException])
            return wait.until(lambda driver: condition())
        except Exception as error:
            self.picture("failed")
            raise AssertionError(f"{what}: {self.driver.current_url}\n{self.driver.page_source[:1500]}") from error

    def find(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector):
        """Waits for one visible element that takes a click, and clicks it."""
        def element():
            found = [one for one in self.find(selector) if one.is_displayed() and one.is_enabled()]
            return found[0] if found else None
        self.until(element, f"no {selector}").click()

    def click_in_view(self, selector):
        """The same for an element that the bar at the foot of the window may lie over."""
        self.until(lambda: self.find(selector), f"no {selector}")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", self.find(selector)[0])
        self.click(selector)

    def open_again(self, address):
        """Opens a launch link that was opened before, and waits for its answer: right behind the first opening a page comes first that asks once more."""
        self.driver.get(address)
        self.until(lambda: not self.find("#open_form"), "no answer to a second opening")

    def at(self, part):
        self.until(lambda: part in self.driver.current_url, f"not at {part}")

    def picture(self, name):
        if self.folder:
            self.count += 1
            self.driver.save_screenshot(str(self.folder / f"{self.language}-{self.count:02}-{name}.png"))

    def text(self, selector):
        return self.until(lambda: self.find(selector), f"no {selector}")[0].text

    def host(self):
        return urllib.parse.urlsplit(self.driver.current_url).hostname

    def complaints(self):
        """What the console holds against the pages of the shop: policy violations, script errors."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and "favicon" not in entry["message"]]

    def quit(self):
        self.driver.quit()


SECOND_HOST = "signin.localhost"


def hosted_pages(tab, email="tokyo@example.test", card=None, host=SECOND_HOST, address=None):
    """Signs in, agrees and chooses on the simulator's pages, as far as they are shown."""
    tab.until(lambda: tab.find("#email"), "no sign-in page")
    assert tab.host() == host, f"the sign-in is on {tab.host()}"
    tab.picture("signin")
    field = tab.find("#email")[0]
    field.clear()
    field.send_keys(email)
    tab.click("#signin-form [value=signin]")
    tab.until(lambda: tab.find("#consent-form, #select-form"), "neither consent nor choice")
    if tab.find("#consent-form"):
        tab.picture("consent")
        tab.click("#consent-form [value=agree]")
    tab.until(lambda: tab.find("#select-form"), "no choice of address and card")
    if address:
        tab.click(f"#select-form input[name=addressId][value='{address}']")
    if card:
        tab.click(f"#select-form input[name=cardId][value*='{card}']")
    tab.picture("select")
    tab.click("#continue")


def confirm(tab, total):
    tab.until(lambda: tab.find("#confirm_form"), "no confirm page")
    tab.picture("confirm")
    assert total in tab.text("#total"), f"the total is {tab.text('#total')}, not {total}"
    tab.click("#purchase_button")


def thanks(tab):
    tab.at("/thanks")
    number = tab.text("#order_number")
    tab.picture("thanks")
    assert number, "no order number"


def browser(shop, tab, email="tokyo@example.test", total="27,996", host=SECOND_HOST):
    before = len(shop.completes())
    tab.driver.get(shop.web + "/browser/cart")
    tab.picture("cart")
    tab.click("#amzn_button")
    hosted_pages(tab, email, host=host)
    confirm(tab, total)
    thanks(tab)
    new = shop.completes()[before:]
    assert [amount for _, amount in new] == [total.replace(",", "")], f"the provider's ledger says {new}"
    assert not tab.complaints(), tab.complaints()


def case_japanese(shop, folder):
    with contextlib.closing(Closing(Tab("ja", folder))) as one:
        browser(shop, one.tab)
        assert "ご購入ありがとうございました" in one.tab.driver.page_source


def case_english(shop, folder):
    with contextlib.closing(Closing(Tab("en", folder))) as one:
        browser(shop, one.tab, "okinawa@example.test", "28,536")
        assert one.tab.driver.find_element(By.TAG_NAME, "html").get_attribute("lang") == "en"


def case_one_host(shop, folder):
    """As everything else, without the second host."""
    shop.control("options", {"secondHost": False})
    try:
        with contextlib.closing(Closing(Tab("en", None))) as one:
            browser(shop, one.tab, host="localhost")
    finally:
        shop.control("options", {"secondHost": True})


def case_bank(shop, folder):
    """A bank on the second host asks behind the form of the confirm page, however the way back is made."""
    try:
        for redirect in ("http", "meta", "script"):
            shop.control("options", {"ask3ds": True, "redirect": redirect})
            with contextlib.closing(Closing(Tab("en", None))) as one:
                one.tab.driver.get(shop.web + "/browser/cart")
                one.tab.click("#amzn_button")
                hosted_pages(one.tab)
                confirm(one.tab, "27,996")
                one.tab.at("/ap/3ds")
                assert one.tab.host() == SECOND_HOST, f"the bank is on {one.tab.host()}"
                one.tab.find("#code")[0].send_keys("123456")
                one.tab.click("#confirm")
                thanks(one.tab)
    finally:
        shop.control("options", {"ask3ds": False, "redirect": "http"})


def case_change(shop, folder):
    """The change links of the confirm page, and cancelling at the service, lead over both hosts too."""
    with contextlib.closing(Closing(Tab("en", None))) as one:
        tab = one.tab
        tab.driver.get(shop.web + "/browser/cart")
        tab.click("#amzn_button")
        hosted_pages(tab)
        tab.until(lambda: tab.find("#confirm_form"), "no confirm page")
        tab.until(lambda: tab.driver.execute_script("return Boolean(window.amazon && window.amazon.Pay)"), "no script of the service")
        tab.click_in_view("#change_address")
        tab.at(SECOND_HOST)
        tab.click("#address-okinawa")
        tab.click("#continue")
        tab.until(lambda: "28,536" in tab.text("#total"), "no total for the new address")
        tab.click_in_view("#change_payment")
        tab.at(SECOND_HOST)
        tab.click("#cancel")
        confirm(tab, "28,536")
        thanks(tab)
        assert not tab.complaints(), tab.complaints()
        tab.driver.get(shop.web + "/browser/cart")
        tab.click("#amzn_button")
        tab.until(lambda: tab.find("#email, #select-form"), "no page of the service")
        tab.click("#cancel")
        tab.at("/checkout_cancel")


def headline(tab):
    return tab.text("h1")


def case_paid_again(shop, folder):
    """Whoever has paid is told so by the launch link, in the same tab and in another, and finds the receipt; nobody is sent to the cart."""
    with contextlib.closing(Closing(Tab("en", folder))) as one, contextlib.closing(Closing(Tab("en", None))) as other:
        tab = one.tab
        tab.driver.get(shop.web + "/browser/cart")
        tab.click("#amzn_button")
        tab.until(lambda: tab.find("#email, #select-form"), "no page of the service")
        tab.driver.get(shop.web + "/browser/cart")
        ticket = tab.driver.execute_script("return JSON.parse(sessionStorage.getItem('sallyport.session')).ticket")
        link = shop.web + "/button?secureWebviewSessionId=" + ticket
        tab.driver.get(shop.web + "/button")
        hosted_pages(tab)
        confirm(tab, "27,996")
        thanks(tab)
        before = len(shop.completes())
        for again, address in [(tab, link), (other.tab, link), (tab, shop.web + "/button"), (tab, shop.web + "/confirm_order"),
                               (tab, shop.web + "/checkout_result")]:
            again.open_again(address)
            again.picture("paid-again")
            assert headline(again) == "Your order is complete", f"{address}: {headline(again)}"
            page = again.text("main")
            assert "start again" not in page and "cart" not in page, page
            assert not again.find("a[href$='/cart']"), "a way to the cart"
            assert bool(again.find("#receipt")) == (again is tab), "the receipt is for the jar that holds it"
        tab.click("#receipt")
        thanks(tab)
        assert len(shop.completes()) == before


def case_cart_kept(shop, folder):
    """The quantities of the cart outlive a checkout that is cancelled, and end with the purchase."""
    with contextlib.closing(Closing(Tab("en", None))) as one:
        tab = one.tab

        def quantity():
            tab.until(lambda: tab.find("#hd8") and any(button.is_enabled() for button in tab.find("#amzn_button")), "no cart")
            return tab.find("#hd8")[0].get_attribute("value")

        tab.driver.get(shop.web + "/browser/cart")
        assert quantity() == "1"
        for _ in range(2):
            tab.click("#hd8 + button")
        tab.click("#amzn_button")
        tab.until(lambda: tab.find("#email"), "no sign-in page")
        tab.click("#cancel")
        tab.at("/checkout_cancel")
        assert "Your cart is unchanged." in tab.text("main")
        tab.click("#back_to_cart")
        assert quantity() == "3", "the cart has changed"
        tab.click("#amzn_button")
        hosted_pages(tab)
        tab.until(lambda: tab.find("#confirm_form"), "no confirm page")
        tab.click("#purchase_button")
        thanks(tab)
        tab.driver.get(shop.web + "/browser/cart")
        assert quantity() == "1", "what was bought is still in the cart"


# What the sample apps install in their web views: what the page hands over is kept in `handed`.
BRIDGES = {
    "iosApp": "window.webkit={messageHandlers:{iosApp:{postMessage:m=>{window.handed=m.secureWebviewSessionId}}}};",
    "androidApp": "window.androidApp={handle:id=>{window.handed=id}};",
}


def app(shop, client, script):
    """An app's web view and its tab are two browsers; the tab has script as far as Amazon's pages, or all the way."""
    view, tab = Tab("en", None), Tab("en", None)
    try:
        view.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": BRIDGES[client]})
        view.driver.get(f"{shop.web}/{client}/cart")
        view.click("#amzn_button")
        ticket = view.until(lambda: view.driver.execute_script("return window.handed"), "nothing handed to the app")
        tab.driver.get(f"{shop.web}/button?secureWebviewSessionId={ticket}")
        if not script:
            tab.driver.execute_cdp_cmd("Page.enable", {})
            tab.at("/ap/signin")
            tab.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        hosted_pages(tab, "hokkaido@example.test")
        confirm(tab, "28,536")
        link = tab.until(lambda: tab.find("#purchase_link"), "no return link")[0].get_attribute("href")
        values = dict(part.split("=", 1) for part in link.split("?", 1)[1].split("&"))
        assert values["old_secureWebviewSessionId"] == ticket, "the link remembers another ticket"
        view.driver.execute_script(
            "purchase(arguments[0],arguments[1],arguments[2])", values["secureWebviewSessionId"],
            values["accessToken"], values["orderReferenceId"])
        thanks(view)
        assert not view.complaints() + tab.complaints(), view.complaints() + tab.complaints()
    finally:
        view.quit()
        tab.quit()


def case_app(shop, folder):
    for client in BRIDGES:
        app(shop, client, script=True)


def case_app_without_script(shop, folder):
    for client in BRIDGES:
        app(shop, client, script=False)


def case_without_script(shop, folder):
    """Everything behind the cart works without script: each automatic hop has a control."""
    with contextlib.closing(Closing(Tab("en", None))) as one:
        one.tab.driver.get(shop.web + "/browser/cart")
        one.tab.driver.execute_cdp_cmd("Page.enable", {})
        one.tab.click("#amzn_button")
        one.tab.at("/ap/signin")
        one.tab.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        hosted_pages(one.tab)
        confirm(one.tab, "27,996")
        one.tab.click("#purchase_form button, #purchase_form [type=submit]")
        thanks(one.tab)


def case_declined(shop, folder):
    """A declined card ends on a page that says so; another try with a good card succeeds."""
    with contextlib.closing(Closing(Tab("en", folder))) as one:
        one.tab.driver.get(shop.web + "/browser/cart")
        one.tab.click("#amzn_button")
        hosted_pages(one.tab, card="3434")
        confirm(one.tab, "27,996")
        one.tab.until(lambda: one.tab.find("html[data-error=payment_declined]"), "no word of the decline")
        one.tab.picture("declined")
        one.tab.click("#retry")
        hosted_pages(one.tab, card="1111")
        confirm(one.tab, "27,996")
        thanks(one.tab)


def case_readme(shop, folder):
    """The README's walk-through with curl, what it does with an order afterwards, and its commands, word for word and with what they print."""
    text = (ROOT / "README.md").read_text()
    places = written_places(shop)
    walk = [block for block in readme_blocks(text, "A purchase with curl") if not block.startswith("scripts/walkthrough")]
    *afterwards, comparison = readme_blocks(text, "The order afterwards")
    assert len(walk) > 5 and len(afterwards) > 3 and comparison.startswith("sallyport reconcile"), (walk, afterwards, comparison)
    for client in ("iosApp", "androidApp", "browser"):
        before = len(shop.completes())
        run = run_blocks(walk + afterwards, {**places, "CLIENT=iosApp": f"CLIENT={client}"}, shop.folder)
        lines = run.stdout.splitlines()
        bodies = [line for line in lines if '"orderId"' in line]
        assert len(bodies) == 2 and bodies[0] == bodies[1], f"{client}: {run.stdout}\n{run.stderr}"
        assert "200" in lines and "303" in lines, f"{client}: {run.stdout}\n{run.stderr}"
        assert len(shop.completes()) == before + 1, f"{client}: the ledger holds {shop.completes()[before:]}"
        environment = {**os.environ, "CA": str(shop.authority), "WEB": shop.web, "SIM": shop.simulator}
        run = subprocess.run([ROOT / "scripts/walkthrough", client], env=environment, capture_output=True, text=True)
        assert "thanks: 200" in run.stdout, f"{client}: {run.stdout}\n{run.stderr}"
    # In the folder of the demo, without a variable: they find its settings.
    commands = [block for block in readme_blocks(text, "Start") if block.startswith("sallyport() { .build")]
    assert len(commands) == 1, commands
    # What was bought a moment ago may still be on its way into the books: a reader is slower than this.
    end = time.monotonic() + 120
    while True:
        try:
            run_blocks([*commands, comparison], places, shop.folder)
            break
        except AssertionError as difference:
            if "differences left" not in str(difference) or time.monotonic() > end:
                raise


def case_cards(shop, folder):
    """The guide's walk with a member card, word for word and with what it prints; then a card on two phones."""
    phones = shop.phones.removesuffix("/_sim")
    root = shop.authority.parent / "passes/root.pem"
    places = {**written_places(shop), "http://127.0.0.1:9447": phones, "var/development/passes/root.pem": str(root)}
    blocks = readme_blocks((ROOT / "docs/wallet.md").read_text(), "A walk with curl")
    assert len(blocks) > 5, blocks
    run_blocks(blocks, places, shop.folder)
    environment = {**os.environ, "CA": str(shop.authority), "WEB": shop.web, "PHONES": phones, "SALLYPORT": os.path.abspath(shop.program)}
    run = subprocess.run([ROOT / "scripts/walkthrough", "wallet"], env=environment, cwd=shop.folder, capture_output=True, text=True)
    said = [line.rsplit(": ", 1)[1] for line in run.stdout.splitlines()]
    assert said == ["installed", "120 points", "120 points", "installed", "removed"], f"{run.stdout}\n{run.stderr}"


# The guides whose first block is commands. That of the mobile guide is two programs, which Tests/Clients/guide.py builds.
GUIDES = ["docs/merchant-guide.md", "docs/webhooks.md", "docs/postage.md", "docs/simulator.md", "docs/profiles.md", "docs/doctor.md", "examples/README.md"]


def case_guides(shop, folder):
    """The block with which each guide opens, word for word and with what it prints, in a demo that asks for the shipping cost where the guide's server is."""
    hook, postage, server = free_ports(3)
    shop = Shop(shop.program, {"MERCHANT_POSTAGE_ORIGINS": f"http://127.0.0.1:{postage}"})
    try:
        def files():
            return sorted(set(os.listdir(shop.folder)) - {"out"})

        before = files()
        places = {**written_places(shop), "127.0.0.1:8099": f"127.0.0.1:{hook}", "PORT=8099": f"PORT={hook}", "PORT=8097": f"PORT={server}",
                  "127.0.0.1:8098": f"127.0.0.1:{postage}", "PORT=8098": f"PORT={postage}", "scripts/": f"{ROOT}/scripts/", "examples/": f"{ROOT}/examples/"}
        for guide in GUIDES:
            text = (ROOT / guide).read_text()
            blocks = sh_blocks(text, "bash")
            assert len(blocks) == 1 and text.split("```", 2)[1].startswith("bash\n"), f"{guide} does not open with its one bash block"
            run_blocks([blocks[0][1]], places, shop.folder, {"CA": str(shop.authority), "WEB": shop.web, "SIM": shop.simulator})
            assert files() == before, f"{guide} leaves {files()}"
            print(f"browser: guides: {guide} passed", flush=True)
    finally:
        shop.stop()


def written_places(shop):
    """What stands in the documents, and where it is in a test."""
    return {"var/development/authority.pem": str(shop.authority), "https://localhost:8443": shop.web, "https://localhost:9443": shop.simulator,
            ".build/release/sallyport": os.path.abspath(shop.program)}


def readme_blocks(text, heading):
    """The shell blocks of a part of the README, up to the next heading."""
    part = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return ["\n".join(line[indent:] for line in body.splitlines()) for indent, body in sh_blocks(part)]


def run_blocks(blocks, places, folder=None, environment=None):
    """Runs blocks in one shell; each word behind ` # ` has to be in what its line prints."""
    lines = []
    for line in "\n".join(blocks).replace("\\\n", " ").splitlines():
        command, mark, words = line.rpartition(" # ")
        if mark and not line.startswith("#"):
            name = shlex.quote(command.strip()[:60])
            line = f"{{ {command}; }} > out || {{ cat out; echo failed: {name}; exit 1; }}; check {shlex.quote(words.strip())} {name}; cat out"
        lines.append(line)
    # What a block has begun in the background ends with it, also where a line has failed.
    script = "\n".join(['set -eu', "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT", CHECK, *lines])
    for written, here in places.items():
        script = script.replace(written, here)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("SALLYPORT_")} | (environment or {})
    with tempfile.TemporaryDirectory() as place:
        run = subprocess.run(["bash"], input=script, capture_output=True, text=True, cwd=folder or place, env=plain)
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    return run


CHECK = 'check() { for word in $1; do grep -qF -- "$word" out || { echo "no $word at: $2"; cat out; exit 1; }; done; }'


def sh_blocks(text, language="sh"):
    """(indent, body) of each fenced shell block. Those of `sh` are taken one after the other, one of `bash` stands by itself."""
    blocks, body, indent = [], None, 0
    for line in text.splitlines():
        if body is None and line.strip() == "```" + language:
            body, indent = [], len(line) - len(line.lstrip())
        elif body is not None and line.strip() == "```":
            blocks.append((indent, "\n".join(body)))
            body = None
        elif body is not None:
            body.append(line)
    return blocks


def open_shop(program, extra=None):
    """A demo whose simulator leads over a second host."""
    shop = Shop(program, extra)
    shop.control("options", {"secondHost": True})
    return shop


class Closing:
    """Lets `with` quit a browser."""

    def __init__(self, tab):
        self.tab = tab

    def close(self):
        self.tab.quit()


CASES = {name[5:]: value for name, value in list(globals().items()) if name.startswith("case_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=ROOT / ".build/debug/sallyport")
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("cases", nargs="*", choices=[[], *CASES], default=[])
    options = parser.parse_args()
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    shop, failed = open_shop(options.program), []
    try:
        for name in options.cases or CASES:
            try:
                CASES[name](shop, options.screenshots)
                print(f"browser: {name} passed", flush=True)
            except Exception as error:
                failed.append(name)
                print(f"browser: {name} FAILED: {error}", flush=True)
    finally:
        shop.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
