// Button page: draws the provider's button and starts the checkout by itself, once.
(function () {
  "use strict";

  const PATIENCE = 4000;

  const element = (id) => document.getElementById(id);
  const config = JSON.parse(element("page_data").textContent).config;
  const provider = document.querySelector("script[async]");
  let isStarted = false;

  // In profile compat the address still holds the ticket.
  if (location.search) history.replaceState(null, "", location.pathname);

  /** Whether the buyer came here with the back button: then going on by ourselves would trap them. */
  function isReturning() {
    const entries = performance.getEntriesByType("navigation");
    return entries.length > 0 && entries[0].type === "back_forward";
  }

  /** Says whether anything changes by itself. */
  function wait(isWaiting) {
    element("spinner").hidden = !isWaiting;
    element("status").hidden = !isWaiting;
  }

  function start() {
    if (isStarted || !window.amazon || !window.amazon.Pay) return;
    isStarted = true;
    element("slow").hidden = true;
    window.amazon.Pay.renderButton("#AmazonPayButton", config);
    element("manual_note").hidden = false;
    if (isReturning()) return wait(false);
    wait(true);
    window.amazon.Pay.initCheckout(config);
  }

  function fail() {
    if (isStarted) return;
    element("slow").hidden = false;
    wait(false);
  }

  wait(!isReturning());
  provider.addEventListener("load", start);
  provider.addEventListener("error", fail);
  setTimeout(fail, PATIENCE);
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) wait(false);
  });
  start();
})();
