// Pictures by pointer, touch and keyboard: one tab stop each, arrow keys from mark to mark, and the
// words of a mark beside it. page.js calls `pictures`, which stands before it in the same script.
const pictures = (() => {
  "use strict";
  const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const told = new WeakMap();
  const tip = document.getElementById("tip");
  let choose = () => {}, wordsOfPair = () => "";
  let shown = null;

  // A mark has words of its own, or those of its pair.
  const words = (mark) => {
    if (!told.has(mark)) {
      const title = mark.querySelector(":scope > title");
      told.set(mark, title ? title.textContent : "");
      title?.remove();  // the browser would show it a second time
    }
    return told.get(mark) || (mark.dataset.pair ? wordsOfPair(Number(mark.dataset.pair)) : "");
  };

  function show(mark) {
    const text = words(mark);
    if (!text) return hide();
    shown = mark;
    tip.textContent = text;
    tip.hidden = false;
    const box = mark.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left + box.width / 2 - own.width / 2), document.documentElement.clientWidth - own.width - 8);
    const above = box.top - own.height - 8;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${(above >= 0 ? above : box.bottom + 8) + scrollY}px`;
  }

  function hide() {
    shown = null;
    tip.hidden = true;
  }

  // The mark that is next in a direction: little aside counts more than near.
  function next(marks, from, [dx, dy]) {
    const middle = (mark) => { const box = mark.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; };
    const [x, y] = middle(from);
    let best = null, least = Infinity;
    for (const mark of marks) {
      const [u, v] = middle(mark);
      const ahead = (u - x) * dx + (v - y) * dy, aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (mark === from || ahead < 1) continue;
      const far = ahead + 4 * aside;
      if (far < least) [best, least] = [mark, far];
    }
    return best;
  }

  function reach(mark, marks) {
    for (const each of marks) if (each.hasAttribute("tabindex")) each.removeAttribute("tabindex");
    mark.setAttribute("tabindex", "0");
    mark.setAttribute("role", mark.dataset.pair ? "button" : "img");
    mark.setAttribute("aria-label", words(mark));
  }

  function add(svg) {
    const marks = [...svg.querySelectorAll(".cell, g:has(> title)")].filter((mark) => !mark.parentElement.closest("g:has(> title)"));
    if (!marks.length) return;
    // What is inside an image is not reached.
    svg.setAttribute("role", "group");
    reach(marks[0], marks);
    svg.addEventListener("focusin", (event) => { if (marks.includes(event.target)) show(event.target); });
    svg.addEventListener("focusout", hide);
    svg.addEventListener("keydown", (event) => {
      const from = event.target;
      if (event.key === "Escape") return hide();
      if ((event.key === "Enter" || event.key === " ") && from.dataset.pair) { event.preventDefault(); return choose(from.dataset.pair); }
      const found = event.key === "Home" ? marks[0] : event.key === "End" ? marks.at(-1)
        : STEPS[event.key] ? next(marks, from, STEPS[event.key]) : null;
      if (!(event.key in STEPS) && !found) return;
      event.preventDefault();
      if (!found) return;
      reach(found, marks);
      found.focus();
    });
    const at = (event) => event.target.closest(".cell, g");
    const known = new Set(marks);
    const markAt = (event) => { let each = at(event); while (each && !known.has(each)) each = each.parentElement?.closest(".cell, g"); return each; };
    svg.addEventListener("pointerover", (event) => { const mark = markAt(event); if (mark) show(mark); else hide(); });
    svg.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(); });
    // A finger has no hover: the first tap tells, the second chooses.
    let last = null;
    svg.addEventListener("pointerup", (event) => { if (event.pointerType !== "mouse") last = markAt(event) === shown && shown?.dataset.told ? null : markAt(event); else last = null; });
    svg.addEventListener("click", (event) => {
      const mark = markAt(event);
      if (!mark) return;
      if (last === mark) { for (const each of marks) delete each.dataset.told; mark.dataset.told = "yes"; return show(mark); }
      if (mark.dataset.pair) { hide(); choose(mark.dataset.pair); }
    });
  }

  return {
    start({ chosen, words: ofPair }) {
      choose = chosen;
      wordsOfPair = ofPair;
      addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
    },
    explore(root) {
      for (const svg of root.querySelectorAll("figure svg[role]:not([data-explored])")) {
        svg.dataset.explored = "yes";
        add(svg);
      }
    },
  };
})();
