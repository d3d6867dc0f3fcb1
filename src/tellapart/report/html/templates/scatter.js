// The items of one pair by the scores of both systems; items.js calls itemScatter, and shows what is chosen in it.
const itemScatter = (() => {
  "use strict";
  const BINS = 14, SIZE = 300, EDGE = 44, LEAST = 5;
  const svg = (name, attributes = {}, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const short = (value) => String(Number(value.toPrecision(3)));

  // Returns null where there is too little to choose from, as with right and wrong answers.
  return function (rows, names, changed) {
    const values = rows.flatMap((row) => [row.a, row.b]).filter(Number.isFinite);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const step = (high - low) / BINS;
    const bin = (value) => Math.min(BINS - 1, Math.floor((value - low) / step));
    const bins = new Map();
    for (const row of rows) {
      if (!Number.isFinite(row.a) || !Number.isFinite(row.b)) continue;
      const key = bin(row.a) * BINS + bin(row.b);
      if (!bins.has(key)) bins.set(key, []);
      bins.get(key).push(row);
    }
    if (!(step > 0) || bins.size < LEAST) return null;

    const chosen = new Set();
    const place = (k) => EDGE + (k + 0.5) * SIZE / BINS;
    const most = Math.max(...[...bins.values()].map((each) => each.length));
    const range = (k) => `${short(low + k * step)} to ${short(low + (k + 1) * step)}`;
    const marks = [...bins.keys()].sort((x, y) => x - y).map((key) => {
      const [a, b] = [Math.floor(key / BINS), key % BINS];
      const number = bins.get(key).length;
      const words = `${number} ${number === 1 ? "item" : "items"}: ${names[0]} ${range(a)}, ${names[1]} ${range(b)}`;
      const mark = svg("circle", {
        cx: place(a), cy: EDGE + SIZE - (b + 0.5) * SIZE / BINS, r: 3 + 8 * Math.sqrt(number / most),
        role: "button", tabindex: "-1", "aria-pressed": "false", "aria-label": words, "data-key": key,
      }, svg("title", {}, words));
      return mark;
    });
    marks[0].setAttribute("tabindex", "0");
    const text = (x, y, words, more = {}) => svg("text", { x, y, ...more }, words);
    const end = EDGE + SIZE;
    const picture = svg("svg", { viewBox: `0 0 ${end + EDGE} ${end + EDGE}`, role: "group", class: "item-scatter",
      "aria-label": `Items by the scores of ${names[0]} and ${names[1]}; arrow keys move, Enter chooses, Escape clears` },
      svg("path", { d: `M${EDGE} ${EDGE}V${end}H${end}`, class: "axis" }),
      svg("path", { d: `M${EDGE} ${end}L${end} ${EDGE}`, class: "equal" }),
      text(EDGE, end + 16, short(low)), text(end, end + 16, short(high), { "text-anchor": "end" }),
      text((EDGE + end) / 2, end + 32, `score of ${names[0]}`, { "text-anchor": "middle" }),
      text(EDGE - 6, end, short(low), { "text-anchor": "end" }), text(EDGE - 6, EDGE + 8, short(high), { "text-anchor": "end" }),
      text(EDGE, EDGE - 12, `score of ${names[1]}`), ...marks);
    const clear = document.createElement("button");
    clear.type = "button";
    clear.textContent = "Show all items again";

    const show = () => {
      for (const mark of marks) mark.setAttribute("aria-pressed", chosen.has(Number(mark.dataset.key)));
      clear.hidden = !chosen.size;
      changed();
    };
    const go = (mark) => {
      for (const each of marks) each.setAttribute("tabindex", each === mark ? "0" : "-1");
      mark.focus();
    };
    const toggle = (mark) => {
      const key = Number(mark.dataset.key);
      if (!chosen.delete(key)) chosen.add(key);
      go(mark);
      show();
    };
    clear.onclick = () => { chosen.clear(); show(); go(marks[0]); };
    picture.addEventListener("keydown", (event) => {
      const at = marks.indexOf(event.target);
      if (at < 0) return;
      const across = (way) => {
        const key = Number(event.target.dataset.key), column = Math.floor(key / BINS);
        const others = marks.filter((each) => way * (Math.floor(Number(each.dataset.key) / BINS) - column) > 0);
        const far = (each) => Math.abs(Math.floor(Number(each.dataset.key) / BINS) - column) * BINS + Math.abs(Number(each.dataset.key) % BINS - key % BINS);
        return others.sort((x, y) => far(x) - far(y))[0];
      };
      const moves = { ArrowUp: () => marks[at + 1], ArrowDown: () => marks[at - 1], ArrowRight: () => across(1), ArrowLeft: () => across(-1),
        Home: () => marks[0], End: () => marks[marks.length - 1] };
      if (event.key === "Enter" || event.key === " ") toggle(event.target);
      else if (event.key === "Escape") { chosen.clear(); show(); }
      else if (event.key in moves) { const next = moves[event.key](); if (next) go(next); }
      else return;
      event.preventDefault();
      event.stopPropagation();
    });

    // Dragging chooses all circles whose middles lie in the box.
    let from = null, box = null;
    const point = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    picture.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch" || event.button) return;
      from = point(event);
    });
    picture.addEventListener("pointermove", (event) => {
      if (!from) return;
      const to = point(event);
      if (!box && Math.hypot(to.x - from.x, to.y - from.y) < 6) return;
      if (!box) { box = svg("rect", { class: "box" }); picture.append(box); picture.setPointerCapture(event.pointerId); }
      const sizes = { x: Math.min(from.x, to.x), y: Math.min(from.y, to.y), width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y) };
      for (const [key, value] of Object.entries(sizes)) box.setAttribute(key, value);
    });
    const drop = () => {
      const drawn = box;
      from = box = null;
      if (!drawn) return false;
      const { x, y, width, height } = drawn.getBBox();
      drawn.remove();
      chosen.clear();
      for (const mark of marks) {
        const [cx, cy] = [mark.cx.baseVal.value, mark.cy.baseVal.value];
        if (cx >= x && cx <= x + width && cy >= y && cy <= y + height) chosen.add(Number(mark.dataset.key));
      }
      show();
      return true;
    };
    let dragged = false;
    picture.addEventListener("pointerup", () => { dragged = drop(); });
    picture.addEventListener("click", (event) => {
      const mark = event.target.closest("circle");
      if (mark && !dragged) toggle(mark);
      dragged = false;
    });

    const words = document.createElement("p");
    words.className = "note";
    words.textContent = "The items of the table below by both scores; a larger circle is more items. Click circles, or draw a box around some, to see theirs alone. ";
    words.append(clear);
    clear.hidden = true;
    const figure = document.createElement("div");
    figure.className = "scatter-of-items";
    figure.append(picture, words);
    const none = () => !chosen.size;
    return { figure, accepts: (row) => none() || chosen.has(bin(row.a) * BINS + bin(row.b)), clear: () => chosen.size && (chosen.clear(), show()) };
  };
})();
