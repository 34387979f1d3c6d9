// Completes a purchase from a page: one POST to /purchase, repeated until there is an answer that settles it.
// The server answers every repeat of one purchase alike, so repeating is always safe. Shared by cart.js and result.js.
(function () {
  "use strict";

  const AUTOMATIC_CHECKS = 10;
  const LONGEST_PAUSE = 30;
  const PATIENCE = 45000;
  const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const CART = "sallyport.cart";
  const YEN = document.documentElement.lang === "ja" ? "￥" : "¥";

  const element = (id) => document.getElementById(id);
  let latest = 0;

  /** The page's data block. */
  function readData() {
    return JSON.parse(element("page_data").textContent);
  }

  /** Keeps a value for as long as the tab lives, or forgets it. */
  function keep(name, value) {
    try {
      if (value) sessionStorage.setItem(name, JSON.stringify(value));
      else sessionStorage.removeItem(name);
    } catch (error) {
      // Without storage it lives as long as the page does.
    }
  }

  /** What was kept under a name, or nothing. */
  function recall(name) {
    try {
      return JSON.parse(sessionStorage.getItem(name)) || {};
    } catch (error) {
      return {};
    }
  }

  /** Posts a form and gives { status, body, retryAfter }; fails where there is no answer in time. */
  function post(path, fields) {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), PATIENCE);
    return fetch(path, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams(fields),
      credentials: "same-origin",
      redirect: "error",
      cache: "no-store",
      signal: abort.signal,
    })
      .then((response) =>
        response
          .json()
          .catch(() => ({}))
          .then((body) => ({
            status: response.status,
            body: body || {},
            retryAfter: Number(response.headers.get("Retry-After")) || 0,
          }))
      )
      .finally(() => clearTimeout(timer));
  }

  /** The number of the order that a return ticket belongs to: 50 bits of the session's id, five for each digit. */
  function orderNumber(ticket) {
    try {
      const bytes = atob(ticket.slice(4, 28).replace(/-/g, "+").replace(/_/g, "/"));
      const bits = Array.from(bytes.slice(9, 16), (byte) => byte.charCodeAt(0).toString(2).padStart(8, "0")).join("");
      const digits = bits.slice(-50).match(/.{5}/g).map((five) => DIGITS[parseInt(five, 2)]).join("");
      return digits.slice(0, 5) + "-" + digits.slice(5);
    } catch (error) {
      return "";
    }
  }

  function isCover() {
    return element("filter").getAttribute("aria-modal") === "true";
  }

  /** Makes what the panel covers unreachable, or reachable again: everything beside it, and beside what holds it. */
  function cover(inert) {
    if (!isCover()) return;
    let inner = element("filter");
    for (; inner !== document.body; inner = inner.parentElement) {
      for (const other of inner.parentElement.children) if (other !== inner) other.inert = inert;
    }
  }

  /** Title, text, spinner, one button and the way back; on the cart page it covers everything else. */
  const panel = {
    action: null,

    show(view) {
      cover(true);
      element("filter").hidden = false;
      element("filter_title").textContent = view.title;
      element("filter_text").textContent = view.text;
      element("filter_spinner").hidden = !view.busy;
      // Where nothing is settled the cart is no way on, but the only way out of a cover.
      element("filter_back").hidden = !(view.back || (view.out && isCover()));
      const retry = element("filter_retry");
      retry.hidden = !view.action;
      if (view.action) retry.textContent = view.label;
      this.action = view.action || null;
      if (!view.quiet) element("filter_title").focus();
    },

    hide() {
      this.action = null;
      element("filter").hidden = true;
      cover(false);
    },
  };

  element("filter_retry").addEventListener("click", (event) => {
    if (!panel.action) return;
    event.preventDefault();
    panel.action();
  });

  /**
   * Completes one purchase.
   *
   * fields: what /purchase takes. options: texts; proceed(body), called with a new ticket (202); leave(path), called when done.
   */
  function complete(fields, options) {
    const texts = options.texts;
    const turn = (latest += 1);
    let checks = 0;
    let timer = 0;

    /** Called again, by the app or the buyer, the newest purchase alone goes on. */
    const unlessReplaced = (next) => (value) => {
      if (turn === latest) next(value);
    };

    function start() {
      checks = 0;
      const number = element("filter_number");
      number.textContent = orderNumber(fields.secureWebviewSessionId);
      number.parentElement.hidden = !number.textContent;
      panel.show({ title: texts.workingTitle, text: texts.working, busy: true });
      send();
    }

    function send() {
      clearTimeout(timer);
      post("/purchase", fields).then(unlessReplaced(settle), unlessReplaced(offline));
    }

    function offline() {
      panel.show({ title: texts.offlineTitle, text: texts.offline, action: start, label: texts.retry, out: true });
    }

    /** What is being paid: the page of a browser has it from the start, that of an app hears of it. */
    function showSum(total) {
      const sum = element("filter_total");
      if (!sum || !/^[0-9,]+$/.test(total || "")) return;
      sum.textContent = YEN + total;
      sum.parentElement.hidden = false;
    }

    function settle(answer) {
      const code = answer.body.error;
      showSum(answer.body.totalPrice);
      if (answer.status === 200) return done();
      if (answer.status === 202) return options.proceed(answer.body);
      if (answer.status === 429 || answer.status === 503) return wait(answer.retryAfter);
      if (code === "not_ready" || code === "purchase_in_progress") return wait(answer.retryAfter);
      if (answer.status === 402) return end("declined");
      if (answer.status === 403) return end("proof");
      if (answer.status === 404 || answer.status === 410) return end("ended");
      if (answer.status === 409 || answer.status === 422) return end("changed");
      panel.show({ title: texts.failedTitle, text: texts.failed, action: start, label: texts.retry, out: true });
    }

    function done() {
      keep(CART, null);
      const leave = () => options.leave("/thanks");
      panel.show({ title: texts.doneTitle, text: texts.done, action: leave, label: texts.showReceipt });
      leave();
    }

    function end(outcome) {
      panel.show({ title: texts[outcome + "Title"], text: texts[outcome], back: true });
    }

    function wait(seconds) {
      checks += 1;
      const again = checks <= AUTOMATIC_CHECKS;
      panel.show({
        title: texts.waitingTitle,
        text: again ? texts.waiting : texts.stillWaiting,
        busy: again,
        action: again ? send : start,
        label: texts.check,
        out: !again,
        quiet: checks > 1 && again,
      });
      if (!again) return;
      timer = setTimeout(unlessReplaced(send), Math.min(Math.max(seconds, 1), LONGEST_PAUSE) * 1000);
    }

    start();
  }

  window.sallyport = { readData, post, panel, complete, keep, recall, CART, YEN };
})();
