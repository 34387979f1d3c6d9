// Confirm page: the provider's change controls, and one submission at a time.
(function () {
  "use strict";

  const element = (id) => document.getElementById(id);
  const amazonCheckoutSessionId = JSON.parse(element("page_data").textContent).checkoutSessionId;
  const provider = document.querySelector("script[async]");
  let isBound = false;

  function bind(id, changeAction) {
    const link = element(id);
    // Without delivery there is no address, and where that has to change nothing else can.
    if (!link) return;
    // Without the provider's script the link leads to a new checkout; with it, the provider takes over.
    link.addEventListener("click", (event) => event.preventDefault());
    window.amazon.Pay.bindChangeAction("#" + id, { amazonCheckoutSessionId, changeAction });
  }

  function start() {
    if (isBound || !window.amazon || !window.amazon.Pay) return;
    isBound = true;
    bind("change_address", "changeAddress");
    bind("change_payment", "changePayment");
  }

  const form = element("confirm_form");
  if (form) {
    const button = element("purchase_button");
    form.addEventListener("submit", (event) => {
      if (button.getAttribute("aria-disabled") === "true") return event.preventDefault();
      button.setAttribute("aria-disabled", "true");
      button.textContent = button.dataset.busy;
    });
  }

  // The browser kept the page as it was, for the back button: the order may be completed by now, or over.
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });

  provider.addEventListener("load", start);
  start();
})();
