// The board: systems are found while one types, and a newer board is announced when it is there.
"use strict";
const find = document.querySelector("[data-find]");
if (find) {
  find.parentElement.hidden = false;
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    for (const row of document.querySelectorAll("table.board tbody tr")) {
      row.hidden = !row.querySelector("th").textContent.toLowerCase().includes(wanted);
    }
  });
}
const stale = document.querySelector("[data-api]");
async function look() {
  try {
    const answer = await fetch(stale.dataset.api, { headers: { accept: "application/json" } });
    if (answer.ok && (await answer.json()).up_to_date) {
      const link = stale.querySelector("a");
      link.textContent = "Show it";
      stale.replaceChildren("There is a newer board. ", link);
      return;
    }
  } catch {
    // The server may be gone for a moment.
  }
  setTimeout(look, 4000);
}
if (stale) setTimeout(look, 2000);
for (const choice of document.querySelectorAll(".choose select")) {
  choice.addEventListener("change", () => choice.form.requestSubmit());
}
