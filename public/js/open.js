// Interstitial: takes the ticket out of the address and posts it; the button stands by.
(function () {
  "use strict";

  history.replaceState(null, "", location.pathname);
  const entries = performance.getEntriesByType("navigation");
  if (entries.length > 0 && entries[0].type === "back_forward") return;
  document.getElementById("open_form").submit();
})();
