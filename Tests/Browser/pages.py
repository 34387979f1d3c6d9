#!/usr/bin/python3
"""pages: every page of the shop in headless Chromium, in both languages, as buyers may have it.

Each page is looked at on a phone and a desk, in light and dark, 320 pixels wide, and with text of 200 per cent. axe (WCAG 2.2 A and AA, and its
best practice) has to be content, nothing may run out of the window or stand in a column of single letters, edges of controls have a contrast of 3 to 1, the
console stays silent, and on the confirm page of a phone the total and the button lie in the first window.

usage: Tests/Browser/pages.py [--program PATH] [--screenshots FOLDER] [--plain] [ja|en ...]
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import purchase  # noqa: E402
from demo import SCOPES, Merchant, free_ports  # noqa: E402

AXE = purchase.ROOT / ".build/python/axe_playwright_python/axe.min.js"

# name, width, height, dark; with text of 200 per cent in a browser of their own.
VARIANTS = [("phone", 390, 844, False), ("landscape", 844, 390, False), ("phone-dark", 390, 844, True), ("desk", 1280, 800, False), ("desk-dark", 1280, 800, True), ("narrow", 320, 640, False)]
LARGE = [("large", 390, 844, False), ("large-narrow", 320, 640, True)]

# What a shop may say about itself, so that the pages are looked at with all of it.
TERMS = {
    "PROVIDER_STORE_NAME": "見本茶舗",
    "SHOP_PAYMENT": "商品の発送時に請求します。", "SHOP_PAYMENT_EN": "You are charged when the goods are dispatched.",
    "SHOP_DELIVERY": "ご注文から3営業日以内に発送します。", "SHOP_DELIVERY_EN": "Dispatched within three working days.",
    "SHOP_RETURNS": "未開封の商品は到着後8日以内に返品できます。", "SHOP_RETURNS_EN": "Unopened goods can be returned within eight days.",
    "SHOP_LEGAL_URL": "https://shop.example/legal", "SHOP_TERMS_URL": "https://shop.example/terms",
    "SHOP_PRIVACY_URL": "https://shop.example/privacy", "SHOP_CONTACT_URL": "https://shop.example/contact",
    "SHOP_ACCENT": "#7a1f3d", "SHOP_HOME_URL": "https://shop.example/",
    "SHOP_REGISTRATION_NUMBER": "T1234567890123",
    "APPS_IOS": '[{"prefix":"ABCDE12345","bundle":"com.example.shop","store_url":"https://apps.apple.com/jp/app/shop/id123456789"}]',
    "APPS_ANDROID": '[{"package":"com.example.shop","fingerprints":["' + ":".join(["AB"] * 32)
                    + '"],"store_url":"https://play.google.com/store/apps/details?id=com.example.shop"}]',
}
LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 30"><rect width="90" height="30" rx="6" fill="#7a1f3d"/><circle cx="15" cy="15" r="8" fill="#fff"/></svg>'

LAYOUT = r"""
const wrong = [], width = document.documentElement.clientWidth;
const name = (e) => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") + (typeof e.className === "string" && e.className ? "." + e.className : "");
for (const e of document.body.querySelectorAll("*")) {
  if (!e.checkVisibility || !e.checkVisibility()) continue;
  const box = e.getBoundingClientRect(), style = getComputedStyle(e);
  if (box.width && (box.right > width + 1 || box.left < -1)) wrong.push(name(e) + " runs out of the window: " + box.left + " to " + box.right);
  if (e.scrollWidth > e.clientWidth + 1 && style.overflowX !== "visible" && e.clientWidth && e.tagName !== "INPUT") wrong.push(name(e) + " is cut off");
  const range = document.createRange(), texts = Array.from(e.childNodes).filter((n) => n.nodeType === 3 && n.data.trim());
  const lines = new Set(texts.flatMap((n) => (range.selectNodeContents(n), Array.from(range.getClientRects(), (r) => Math.round(r.top))))).size;
  // What is tapped and is no word in a sentence is as high as a finger.
  if (e.matches("a, button, summary") && box.height < 44 && !e.closest("noscript") && style.display !== "inline") wrong.push(name(e) + " is " + box.height + " high");
  const text = texts.map((n) => n.data.trim()).join("");
  if (lines > 2 && lines * 2.2 > text.length) wrong.push(name(e) + " is a column of letters: " + text);
}
const rgb = (text) => (text.match(/[\d.]+/g) || []).map(Number);
const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ground = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] === 1) return c.slice(0, 3); } return [255, 255, 255]; };
for (const [selector, pseudo] of [[".stepper"], [".step", "::before"], [".button:not(.button-main, .button-gold, .button-quiet)"]])
  for (const e of document.querySelectorAll(selector)) {
    if (!e.checkVisibility || !e.checkVisibility()) continue;
    // An edge, or a fill that stands out by itself.
    const b = light(ground(e.parentElement));
    const contrast = Math.max(...[rgb(getComputedStyle(e, pseudo).borderTopColor).slice(0, 3), ground(e)].map(light).map((a) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)));
    if (contrast < 3) wrong.push(name(e) + " has an edge of " + contrast.toFixed(2) + " to 1");
  }
