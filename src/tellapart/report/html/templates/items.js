// The items of one pair; page.js calls addItems, which stands before it in the same script.
const addItems = (() => {
  "use strict";
  const $ = (selector, root = document) => root.querySelector(selector);
  const PAGE = 20;
  const score = (value) => value == null ? "-" : String(Number(value.toFixed(3)));

  // Words of one text that the other lacks, by the longest common sequence.
  function marked(make, text, other) {
    const split = (each) => each.split(/(\s+)/);
    const a = split(text), b = split(other);
    if (!other || text === other || a.length > 400 || b.length > 400) return [document.createTextNode(text)];
    const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i--)
      for (let j = b.length - 1; j >= 0; j--)
        longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    const pieces = [];
    for (let i = 0, j = 0; i < a.length;) {
      if (j < b.length && a[i] === b[j]) { pieces.push(document.createTextNode(a[i])); i++; j++; }
      else if (j < b.length && longest[i][j + 1] >= longest[i + 1][j]) j++;
      else { pieces.push(a[i].trim() ? make("mark", {}, a[i]) : document.createTextNode(a[i])); i++; }
    }
    return pieces;
  }

  function itemElement(make, store, pair, unit) {
    const [name, input, gold, outputs, labels] = store.units[unit];
    const scores = store.scores[pair.metric][unit];
    const [a, b] = [scores[pair.a], scores[pair.b]];
    const element = make("details", { class: "item" }, make("summary", {}, make("b", {}, name), " ",
      make("span", {}, `${store.short[pair.a]} ${score(a)}, ${store.short[pair.b]} ${score(b)}`)));
    // Texts are made when they are opened: hundreds of long ones would be slow to lay out.
    element.addEventListener("toggle", () => {
      if (element.dataset.full) return;
      element.dataset.full = "yes";
      if (labels.length) element.append(make("p", { class: "labels" }, labels.map((l) => l.join(" = ")).join(", ")));
      const rows = [];
      if (input) rows.push(["asked", [document.createTextNode(input)]]);
      if (gold) rows.push(["gold", [document.createTextNode(gold)]]);
      if (outputs.length) {
        const [one, two] = [outputs[pair.a], outputs[pair.b]];
        rows.push([store.systems[pair.a], marked(make, one, two)], [store.systems[pair.b], marked(make, two, one)]);
      }
      const list = make("dl");
      for (const [head, pieces] of rows) list.append(make("div", {}, make("dt", {}, head), make("dd", {}, ...pieces)));
      if (rows.length) element.append(list);
    });
    return element;
  }

  return function ({ make, state, remember }, store, pair, article) {
    const place = $(".items", article);
    if (!place) return;
    const find = make("input", { type: "search", placeholder: "Find text", "aria-label": "Find text in items" });
    const who = make("select", { "aria-label": "Who is better" });
    const names = [store.short[pair.a], store.short[pair.b]];
    for (const [value, words] of [["", "all that differ"], ["a", names[0] + " better"], ["b", names[1] + " better"]])
      who.append(make("option", { value }, words));
    const count = make("span", { class: "note", role: "status" });
    const more = make("button", { type: "button" }, "Show more");
    find.value = state.get("find") || "";
    who.value = state.get("who") || "";
    let shown = PAGE;
    const higher = store.higher[pair.metric];
    const wanted = () => {
      const text = find.value.toLowerCase();
      return pair.items.filter((unit) => {
        const scores = store.scores[pair.metric][unit];
        const ahead = (scores[pair.a] > scores[pair.b]) === higher ? "a" : "b";
        if (who.value && (scores[pair.a] === scores[pair.b] || ahead !== who.value)) return false;
        if (!text) return true;
        const [name, input, gold, outputs, labels] = store.units[unit];
        const parts = [name, input, gold, outputs[pair.a] || "", outputs[pair.b] || "", ...labels.flat()];
        return parts.some((part) => part.toLowerCase().includes(text));
      });
    };
    const show = () => {
      const units = wanted();
      place.replaceChildren(...units.slice(0, shown).map((unit) => itemElement(make, store, pair, unit)));
      count.textContent = `${Math.min(shown, units.length)} of ${units.length}`;
      more.hidden = units.length <= shown;
      remember({ find: find.value, who: who.value });
    };
    find.oninput = who.onchange = () => { shown = PAGE; show(); };
    more.onclick = () => { shown += 5 * PAGE; show(); };
    place.before(make("div", { class: "filters" }, find, who, count));
    place.after(more);
    show();
  };
})();
