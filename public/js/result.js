// Result page of client `browser`: completes the purchase by itself; without script its form does the same.
(function () {
  "use strict";

  const page = window.sallyport;
  const form = document.getElementById("purchase_form");

  // This page is not worth coming back to.
  const leave = (path) => location.replace(path);
  const proceed = (answer) =>
    leave("/button?secureWebviewSessionId=" + encodeURIComponent(answer.secureWebviewSessionId));

  page.complete(Object.fromEntries(new FormData(form)), { texts: page.readData().completion, proceed, leave });
})();