return wrong;
"""

AXE_RUN = r"""
const done = arguments[arguments.length - 1];
axe.run(document, { runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] } }).then(
  (r) => done(r.violations.map((v) => v.id + " (" + v.impact + "): " + v.nodes.map((n) => n.target.join(" ") + " " + (n.any[0] ? n.any[0].message : "")).join("; "))),
  (e) => done(["axe: " + e]));
"""


class Looker:
    """Looks at whatever page a tab shows, in each variant."""

    def __init__(self, language, folder, large):
        self.language, self.folder, self.variants = language, folder, LARGE if large else VARIANTS
        self.large, self.axe, self.findings, self.seen = large, AXE.read_text(), [], 0
        self.tabs = []

    def tab(self, bridge=None):
        tab = purchase.Tab(self.language, None, preferences={"webkit.webprefs.default_font_size": 32} if self.large else {})
        tab.driver.set_script_timeout(60)
        if bridge:
            tab.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": purchase.BRIDGES[bridge]})
        self.tabs.append(tab)
        return tab

    def variant(self, tab, width, height, dark):
        tab.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        # Colours that are on their way to others would be measured in between.
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        tab.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme, still]})

    def look(self, tab, page, fold=None):
        for name, *shape in self.variants:
            self.variant(tab, *shape)
            driver = tab.driver
            found = driver.execute_script(LAYOUT)
            driver.execute_script(self.axe)
            found += driver.execute_async_script(AXE_RUN)
            if fold and name.startswith(("phone", "landscape")):
                for selector in fold:
                    box = driver.execute_script("scrollTo(0, 0); const b = document.querySelector(arguments[0]).getBoundingClientRect(); return [b.top, b.bottom]", selector)
                    if not 0 <= box[0] < box[1] <= shape[1]:
                        found.append(f"{selector} lies at {box} of {shape[1]}")
            if driver.find_element("tag name", "html").get_attribute("lang") != self.language:
                found.append("another language")
            self.seen += 1
            if self.folder:
                size = driver.execute_script("return [innerWidth, Math.max(innerHeight, document.documentElement.scrollHeight)]")
                driver.save_screenshot(str(self.folder / f"{page}.{self.language}.{name}.png"))
                if size[1] > shape[1]:
                    self.variant(tab, shape[0], size[1], shape[2])
                    driver.save_screenshot(str(self.folder / f"{page}.{self.language}.{name}-whole.png"))
            self.findings += [f"{page}.{self.language} {name}: {text}" for text in found]
        self.variant(tab, *self.variants[0][1:])
        # What is kept from loading here, and the status of a page that is an error, are no findings.
        self.findings += [f"{page}.{self.language} console: {text}" for text in tab.complaints()
                          if "ERR_BLOCKED_BY_CLIENT" not in text and "Failed to load resource: the server responded with a status of 4" not in text]

    def close(self):
        for tab in self.tabs:
            tab.quit()


def block(tab, *patterns):
    tab.driver.execute_cdp_cmd("Network.enable", {})
    tab.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": list(patterns)})


def without_session(shop, look):
    """Pages that need no purchase."""
    tab = look.tab()
    pages = [("start", "/"), ("cart", "/browser/cart"), ("cart-ios", "/iosApp/cart"), ("not-found", "/nowhere"), ("cookies-blocked", "/button"), ("neutral", "/thanks"),
             ("error", "/error"), ("rescue-closed", "/rescue"), ("unknown", "/button?secureWebviewSessionId=swa_" + "A" * 64)]
    for name, path in pages:
        tab.driver.get(shop.web + path)
        look.look(tab, name)
    for name, path in [("link-fallback", "/index.html"), ("link-not-found", "/nowhere")]:
        tab.driver.get(shop.link + path)
        look.look(tab, name)
    tab.driver.get(shop.web + "/browser/cart")
    field = tab.find("#hd8")[0]
    field.clear()
    field.send_keys("x")
    tab.click("#amzn_button")
    look.look(tab, "cart-mistake")
    covered(shop, look)


def covered(shop, look):
    """The cover over an app's cart: nothing behind it can be reached, and everything again once it is gone."""
    tab = look.tab()
    tab.driver.get(shop.web + "/iosApp/cart")
    reached = "return Array.from(document.querySelectorAll('a, button, input')).filter((e) => !e.closest('[inert], #filter')).length"
    before = tab.driver.execute_script(reached)
    block(tab, shop.web + "/purchase")
    tab.driver.execute_script("purchase('swc_' + 'C'.repeat(64), '', '')")
    tab.until(lambda: any(word.is_displayed() for word in tab.find("#filter_retry")), "no cover over the cart")
    during = tab.driver.execute_script(reached)
    look.look(tab, "cart-covered")
    tab.driver.execute_script("sallyport.panel.hide()")
    after = tab.driver.execute_script(reached)
    if during or not before or before != after:
        look.findings.append(f"cart-covered: {before}, {during}, {after} controls before, behind and after the cover")


