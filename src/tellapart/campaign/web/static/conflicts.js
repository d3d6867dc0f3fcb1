// Single keys of the page of conflicts.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  let allowed = true;
  try { allowed = localStorage.getItem("tellapart-single-keys") !== "no"; } catch { /* allowed */ }
  if (!allowed) return;
  const key = event.key === "Backspace" ? "u" : event.key;
  const found = Array.from(document.querySelectorAll("[data-key]"))
    .find((each) => each.dataset.key === key || each.dataset.key === key.toLowerCase());
  if (!found || found.disabled) return;
  event.preventDefault();
  found.click();
});

// One answer to a form is enough, however often a key is pressed.
for (const form of document.querySelectorAll("form.bar")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
}

document.documentElement.dataset.ready = "";
