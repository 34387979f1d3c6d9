// Interstitial: takes the ticket out of the address and posts it, at once or after the form's wait; the button stands by.
(function () {
  "use strict";

  history.replaceState(null, "", location.pathname);
  const entries = performance.getEntriesByType("navigation");
  if (entries.length > 0 && entries[0].type === "back_forward") return;
  const form = document.getElementById("open_form");
  setTimeout(function () { form.submit(); }, Number(form.dataset.wait || 0));
})();