def in_a_browser(shop, look):
    """A purchase in one browser, by way of a cancelled and a declined payment."""
    tab = look.tab()
    tab.driver.get(shop.web + "/browser/cart")
    block(tab, "*checkout.js*")
    tab.click("#amzn_button")
    tab.until(lambda: [e for e in tab.find("#slow") if e.is_displayed()], "no word of the button that is missing")
    look.look(tab, "button")
    block(tab)
    tab.driver.get(shop.web + "/checkout_cancel")
    look.look(tab, "canceled")
    tab.click("#retry")
    purchase.hosted_pages(tab, card="3434")
    tab.until(lambda: tab.find("#confirm_form"), "no confirm page")
    look.look(tab, "confirm", fold=[".bar-sum strong", "#purchase_button"])
    tab.click("#purchase_button")
    tab.until(lambda: tab.find("html[data-error=payment_declined]"), "no word of the decline")
    look.look(tab, "declined")
    tab.click("#retry")
    purchase.hosted_pages(tab, card="1111")
    tab.until(lambda: tab.find("#confirm_form"), "no confirm page")
    block(tab, shop.web + "/purchase")
    tab.click("#purchase_button")
    tab.until(lambda: any(word.is_displayed() for word in tab.find("#filter_retry")), "nothing to try again with")
    look.look(tab, "result-browser")
    block(tab)
    tab.click("#filter_retry")
    purchase.thanks(tab)
    look.look(tab, "thanks")
    tab.driver.get(shop.web + "/confirm_order")
    look.look(tab, "neutral-paid")
    tab.driver.get(shop.web + "/nowhere")
    look.look(tab, "not-found-receipt")


def in_an_app(shop, look, client):
    """The two browsers of an app's purchase, and what a second opening of the link says."""
    view, tab = look.tab(client), look.tab()
    view.driver.get(f"{shop.web}/{client}/cart")
    view.click("#amzn_button")
    ticket = view.until(lambda: view.driver.execute_script("return window.handed"), "nothing handed to the app")
    tab.driver.get(f"{shop.web}/button?secureWebviewSessionId={ticket}")
    purchase.hosted_pages(tab, "hokkaido@example.test")
    tab.until(lambda: tab.find("#confirm_form"), "no confirm page")
    look.look(tab, "confirm-app", fold=[".bar-sum strong", "#purchase_button"])
    tab.click("#purchase_button")
    tab.until(lambda: tab.find("#purchase_link"), "no return link")
    look.look(tab, "result-app")
    tab.driver.get(shop.web + "/rescue")
    look.look(tab, "rescue")
    other = look.tab()
    other.open_again(f"{shop.web}/button?secureWebviewSessionId={ticket}")
    look.look(other, "opened-twice")


def at_two_rates(shop, look):
    """An order of tea at eight per cent and a cup at ten: both rates, the mark and what it means."""
    tab, merchant = look.tab(), Merchant(shop.program, shop)
    try:
        fields = {"Authorization": "Bearer login-of-hanako-1", "Idempotency-Key": uuid.uuid4().hex, "Content-Type": "application/json"}
        body = json.dumps({"client": "site", "items": {"tea": 2, "cup": 1}}).encode()
        tab.driver.get(json.load(urllib.request.urlopen(urllib.request.Request(merchant.url + "/checkouts", data=body, headers=fields)))["launchUrl"])
        purchase.hosted_pages(tab)
        tab.until(lambda: tab.find("#confirm_form"), "no confirm page")
        look.look(tab, "confirm-rates", fold=[".bar-sum strong", "#purchase_button"])
        page = tab.text("main")
        for words in ["Sencha 100 g※", "2,640", "195", "1,420", "129", "4,060"]:
            if words not in page:
                look.findings.append(f"confirm-rates: no {words} in {page}")
    finally:
        merchant.stop()


