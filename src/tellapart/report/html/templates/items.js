// How all that follows in this script finds and makes elements.
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

// The items of one pair as a table; page.js, which stands below in the same script, calls it.
const addItems = (() => {
  "use strict";
  const CHUNK = 50;
  const MOST_WORDS = 400;
  const MOST_VALUES = 60;  // of a label that items can be filtered by
  const LONG = 1500;  // characters of a text that scrolls
  const MARKS = ["", "right", "partial", "wrong", "missing", "spurious"];
  const score = (value, decimals) => value == null ? "–" : String(Number(value.toFixed(decimals)));
  const signed = (value, decimals) => value == null || Number.isNaN(value) ? "–" : (value > 0 ? "+" : value < 0 ? "−" : "") + score(Math.abs(value), decimals);
  const collator = new Intl.Collator(undefined, { numeric: true });
  const sides = (text) => text.split(/(?<=\S)(?=\s)/);

  // What is sought is marked wherever text is shown.
  function withHits(text, sought) {
    const lower = text.toLowerCase();
    if (!sought || lower.length !== text.length) return [text];
    const nodes = [];
    let at = 0;
    for (let hit = lower.indexOf(sought); hit >= 0; hit = lower.indexOf(sought, at)) {
      nodes.push(text.slice(at, hit), make("mark", { class: "hit" }, text.slice(hit, hit + sought.length)));
      at = hit + sought.length;
    }
    return [...nodes, text.slice(at)];
  }

  // The longest common sequence of words: steps of [kind, text], kind 0 in both, 1 ours, 2 theirs.
  function steps(text, other) {
    const [a, b] = [sides(text), sides(other)];
    if (!other || a.length > MOST_WORDS || b.length > MOST_WORDS) return null;
    const [x, y] = [a.map((w) => w.trim()), b.map((w) => w.trim())];
    const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i--)
      for (let j = b.length - 1; j >= 0; j--)
        longest[i][j] = x[i] === y[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    const found = [];
    const add = (kind, word) => {
      if (found.length && found[found.length - 1][0] === kind) found[found.length - 1][1] += word;
      else found.push([kind, word]);
    };
    let [i, j] = [0, 0];
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && x[i] === y[j]) { add(0, a[i]); i++; j++; }
      else if (j >= b.length || (i < a.length && longest[i + 1][j] >= longest[i][j + 1])) add(1, a[i++]);
      else add(2, b[j++]);
    }
    return found;
  }

  const KINDS = { right: ["span", "right"], wrong: ["ins", "wrong"], spurious: ["ins", "spurious"], missing: ["del", "missing"], partial: ["span", "partial"] };
  const marked = (mark, nodes) => {
    const [name, look] = KINDS[mark] || ["span", "tagged"];
    return make(name, { class: look }, ...nodes);
  };

  function againstGold(text, gold, sought) {
    const found = text && steps(text, gold);
    if (!found) return withHits(text, sought);
    // The blank before a word is neither right nor wrong.
    return found.flatMap(([kind, words], k) => [
      kind === 2 && k ? " " : words.match(/^\s*/)[0],
      marked(["right", "wrong", "missing"][kind], withHits(kind === 2 ? words.trim() : words.trimStart(), sought)),
      kind === 2 && !k ? " " : "",
    ]);
  }

  function againstOther(text, other, sought) {
    const found = text && text !== other && steps(text, other);
    if (!found) return withHits(text, sought);
    return found.filter(([kind]) => kind < 2).flatMap(([kind, words]) =>
      kind ? [words.match(/^\s*/)[0], make("mark", { class: "apart" }, ...withHits(words.trimStart(), sought))] : withHits(words, sought));
  }

  const count = (text) => text.split(/\s+/).filter(Boolean).length;
  const comparable = (gold, outputs) => count(gold) >= 4 && outputs.every((text) => count(text) <= 4 * count(gold));

  const pieces = (cell, sought) => cell.flatMap((piece) => {
    if (typeof piece === "string") return withHits(piece, sought);
    const [text, mark, tag] = piece;
    const nodes = withHits(text, sought);
    if (tag) nodes.push(text ? " " : "", make("small", {}, ...withHits(tag, sought)));
    return [marked(MARKS[mark], nodes)];
  });

  const filled = (cell) => cell && cell.length > 0;

  function section([title, stacked, rows], names, columns, sought) {
    const shown = rows.map(([label, gold, outputs]) => [label, [gold, ...columns.map((k) => outputs[k])]])
      .filter(([, cells]) => cells.some(filled));
    if (!shown.length) return [];
    const kept = [0, 1, 2].filter((k) => k > 0 || shown.some(([, cells]) => filled(cells[0])));
    const heads = ["gold", ...names];
    const head = title ? [make("p", { class: "view-title" }, ...withHits(title, sought))] : [];
    if (stacked) {
      const list = make("dl", { class: "stacked" });
      for (const [label, cells] of shown)
        for (const k of kept)
          if (filled(cells[k]))
            list.append(make("div", {}, make("dt", {}, [heads[k], label].filter(Boolean).join(", ")), make("dd", {}, ...pieces(cells[k], sought))));
      return [...head, list];
    }
    const body = make("tbody", {}, ...shown.map(([label, cells]) => make("tr", {}, make("th", { scope: "row" }, ...withHits(label, sought)),
      ...kept.map((k) => make("td", {}, ...pieces(cells[k] || [], sought))))));
    const table = make("table", { class: "view" }, make("thead", {}, make("tr", {}, make("td"), ...kept.map((k) => make("th", { scope: "col" }, heads[k])))), body);
    return [...head, make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title || "All there is to see" }, table)];
  }

  const LEGEND = [["right", "right"], ["wrong", "wrong"], ["missing", "missing"]];

  function legend(root) {
    const there = LEGEND.filter(([mark]) => $(`.${mark}`, root) || (mark === "wrong" && $(".spurious", root)));
    if ($(".partial", root)) there.splice(1, 0, ["partial", "partly right"]);
    if (!there.length) return [];
    const words = there.flatMap(([mark, name], k) => [k ? ", " : "", marked(mark, [name])]);
    return [make("p", { class: "note legend" }, "Marks: ", ...words)];
  }

  // All that is known of one item, both systems side by side.
  function opened(store, pair, unit, sought) {
    const [, input, gold, outputs, labels, view] = store.units[unit];
    const names = [store.systems[pair.a], store.systems[pair.b]];
    const own = outputs.length ? [outputs[pair.a] || "", outputs[pair.b] || ""] : [];
    const root = make("div", { class: "opened" });
    if (labels.length) root.append(make("p", { class: "labels" }, ...withHits(labels.map((l) => l.join(" = ")).join(", "), sought)));
    const judged = (view || []).some(([, , rows]) => rows.some(([, , cells]) => cells.some((cell) => cell.some((piece) => piece[1] > 0 && typeof piece !== "string"))));
    // An annotated sentence is the input again.
    const plain = (cell) => cell.map((piece) => typeof piece === "string" ? piece : piece[0]).join("");
    const repeated = (view || []).some(([, stacked, rows]) => stacked && rows.some(([, own]) => plain(own) === input));
    const texts = [];
    if (input && !repeated) texts.push(["input", withHits(input, sought)]);
    if (gold && !judged) texts.push(["gold", withHits(gold, sought)]);
    if (own.some(Boolean) && !judged) {
      const look = comparable(gold, own) ? (text) => againstGold(text, gold, sought)
        : (text, k) => againstOther(text, own[1 - k], sought);
      own.forEach((text, k) => texts.push([names[k], look(text, k)]));
    }
    if (texts.length) {
      const list = make("dl");
      for (const [head, nodes] of texts) {
        const text = make("dd", {}, ...nodes);
        // A region that scrolls can be reached by keyboard.
        if (text.textContent.length > LONG) { text.className = "long"; text.tabIndex = 0; }
        list.append(make("div", {}, make("dt", {}, head), text));
      }
      root.append(list);
    }
    for (const each of view || []) root.append(...section(each, names, [pair.a, pair.b], sought));
    root.append(...legend(root));
    return root;
  }

  // The words of an item that can be sought: of its texts, labels and evidence.
  function searchable(store, pair, unit) {
    const [name, input, gold, outputs, labels, view] = store.units[unit];
    const parts = [name, input, gold, outputs[pair.a] || "", outputs[pair.b] || "", ...labels.flat()];
    const words = (cell) => (cell || []).map((piece) => typeof piece === "string" ? piece : piece[0] + " " + piece[2]).join("");
    for (const [title, , rows] of view || [])
      for (const [label, own, cells] of rows) parts.push(title, label, words(own), words(cells[pair.a]), words(cells[pair.b]));
    return parts.join("\n").toLowerCase();
  }

  return function ({ state, remember }, store, pair, article) {
    const place = $(".items", article);
    if (!place) return;
    const names = [store.systems[pair.a], store.systems[pair.b]];
    const higher = store.higher[pair.metric];
    const rows = pair.items.map((unit, order) => {
      const [name, input, gold, outputs, labels] = store.units[unit];
      const scores = store.scores[pair.metric][unit];
      const [a, b] = pair.scores ? pair.scores[order] : [scores[pair.a], scores[pair.b]];
      return { unit, order, name, input, gold, labels, a, b, difference: a - b,
        outputA: outputs[pair.a] || "", outputB: outputs[pair.b] || "", words: null };
    });
    const has = (key) => rows.some((row) => row[key]);
    const columns = [
      ["name", "item", "id"], ["input", "input", "text"], ["gold", "gold", "text"],
      ["outputA", names[0], "text"], ["outputB", names[1], "text"],
      ["a", `score of ${names[0]}`, "number"], ["b", `score of ${names[1]}`, "number"], ["difference", "difference", "number"],
    ].filter(([key, , kind]) => kind !== "text" || has(key));

    const find = make("input", { type: "search", placeholder: "Find text", "aria-label": "Find text in items" });
    const who = make("select", { "aria-label": "Who is better" });
    for (const [value, words] of [["", "all that differ"], ["a", names[0] + " better"], ["b", names[1] + " better"]])
      who.append(make("option", { value }, words));
    const label = make("select", { "aria-label": "Label" }, make("option", { value: "" }, "any label"));
    const known = new Map();
    for (const row of rows)
      for (const [name, value] of row.labels) {
        if (!known.has(name)) known.set(name, new Map());
        known.get(name).set(value, (known.get(name).get(value) || 0) + 1);
      }
    for (const [name, values] of known)
      if (values.size > 1 && values.size <= MOST_VALUES && values.size < rows.length) {
        const group = make("optgroup", { label: name });
        for (const value of [...values.keys()].sort(collator.compare))
          group.append(make("option", { value: JSON.stringify([name, value]) }, `${name} = ${value} (${values.get(value)})`));
        label.append(group);
      }
    const status = make("span", { class: "note", role: "status" });
    const more = make("button", { type: "button" });
    find.value = state.get("find") || "";
    who.value = state.get("who") || "";
    label.value = state.get("label") || "";
    if (label.selectedIndex < 0) label.value = "";
    let [shown, sort] = [CHUNK, state.get("sort") || ""];

    const bare = columns.every(([, , kind]) => kind !== "text");
    const table = make("table", { class: bare ? "items-table bare" : "items-table", "aria-label": `Items on which ${names[0]} and ${names[1]} differ` });
    const headRow = make("tr", {}, ...columns.map(([key, words, kind]) =>
      make("th", { class: kind, "data-key": key, scope: "col" }, make("button", { type: "button" }, words))));
    const body = make("tbody");
    table.append(make("thead", {}, headRow), body);

    const wanted = () => {
      const sought = find.value.toLowerCase();
      const [name, value] = label.value ? JSON.parse(label.value) : [];
      const found = rows.filter((row) => {
        if (who.value && (row.a === row.b || ((row.a > row.b) === higher ? "a" : "b") !== who.value)) return false;
        if (label.value && !row.labels.some((each) => each[0] === name && each[1] === value)) return false;
        if (sought) row.words ??= searchable(store, pair, row.unit);
        return !sought || row.words.includes(sought);
      });
      const key = sort.replace(/^-/, "");
      if (!columns.some((column) => column[0] === key)) return found;
      const by = typeof rows[0][key] === "number" ? (x, y) => x[key] - y[key] : (x, y) => collator.compare(x[key], y[key]);
      return found.sort((x, y) => (sort.startsWith("-") ? by(y, x) : by(x, y)) || x.order - y.order);
    };

    // A cell has the beginning of a text, or what stands around what is sought.
    const glimpse = (text, sought) => {
      const hit = sought ? text.toLowerCase().indexOf(sought) : -1;
      const start = hit > 60 ? hit - 40 : 0;
      return withHits((start ? "…" : "") + text.slice(start, start + 240) + (start + 240 < text.length ? "…" : ""), sought);
    };

    const rowElement = (row, sought) => {
      const element = make("tr", { class: "item", "data-item": row.name });
      for (const [key, words, kind] of columns) {
        const cell = make("td", { class: kind });
        if (kind === "text") cell.append(make("span", { class: "label" }, words), make("span", { class: "glimpse" }, ...glimpse(row[key], sought)));
        else if (kind === "id") cell.append(make("button", { type: "button", "aria-expanded": "false" }, ...withHits(row.name, sought)));
        else cell.append(make("span", { class: "label" }, words), (key === "difference" ? signed : score)(row[key], store.decimals[pair.metric]));
        element.append(cell);
      }
      element.row = row;
      return element;
    };

    const close = (element) => {
      $("button", element).setAttribute("aria-expanded", "false");
      element.nextElementSibling.remove();
      remember({ item: "" });
    };
    const open = (element) => {
      $("button", element).setAttribute("aria-expanded", "true");
      remember({ item: element.row.name });
      const content = opened(store, pair, element.row.unit, find.value.toLowerCase());
      content.append(make("p", { class: "note" }, make("a", { href: location.hash }, "Link to this item")));
      element.after(make("tr", { class: "detail" }, make("td", { colspan: columns.length }, content)));
    };

    const show = () => {
      const found = wanted();
      const sought = find.value.toLowerCase();
      body.replaceChildren(...found.slice(0, shown).map((row) => rowElement(row, sought)));
      status.textContent = `${Math.min(shown, found.length)} of ${found.length}`;
      const left = found.length - shown;
      more.hidden = left <= 0;
      more.textContent = `Show ${Math.min(CHUNK, left)} more of ${left}`;
      for (const head of $$("th", headRow)) {
        const down = sort === "-" + head.dataset.key;
        if (down || sort === head.dataset.key) head.setAttribute("aria-sort", down ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      }
      remember({ find: find.value, who: who.value, label: label.value, sort });
    };

    table.addEventListener("click", (event) => {
      const head = event.target.closest("th[data-key]");
      if (head) {
        const key = head.dataset.key, first = head.matches(".number") ? "-" + key : key;
        sort = sort !== first ? first : first === key ? "-" + key : key;
        return show();
      }
      const element = event.target.closest("tr.item");
      if (!element || String(getSelection()).trim()) return;
      ($("[aria-expanded=true]", element) ? close : open)(element);
    });

    const openNamed = (name) => {
      const place = wanted().findIndex((row) => row.name === name);
      if (place < 0) {
        status.textContent = `${name} is not among the items here.`;
        return;
      }
      shown = CHUNK * Math.ceil((place + 1) / CHUNK);
      show();
      const element = $$("tr.item", body)[place];
      open(element);
      element.scrollIntoView({ block: "start" });
    };
    const afresh = () => { shown = CHUNK; show(); };
    find.oninput = who.onchange = label.onchange = afresh;
    more.onclick = () => { shown += CHUNK; show(); };
    const filters = make("div", { class: "filters" }, find, who);
    if (label.options.length > 1) filters.append(label);
    filters.append(status);
    place.replaceChildren(filters, table, make("p", { class: "more" }, more));
    const asked = state.get("item");
    show();
    // The item of the address is opened when the page is, and not again with every pair.
    if (asked) openNamed(asked);
  };
})();
