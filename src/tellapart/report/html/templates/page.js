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
  let current;

  function choosePair(store, number) {
    const pair = store.pairs[number];
    const holder = $("#shown-pair");
    if (current !== undefined && current !== number) remember({ item: "" });
    current = number;
    const parsed = new DOMParser().parseFromString(pair.html, "text/html");
    const article = document.importNode($("article", parsed), true);
    holder.replaceChildren(article);
    for (const each of $$(".tools", article)) each.hidden = false;
    if (pair.items) addItems({ state, remember }, store, pair, article);
    reachable(article);
    const [first, second] = $$(".choose select");
    // Who chooses keeps the order of the lists.
    if (!isOf(pair, first.value, second.value)) [first.value, second.value] = [pair.a, pair.b];
    $("#no-pair").textContent = "";
    for (const cell of $$(".cell.chosen")) cell.classList.remove("chosen");
    for (const cell of $$(`.cell[data-pair="${number}"]`)) cell.classList.add("chosen");
    for (const row of $$(".pairs tbody tr"))
      row.classList.toggle("chosen", $("[data-pair]", row)?.dataset.pair === String(number));
    remember({ pair: String(number) });
  }

  const isOf = (pair, a, b) => [[a, b], [b, a]].some(([one, other]) => pair.a === Number(one) && pair.b === Number(other));
  const findPair = (store, metric, a, b) => store.order[metric].find((k) => isOf(store.pairs[k], a, b));

  function addLists(store) {
    const lists = $$(".choose select");
    for (const list of lists) {
      list.append(...store.systems.map((name, k) => make("option", { value: k }, name)));
      list.onchange = () => {
        const [a, b] = lists.map((each) => each.value);
        const number = findPair(store, store.pairs[current].metric, a, b);
        if (number !== undefined) choosePair(store, number);
        else $("#no-pair").textContent = a === b ? "Choose two different systems." : "These two were not compared.";
      };
    }
  }

  function chooseMetric(store, metric, number) {
    for (const each of $$(".of-metric")) each.hidden = each.dataset.metric !== metric;
    for (const button of $$("[data-choose-metric]"))
      button.setAttribute("aria-pressed", String(button.dataset.chooseMetric === metric));
    document.title = $(".finding:not([hidden]) .question").textContent;
    remember({ metric });
    choosePair(store, number);
  }

  function listen(store) {
    addLists(store);
    for (const button of $$("[data-choose-metric]"))
      button.onclick = () => {
        const metric = button.dataset.chooseMetric;
        const { a, b } = store.pairs[current], position = store.metrics.indexOf(metric);
        chooseMetric(store, metric, findPair(store, position, a, b) ?? store.order[position][0]);
      };
    const go = (number) => {
      choosePair(store, Number(number));
      $("#pair").scrollIntoView({ behavior: "smooth" });
    };
    for (const each of $$("a[data-pair], .cell"))
      each.onclick = (event) => { event.preventDefault(); go(each.dataset.pair); };
    document.addEventListener("click", async (event) => {
      const button = event.target.closest("[data-copy]");
      if (!button || button.textContent === "Copied") return;
      await copy(button.dataset.copy || $(".words", button.closest(".for-paper")).textContent);
      const words = button.textContent;
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = words; }, 1500);
    });
    const button = $("#save-record");
    if (!store.record) button.remove();
    else button.onclick = () => {
      const link = make("a", { href: URL.createObjectURL(new Blob([store.record], { type: "application/json" })), download: "comparison.json" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    };
    // A link to another pair or item, pasted in the same window; not one to a part of the page.
    addEventListener("hashchange", () => { if (location.hash.includes("=")) location.reload(); });
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
    listen(store);
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