class Seller:
    """A merchant's program with a key, and its server for the shipping cost."""

    def __init__(self, shop, port):
        data = {**os.environ, "SALLYPORT_DATA_DIR": str(shop.folder / "var")}

        def said(*arguments):
            return subprocess.run([shop.program, *arguments], env=data, cwd=purchase.ROOT, capture_output=True, text=True, check=True).stdout

        self.shop, self.origin = shop, f"http://127.0.0.1:{port}"
        self.key = said("keys", "create", "--name", "pages", "--scopes", SCOPES + ",wallet:read,wallet:write").strip()
        secret = json.loads(said("postage-key", self.origin))["secret"]
        self.process = subprocess.Popen([sys.executable, purchase.ROOT / "examples/postage.py"], stderr=subprocess.DEVNULL,
                                        env={**os.environ, "PORT": str(port), "POSTAGE_SECRETS": secret})

    def opened(self, **changes):
        """Where the buyer of an order goes."""
        yen = {"amount": "1320", "currencyCode": "JPY"}
        order = {"reference": "A-1", "client": "site", "currency": "JPY", "pricesIncludeTax": True, "returnUrl": "https://shop.example.com/paid",
                 "lines": [{"id": "tea", "name": "Sencha 100 g", "quantity": 2, "unitPrice": yen, "taxRate": 8}], **changes}
        fields = {"Authorization": "Bearer " + self.key, "Idempotency-Key": uuid.uuid4().hex, "Content-Type": "application/json"}
        request = urllib.request.Request(self.shop.web + "/v1/sessions", data=json.dumps(order).encode(), headers=fields)
        return json.load(urllib.request.urlopen(request, context=self.shop.trust))["launch"]["url"]

    def stop(self):
        self.process.terminate()
        self.process.wait(120)


def not_sent(shop, look, seller):
    """An address that nothing is sent to, and an order that is not sent at all."""
    tab = look.tab()
    tab.driver.get(seller.opened(postage={"callback": seller.origin}))
    purchase.hosted_pages(tab, "spellings@example.test", address="island")
    tab.until(lambda: tab.find("#undeliverable"), "no word of the address")
    look.look(tab, "confirm-undeliverable", fold=["#undeliverable", "#change_address"])
    tab.click("#change_address")
    tab.until(lambda: tab.find("#select-form"), "no choice of another address")
    tab.click("#select-form input[name=addressId][value=macron]")
    tab.click("#continue")
    tab.until(lambda: tab.find("#confirm_form"), "no confirm page")
    if "3,720" not in tab.text("#total"):
        look.findings.append(f"confirm-undeliverable: another address makes {tab.text('#total')}")
    tab = look.tab()
    tab.driver.get(seller.opened(delivery=False))
    purchase.hosted_pages(tab)
    tab.until(lambda: tab.find("#confirm_form"), "no confirm page")
    look.look(tab, "confirm-download", fold=[".bar-sum strong", "#purchase_button"])
    if tab.find("#change_address, #postage") or "2,640" not in tab.text("#total"):
        look.findings.append("confirm-download: an address, or a postage")


def click_shown(tab, selector):
    """Clicks what may be gone by now; never says that anything is reached."""
    tab.driver.execute_script("const e = document.querySelector(arguments[0]); if (e && e.checkVisibility()) e.click();", selector)


