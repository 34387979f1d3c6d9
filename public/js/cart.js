// Cart page: quantities, the hand-over of the launch ticket, and the global `purchase` that the apps call.
(function () {
  "use strict";

  const STORE = "sallyport.session";
  const WHOLE = /^(0|[1-9][0-9]*)$/;
  const MOST = 99;
  const LONG = 4000;
  const DOUBLE_TAP = 1000;

  const page = window.sallyport;
  const data = page.readData();
  const texts = data.texts;
  const form = document.getElementById("cart_form");
  const button = document.getElementById("amzn_button");
  const problem = document.getElementById("error");
  const status = document.getElementById("status");
  const inputs = Array.from(form.querySelectorAll("input[data-price]"));

  // What belongs to the session that was started last: its launch ticket and, where used, its verifier.
  let session = {};

  function remember(value) {
    session = value;
    page.keep(STORE, value);
  }

  function recall() {
    return session.ticket ? session : page.recall(STORE);
  }

  // Quantities.

  function mistake() {
    let pieces = 0;
    let text = "";
    for (const input of inputs) {
      const value = input.value.trim();
      const wrong = !WHOLE.test(value) ? texts.notANumber : Number(value) > MOST ? texts.tooMany : "";
      input.setAttribute("aria-invalid", String(wrong !== ""));
      text = text || wrong;
      pieces += Number(value) || 0;
    }
    return text || (pieces === 0 ? texts.nothingChosen : "");
  }

  function showSum() {
    const valid = inputs.every((input) => WHOLE.test(input.value.trim()));
    const sum = inputs.reduce((total, input) => total + Number(input.value) * Number(input.dataset.price), 0);
    const digits = String(sum).replace(/\B(?=(\d{3})+$)/g, ",");
    document.getElementById("subtotal").textContent = valid ? page.YEN + digits : "-";
  }

  function step(input, change) {
    const now = WHOLE.test(input.value.trim()) ? Number(input.value) : 0;
    input.value = String(Math.min(Math.max(now + change, 0), MOST));
    changed();
  }

  /** The quantities stay until they are bought, so that a buyer who gives up finds the cart as it was. */
  function keepQuantities() {
    page.keep(page.CART, Object.fromEntries(inputs.map((input) => [input.name, input.value.trim()])));
  }

  function recallQuantities() {
    const kept = page.recall(page.CART);
    for (const input of inputs) {
      const value = String(kept[input.name]);
      if (WHOLE.test(value) && Number(value) <= MOST) input.value = value;
    }
  }

  function changed() {
    keepQuantities();
    showSum();
    problem.textContent = "";
    for (const input of inputs) input.removeAttribute("aria-invalid");
  }

  // Hand-over to the app, or to the browser's next page.

  function handOver(answer) {
    const id = answer.secureWebviewSessionId;
    if (data.client === "browser") {
      location.href = "/button?secureWebviewSessionId=" + encodeURIComponent(id);
      return true;
    }
    if (data.client === "androidApp") {
      if (!window.androidApp) return false;
      window.androidApp.handle(id);
      return true;
    }
    const handlers = window.webkit && window.webkit.messageHandlers;
    if (!handlers || !handlers.iosApp) return false;
    handlers.iosApp.postMessage(answer);
    return true;
  }

  function base64url(bytes) {
    const text = String.fromCharCode.apply(null, Array.from(new Uint8Array(bytes)));
    return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }

  /** A verifier and its challenge (RFC 7636, S256), or nothing where the page is not asked for one. */
  function makeVerifier() {
    if (!data.verifier) return Promise.resolve({});
    const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
    return crypto.subtle
      .digest("SHA-256", new TextEncoder().encode(verifier))
      .then((digest) => ({ verifier, challenge: base64url(digest) }));
  }

  function issue() {
    return makeVerifier().then((proof) => {
      const fields = { client: data.client };
      for (const input of inputs) fields[input.name] = input.value.trim();
      if (proof.challenge) {
        fields.code_challenge = proof.challenge;
        fields.code_challenge_method = "S256";
      }
      return page.post("/secureWebviewSession", fields).then((answer) => opened(answer, proof.verifier));
    });
  }

  function opened(answer, verifier) {
    const ticket = answer.body.secureWebviewSessionId;
    if (answer.status === 200 && ticket) {
      remember(verifier ? { ticket, verifier } : { ticket });
      const isHandedOver = handOver(answer.body);
      problem.textContent = isHandedOver ? "" : texts.bridgeMissing;
      return isHandedOver;
    } else if (answer.status === 429) {
      problem.textContent = texts.limited;
    } else {
      // There was an answer, so it is not the buyer's network.
      problem.textContent = answer.body.error === "quantity_invalid" ? texts.notANumber : texts.unavailable;
    }
    return false;
  }

  let patience = 0;

  function setBusy(busy) {
    button.disabled = busy;
    status.textContent = busy ? texts.opening : "";
    clearTimeout(patience);
    if (busy) patience = setTimeout(() => (status.textContent = texts.stillOpening), LONG);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    problem.textContent = mistake();
    if (problem.textContent) {
      const first = inputs.find((input) => input.getAttribute("aria-invalid") === "true") || inputs[0];
      first.focus();
      return;
    }
    if (button.disabled) return;
    setBusy(true);
    issue().then(
      // The second tap of a double tap would start another checkout, and the first would not be this cart's any more.
      (isHandedOver) => setTimeout(() => setBusy(false), isHandedOver ? DOUBLE_TAP : 0),
      () => {
        setBusy(false);
        problem.textContent = texts.failed;
      }
    );
  });

  // The app calls this after the return; what it passes is data and goes nowhere but into the request.

  function proceed(answer) {
    remember(Object.assign({}, recall(), { ticket: answer.secureWebviewSessionId }));
    const open = () => handOver(answer);
    page.panel.show({
      title: data.completion.continueTitle,
      text: data.completion.continue,
      action: open,
      label: data.completion.continueButton,
      back: true,
    });
    open();
  }

  function leave(path) {
    page.keep(STORE, null);
    location.href = path;
  }

  // Gives nothing back: a `javascript:` call would show a result as a page.
  window.purchase = function (secureWebviewSessionId, accessToken, orderReferenceId) {
    const started = recall();
    const fields = {
      secureWebviewSessionId: String(secureWebviewSessionId),
      accessToken: String(accessToken),
      orderReferenceId: String(orderReferenceId),
    };
    if (started.ticket) fields.old_secureWebviewSessionId = started.ticket;
    if (started.verifier) fields.code_verifier = started.verifier;
    page.complete(fields, { texts: data.completion, proceed, leave });
  };

  for (const control of form.querySelectorAll("button[data-step]")) {
    const input = control.parentElement.querySelector("input");
    control.addEventListener("click", () => step(input, Number(control.dataset.step)));
    control.disabled = false;
  }
  for (const input of inputs) input.addEventListener("input", changed);
  // A page that comes back from the browser's memory starts afresh.
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    page.panel.hide();
    setBusy(false);
  });
  recallQuantities();
  showSum();
  button.disabled = false;
})();
