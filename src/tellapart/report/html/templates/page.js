// The page reads without this; script adds choosing, sorting, filtering, copying and downloads.
(() => {
  "use strict";
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

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

  function choosePair(store, number) {
    const pair = store.pairs[number];
    const holder = $("#shown-pair");
    const parsed = new DOMParser().parseFromString(pair.html, "text/html");
    const article = document.importNode($("article", parsed), true);
    holder.replaceChildren(article);
    for (const each of $$(".tools", article)) each.hidden = false;
    addItems({ make, state, remember }, store, pair, article);
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