def paid_in_an_app(shop, look, client):
    """An app's purchase whose bank takes its time: what the app shows, and what the launch link says before and behind it."""
    view, tab, other = look.tab(client), look.tab(), look.tab()
    view.driver.get(f"{shop.web}/{client}/cart")
    view.click("#amzn_button")
    ticket = view.until(lambda: view.driver.execute_script("return window.handed"), "nothing handed to the app")
    launch = f"{shop.web}/button?secureWebviewSessionId={ticket}"
    tab.driver.get(launch)
    purchase.hosted_pages(tab)
    tab.until(lambda: tab.find("#confirm_form"), "no confirm page")
    tab.click("#purchase_button")
    link = tab.until(lambda: tab.find("#purchase_link"), "no return link")[0].get_attribute("href")
    values = dict(part.split("=", 1) for part in link.split("?", 1)[1].split("&"))
    shop.control("faults", {"match": {"operation": "CompleteCheckoutSession", "count": 50}, "action": {"resetAfter": True}})
    shop.control("faults", {"match": {"operation": "GetCheckoutSession", "count": 50}, "action": {"resetBefore": True}})
    view.driver.execute_script("purchase(arguments[0],arguments[1],arguments[2])", values["secureWebviewSessionId"], values["accessToken"], values["orderReferenceId"])
    view.until(lambda: any(word.is_displayed() for word in view.find("#filter_retry")), "no word of the wait")
    number = view.text("#filter_number")
    twice = "二重に請求されることはありません" if look.language == "ja" else "You will not be charged twice"
    if len(number) != 11 or "27,996" not in view.text("#filter_total") or twice not in view.text("#filter_text"):
        look.findings.append(f"waiting: {number}: {view.text('#filter_text')}")
    look.look(view, "waiting")
    other.open_again(launch)
    look.look(other, "launch-again-pending")
    tab.driver.get(shop.web + "/confirm_order")
    look.look(tab, "confirm-read-only")
    shop.clear_faults()
    view.click("#filter_retry")
    # The page asks again by itself, but whoever has the lease of the purchase may keep it for a while.
    view.until(lambda: "/thanks" in view.driver.current_url or click_shown(view, "#filter_retry"), "no receipt", patience=6 * purchase.PATIENCE)
    purchase.thanks(view)
    if view.text("#order_number") != number:
        look.findings.append(f"thanks: the number was {number} and is {view.text('#order_number')}")
    other.open_again(launch)
    look.look(other, "launch-again-paid")


def by_the_staff(shop, look, key):
    """The pages on the administration listener."""
    tab = look.tab()
    tab.driver.get(shop.admin + "/console/decisions")
    look.look(tab, "staff-sign-in")

    def sign_in(text):
        tab.find("#name")[0].send_keys("山田 花子")
        tab.find("#key")[0].send_keys(text)
        tab.click("main button")

    sign_in("sok_" + "A" * 43)
    look.look(tab, "staff-refused")
    sign_in(key)
    tab.at("/console/decisions")
    look.look(tab, "staff-decisions")
    for name, path in [("staff-not-found", "/console/nowhere"), ("staff-start", "/console"), ("staff-sessions", "/console/sessions"), ("staff-nothing", "/console/decisions?person=x")]:
        tab.driver.get(shop.admin + path)
        look.look(tab, name)
    tab.click(".person button")
    tab.until(lambda: tab.find(".done"), "no word of the sign-out")
    look.look(tab, "staff-signed-out")


def cards(shop, look, staff_key, key):
    """A member's card: the page of its link, the simulated phone that shows it, and the management pages."""

    def tell(path, content):
        return json.load(urllib.request.urlopen(urllib.request.Request(shop.phones + path, json.dumps(content).encode())))

    name = f"山田 花子 <{uuid.uuid4().hex[:8]}>"
    fields = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    body = json.dumps({"externalId": uuid.uuid4().hex, "name": name}).encode()
    request = urllib.request.Request(shop.web + "/v1/wallet/members", body, fields)
    member = json.load(urllib.request.urlopen(request, context=shop.trust))
    phone = tell("/phones", {})["phones"][0]
    tab = look.tab()
    tab.driver.get(member["walletUrl"])
    look.look(tab, "card", fold=["#card"])
    request = urllib.request.Request(tab.find("#card")[0].get_attribute("href"), headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, context=shop.trust) as answer:
        if answer.headers["Content-Type"] != "application/vnd.apple.pkpass" or not answer.read().startswith(b"PK"):
            look.findings.append(f"card: the button leads to {answer.headers['Content-Type']}")

    tab.driver.get(f"{shop.phones}/phones/{phone}")
    look.look(tab, "phone-empty")
    tab.find("input[name=url]")[0].send_keys(member["walletUrl"])
    tab.click("form.wide button")
    tab.until(lambda: tab.find("#cards .slot"), "no card on the phone")
    look.look(tab, "phone-card")

    tab.driver.get(shop.admin + "/console/wallet")
    tab.find("#name")[0].send_keys("山田 花子")
    tab.find("#key")[0].send_keys(staff_key)
    tab.click("main button")
    tab.at("/console/wallet")
    look.look(tab, "staff-members")
    tab.driver.get(shop.admin + "/console/wallet?q=nobody&state=lost")
    look.look(tab, "staff-members-none")
    page = f"/console/wallet/members/{member['accountId']}"
    tab.driver.get(shop.admin + page)
    look.look(tab, "staff-member")
    tab.find("#field-number")[0].send_keys("1200")
    tab.click(f"form[action='{page}/points'] button")
    tab.until(lambda: tab.find(".done"), "no word of the points")
    tab.driver.get(f"{shop.phones}/phones/{phone}")
    tab.until(lambda: (tab.driver.refresh(), "1200" in tab.text("main"))[1], "no points on the phone")
    look.look(tab, "phone-changed")
    tab.driver.get(shop.admin + page)
    tab.click(f"form[action='{page}/link'] button")
    tab.until(lambda: any("wallet/" in code.text for code in tab.find("main code")), "no link")
    look.look(tab, "staff-link")
    tab.driver.get(shop.admin + page + "/end")
    look.look(tab, "staff-end")
    tab.find("#field-reason")[0].send_keys("<b>退会</b>")
    tab.click("main form button")
    tab.at(page)
    look.look(tab, "staff-ended")


