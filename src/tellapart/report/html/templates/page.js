// The page reads without this; script adds choosing, sorting, filtering, copying and downloads.
(() => {
  "use strict";
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const PAGE = 20;

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  const score = (value) => value == null ? "-" : String(Number(value.toFixed(3)));

  async function unpack() {
    const packed = Uint8Array.from(atob(JSON.parse($("#store").textContent)), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  // The address holds what is chosen, so that a link shows the same.
  const state = new URLSearchParams(location.hash.slice(1));
  const remember = (changes) => {
    for (const [key, value] of Object.entries(changes)) {
      if (value) state.set(key, value); else state.delete(key);
    }
    history.replaceState(null, "", "#" + state);
  };

  function save(name, type, content) {
    const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function drawing(svg) {
    const copy = svg.cloneNode(true);
    copy.insertAdjacentHTML("afterbegin", '<rect width="100%" height="100%" fill="#fff"/>');
    // Outside the page nobody knows its colours: the fallbacks are those of paper.
    return new XMLSerializer().serializeToString(copy).replace(/var\(--[a-z]+, ([^)]+)\)/g, "$1");
  }

  function savePng(svg, name) {
    const image = new Image();
    const address = URL.createObjectURL(new Blob([drawing(svg)], { type: "image/svg+xml" }));
    image.onload = () => {
      const box = svg.viewBox.baseVal;
      const canvas = make("canvas", { width: box.width * 2, height: box.height * 2 });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(name, "image/png", blob));
      URL.revokeObjectURL(address);
    };
    image.src = address;
  }

  function addSaving(root) {
    for (const figure of $$("figure", root)) {
      const svg = $("svg", figure);
      if (!svg || $(".save", figure)) continue;
      const name = ($("title", svg)?.textContent || "figure").replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 80);
      const asSvg = make("button", { type: "button" }, "SVG");
      const asPng = make("button", { type: "button" }, "PNG");
      asSvg.onclick = () => save(name + ".svg", "image/svg+xml", drawing(svg));
      asPng.onclick = () => savePng(svg, name + ".png");
      asSvg.setAttribute("aria-label", "Save this figure as SVG");
      asPng.setAttribute("aria-label", "Save this figure as PNG");
      figure.append(make("span", { class: "save" }, asSvg, asPng));
    }
  }

  // An interval is sorted by its low end, and a p below all that is written as 0.
  const sortKey = (cell) => {
    const text = cell.textContent.trim();
    if (!cell.classList.contains("number")) return text.toLowerCase();
    const value = parseFloat(text.replace(/,/g, ""));
    return Number.isNaN(value) ? (text.startsWith("below") ? 0 : -Infinity) : value;
  };

  function addSorting(table) {
    $$("thead th", table).forEach((head, column) => {
      const button = make("button", { type: "button" }, ...head.childNodes);
      head.append(button);
      button.onclick = () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        $$("thead th", table).forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = $("tbody", table);
        const rows = $$("tr", body).map((row) => [sortKey(row.cells[column]), row]);
        rows.sort(([a], [b]) => (down ? -1 : 1) * (a < b ? -1 : a > b ? 1 : 0));
        body.append(...rows.map(([, row]) => row));
      };
    });
  }

  // Words of one text that the other lacks, by the longest common sequence.
  function marked(text, other) {
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

  function itemElement(store, pair, unit) {
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
        rows.push([store.systems[pair.a], marked(one, two)], [store.systems[pair.b], marked(two, one)]);
      }
      const list = make("dl");
      for (const [head, pieces] of rows) list.append(make("div", {}, make("dt", {}, head), make("dd", {}, ...pieces)));
      if (rows.length) element.append(list);
    });
    return element;
  }

  function addItems(store, pair, article) {
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
      place.replaceChildren(...units.slice(0, shown).map((unit) => itemElement(store, pair, unit)));
      count.textContent = `${Math.min(shown, units.length)} of ${units.length}`;
      more.hidden = units.length <= shown;
      remember({ find: find.value, who: who.value });
    };
    find.oninput = who.onchange = () => { shown = PAGE; show(); };
    more.onclick = () => { shown += 5 * PAGE; show(); };
    place.before(make("div", { class: "filters" }, find, who, count));
    place.after(more);
    show();
  }

  function choosePair(store, number) {
    const pair = store.pairs[number];
    const holder = $("#shown-pair");
    const parsed = new DOMParser().parseFromString(pair.html, "text/html");
    const article = document.importNode($("article", parsed), true);
    holder.replaceChildren(article);
    for (const each of $$(".tools", article)) each.hidden = false;
    addItems(store, pair, article);
    addSaving(article);
    $("#choose-pair").value = String(number);
    for (const cell of $$(".cell"))
      cell.classList.toggle("chosen", cell.dataset.pair === String(number));
    for (const row of $$(".pairs tbody tr"))
      row.classList.toggle("chosen", $("[data-pair]", row)?.dataset.pair === String(number));
    remember({ pair: String(number) });
  }

  function chooseMetric(store, metric, number) {
    for (const each of $$(".of-metric")) each.hidden = each.dataset.metric !== metric;
    for (const button of $$("[data-choose-metric]"))
      button.setAttribute("aria-pressed", String(button.dataset.chooseMetric === metric));
    const select = $("#choose-pair");
    const position = store.metrics.indexOf(metric);
    select.replaceChildren(...store.order[position].map((k) => {
      const { a, b } = store.pairs[k];
      return make("option", { value: k }, `${store.short[a]} − ${store.short[b]}`);
    }));
    document.title = $(".finding:not([hidden]) .question").textContent;
    remember({ metric });
    choosePair(store, number);
  }

  const sameSystems = (store, number, metric) => {
    const { a, b } = store.pairs[number];
    const same = (pair) => (pair.a === a && pair.b === b) || (pair.a === b && pair.b === a);
    const order = store.order[store.metrics.indexOf(metric)];
    return order.find((k) => same(store.pairs[k])) ?? order[0];
  };

  function listen(store) {
    const current = () => Number($("#choose-pair").value);
    $("#choose-pair").onchange = (event) => choosePair(store, Number(event.target.value));
    for (const button of $$("[data-choose-metric]"))
      button.onclick = () => {
        const metric = button.dataset.chooseMetric;
        chooseMetric(store, metric, sameSystems(store, current(), metric));
      };
    const go = (event) => {
      event.preventDefault();
      choosePair(store, Number(event.currentTarget.dataset.pair));
      $("#pair").scrollIntoView({ behavior: "smooth" });
    };
    for (const link of $$("a[data-pair]")) link.onclick = go;
    for (const cell of $$(".cell[data-pair]")) {
      cell.setAttribute("tabindex", "0");
      cell.setAttribute("role", "button");
      cell.addEventListener("click", go);
      cell.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") go(event); });
    }
    document.addEventListener("click", async (event) => {
      const button = event.target.closest("[data-copy]");
      if (!button || button.textContent === "Copied") return;
      await copy(button.dataset.copy || $(".words", button.closest(".for-paper")).textContent);
      const words = button.textContent;
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = words; }, 1500);
    });
    const types = { json: "application/json", tsv: "text/tab-separated-values", latex: "text/x-tex" };
    const names = { json: "comparison.json", tsv: "pairs.tsv", latex: "pairs.tex" };
    for (const button of $$("[data-download]")) {
      const kind = button.dataset.download;
      button.onclick = () => save(names[kind], types[kind], store.downloads[kind]);
    }
    addEventListener("beforeprint", () => { for (const each of $$("header details")) each.open = true; });
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Pages opened from disk may not use the clipboard that way.
      const area = make("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  }

  async function start() {
    const store = await unpack();
    for (const each of $$(".tools, .choose")) each.hidden = false;
    $("#more-pairs")?.remove();
    $$("table.sortable").forEach(addSorting);
    addSaving(document);
    listen(store);
    const asked = Number(state.get("pair") ?? store.headline);
    const number = store.pairs[asked] ? asked : store.headline;
    chooseMetric(store, store.metrics[store.pairs[number].metric], number);
    document.documentElement.dataset.ready = "yes";
  }
  // An old browser keeps the page as it is without script.
  start().catch((problem) => console.warn("tellapart: reading without script:", problem));
})();
