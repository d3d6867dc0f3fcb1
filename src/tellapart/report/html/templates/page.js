// The page reads without this; script adds choosing, sorting, filtering, copying and downloads.
(() => {
  "use strict";
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

  // What can be moved sideways can be so by keyboard.
  function reachable(root) {
    for (const each of $$(".scroll:not([tabindex])", root))
      if (each.scrollWidth > each.clientWidth) {
        each.tabIndex = 0;
        each.setAttribute("role", "group");
        each.setAttribute("aria-label", "Wide table");
      }
  }

  // An interval is sorted by its low end, and a p below all that is written as 0.
  const sortKey = (cell) => {
    const text = cell.textContent.trim();
    if (!cell.matches(".number, .numbers td:not(.text)")) return text.toLowerCase();
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

  // The number of the pair that is shown.
  let current = 0;

  // A pair whose pictures and items are not in this file has its figures all the same.
  function briefArticle(store, pair) {
    const [difference, interval, won, tied, lost, p, adjusted, mark] = pair.row;
    const [a, b] = [store.systems[pair.a], store.systems[pair.b]];
    const corrected = adjusted !== p ? `, adjusted ${adjusted}` : "";
    return make("article", { class: "pair" },
      make("h3", {}, `${a} − ${b} `, make("small", {}, `by ${store.metrics[pair.metric]}`)),
      make("p", { class: "size" }, make("strong", {}, difference), " ",
        make("span", { class: "interval" }, interval ? `(${interval})` : ""), " ",
        make("span", { class: "p" }, `p = ${p}${corrected}${mark}`)),
      make("p", {}, `${a} is ahead on ${won} items, ${b} on ${lost}; ${tied} are tied.`),
      make("p", { class: "note" }, "The pictures and items of this pair are not in this file. To have them, add ",
        make("code", {}, `--pair "${store.whole[pair.a]},${store.whole[pair.b]}"`), " to the command."));
  }

  const told = (store, number) => {
    const pair = store.pairs[number];
    const [difference, interval, , , , p, adjusted] = pair.row;
    return `${store.short[pair.a]} − ${store.short[pair.b]}: ${difference}${interval ? ` (${interval})` : ""}, p ${p}` +
      (adjusted !== p ? `, adjusted ${adjusted}` : "");
  };

  function choosePair(store, number, picked = false) {
    const pair = store.pairs[number];
    const holder = $("#shown-pair");
    current = number;
    let article;
    if (pair.html) {
      const parsed = new DOMParser().parseFromString(pair.html, "text/html");
      article = document.importNode($("article", parsed), true);
    } else article = briefArticle(store, pair);
    holder.replaceChildren(article);
    for (const each of $$(".tools", article)) each.hidden = false;
    if (pair.html) addItems({ state, remember }, store, pair, article);
    addSaving(article);
    reachable(article);
    pictures.explore(article);
    const list = $("#choose-pair");
    if (list) list.value = String(number);
    else if (!picked) showPicked(store);  // who picks keeps the order of the fields
    for (const cell of $$(".cell.chosen")) cell.classList.remove("chosen");
    for (const cell of $$(`.cell[data-pair="${number}"]`)) cell.classList.add("chosen");
    for (const row of $$(".pairs tbody tr"))
      row.classList.toggle("chosen", $("[data-pair]", row)?.dataset.pair === String(number));
    remember({ pair: String(number) });
  }

  function showPicked(store) {
    const { a, b } = store.pairs[current];
    $("#first-system").value = store.systems[a];
    $("#second-system").value = store.systems[b];
    $("#no-pair").textContent = "";
  }

  // What is typed names a system if it is its name, or the only one with these letters in it.
  function systemTyped(store, words) {
    const text = words.trim().toLowerCase();
    const exact = store.systems.findIndex((name) => name.toLowerCase() === text);
    if (exact >= 0 || !text) return exact;
    const found = store.systems.map((_, k) => k).filter((k) => store.whole[k].toLowerCase().includes(text));
    return found.length === 1 ? found[0] : -1;
  }

  function addPickers(store) {
    const fields = [$("#first-system"), $("#second-system")];
    $("#all-systems").append(...store.systems.map((name) => make("option", { value: name })));
    const pick = () => {
      const [a, b] = fields.map((field) => systemTyped(store, field.value));
      const metric = store.pairs[current].metric;
      const number = store.order[metric].find((k) => {
        const pair = store.pairs[k];
        return (pair.a === a && pair.b === b) || (pair.a === b && pair.b === a);
      });
      $("#no-pair").textContent = "";
      if (number !== undefined) return choosePair(store, number, true);
      const unknown = [a, b].indexOf(-1);
      $("#no-pair").textContent = unknown >= 0 ? `No system is called “${fields[unknown].value}”.`
        : a === b ? "Choose two different systems." : "These two were not compared.";
    };
    for (const field of fields) {
      field.onchange = pick;
      field.onkeydown = (event) => { if (event.key === "Enter") pick(); };
      // A list offers only what goes with what is in the field: an empty one offers all.
      field.onfocus = () => { field.placeholder = field.value; field.value = ""; };
      field.onblur = () => { if (!field.value.trim()) field.value = field.placeholder; };
    }
  }

  function chooseMetric(store, metric, number) {
    for (const each of $$(".of-metric")) each.hidden = each.dataset.metric !== metric;
    for (const button of $$("[data-choose-metric]"))
      button.setAttribute("aria-pressed", String(button.dataset.chooseMetric === metric));
    const select = $("#choose-pair");
    const position = store.metrics.indexOf(metric);
    select?.replaceChildren(...store.order[position].map((k) => {
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
    const list = $("#choose-pair");
    if (list) list.onchange = (event) => choosePair(store, Number(event.target.value));
    else addPickers(store);
    for (const button of $$("[data-choose-metric]"))
      button.onclick = () => {
        const metric = button.dataset.chooseMetric;
        chooseMetric(store, metric, sameSystems(store, current, metric));
      };
    const go = (number) => {
      choosePair(store, Number(number));
      $("#pair").scrollIntoView({ behavior: "smooth" });
    };
    for (const link of $$("a[data-pair]"))
      link.onclick = (event) => { event.preventDefault(); go(link.dataset.pair); };
    pictures.start({ chosen: go, words: (number) => store.pairs[number].row ? told(store, number) : "" });
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
      if (!(kind in store.downloads)) button.remove();
      else button.onclick = () => save(names[kind], types[kind], store.downloads[kind]);
    }
    // On paper stands what the page has without script: every metric, and the pairs in full.
    const printed = [];
    addEventListener("beforeprint", () => {
      for (const each of $$("header details:not([open])")) { each.open = true; printed.push(() => { each.open = false; }); }
      for (const each of $$(".of-metric[hidden]")) { each.hidden = false; printed.push(() => { each.hidden = true; }); }
    });
    addEventListener("afterprint", () => { while (printed.length) printed.pop()(); });
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
    for (const each of $$(".tools, .choose:not([data-only])")) each.hidden = false;
    $("#more-pairs")?.remove();
    $$("table.sortable").forEach(addSorting);
    addSaving(document);
    listen(store);
    pictures.explore(document);
    const asked = Number(state.get("pair") ?? store.headline);
    const number = store.pairs[asked] ? asked : store.headline;
    chooseMetric(store, store.metrics[store.pairs[number].metric], number);
    reachable(document);
    document.addEventListener("toggle", (event) => reachable(event.target), true);
    document.documentElement.dataset.ready = "yes";
  }
  // An old browser keeps the page as it is without script.
  start().catch((problem) => console.warn("tellapart: reading without script:", problem));
})();