def hosted(shop, look):
    """The simulator's page of an error: no row without a value."""
    tab = look.tab()
    for name, steps in [("sim-signin", []), ("sim-consent", ["#buyer-form [value='mfa@example.test']", "code"]), ("sim-select", ["#agree"])]:
        if name == "sim-signin":
            shop.control("reset", {})
            shop.control("options", {"secondHost": True})
            tab.driver.get(shop.web + "/browser/cart")
            tab.click("#amzn_button")
            tab.until(lambda: tab.find("#email"), "no sign-in page")
        for step in steps:
            if step == "code":
                tab.until(lambda: tab.find("#code"), "no one-time code")
                look.look(tab, "sim-code")
                tab.find("#code")[0].send_keys("123456")
                tab.click("#confirm")
                tab.until(lambda: tab.find("#consent-form"), "no consent")
            else:
                tab.click(step)
        if name == "sim-select":
            tab.until(lambda: tab.find("#select-form"), "no choice")
        look.look(tab, name)
    tab.driver.get(shop.simulator + "/ap/error?code=VisitNotFound")
    look.look(tab, "sim-error")
    rows = tab.driver.execute_script("return Array.from(document.querySelectorAll('dt, b, strong')).filter((e) => !(e.nextSibling && e.nextSibling.textContent.trim()) && !e.nextElementSibling).map((e) => e.textContent)")
    look.findings += [f"the simulator's page names {row} and says nothing" for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=purchase.ROOT / ".build/debug/sallyport")
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--plain", action="store_true", help="without what a shop says about itself")
    parser.add_argument("languages", nargs="*", choices=[[], "ja", "en"], default=[])
    options = parser.parse_args()
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        logo = pathlib.Path(folder) / "logo.svg"
        logo.write_text(LOGO)
        port = free_ports(1)[0]
        made = subprocess.run([options.program, "operators", "key", "山田 花子", "--role", "change"], cwd=purchase.ROOT, capture_output=True, text=True, check=True)
        key, line = made.stdout.splitlines()
        staff = pathlib.Path(folder) / "staff"
        staff.touch(0o600)
        staff.write_text(line + "\n")
        asked = {"MERCHANT_POSTAGE_ORIGINS": f"http://127.0.0.1:{port}", "OPERATORS_KEYS_FILE": str(staff)}
        shop = purchase.open_shop(options.program, {**asked, **({} if options.plain else {**TERMS, "SHOP_LOGO": str(logo)})})
    seller = Seller(shop, port)
    findings, seen = [], 0
    try:
        for language in options.languages or ["ja", "en"]:
            for large in (False, True):
                look = Looker(language, options.screenshots, large)
                try:
                    without_session(shop, look)
                    in_a_browser(shop, look)
                    in_an_app(shop, look, "iosApp")
                    at_two_rates(shop, look)
                    not_sent(shop, look, seller)
                    if not large:
                        paid_in_an_app(shop, look, "androidApp")
                    by_the_staff(shop, look, key)
                    cards(shop, look, key, seller.key)
                    hosted(shop, look)
                finally:
                    look.close()
                findings, seen = findings + look.findings, seen + look.seen
    finally:
        seller.stop()
        shop.stop()
    for finding in findings:
        print(f"pages: {finding}")
    print(f"pages: {seen} looks, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
