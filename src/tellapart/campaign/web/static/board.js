// The board: systems are found while one types.
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
