// The judging page without reloads. Every form of the page works without this script, too.
"use strict";

const judging = document.getElementById("judging");
const gone = document.getElementById("gone");
const said = document.getElementById("said");
const help = document.getElementById("help");
const singleKeys = document.getElementById("single-keys");
const store = `${judging.dataset.person}/unsent`;
const SECONDS = 1000;
const WAIT = 20 * SECONDS;  // until a server that says nothing counts as gone
let busy = false;

// What is not acknowledged yet outlives the page: it is sent again, under the same name, so that
// the server keeps it once however often it comes.
function unsent() {
  try { return JSON.parse(localStorage.getItem(store)); } catch { return null; }
}
function keep(letter) {
  try {
    if (letter) localStorage.setItem(store, JSON.stringify(letter));
    else localStorage.removeItem(store);
  } catch { /* a browser that keeps nothing: the letter lives as long as the page */ }
}

function tell(text) {
  gone.textContent = text;
  gone.hidden = !text;
}

async function ask(path, fields) {
  const headers = { Accept: "application/json" };
  const options = { headers, signal: AbortSignal.timeout(WAIT), credentials: "same-origin" };
  if (fields) {
    headers["Content-Type"] = "application/json";
    headers["X-CSRF"] = judging.dataset.csrf;
    options.method = "POST";
    options.body = JSON.stringify(fields);
  }
  const response = await fetch(path, options);
  let told = {};
  try { told = await response.json(); } catch { if (response.ok) throw new Error("cut off"); }
  return { status: response.status, told };
}

function wait(time) {
  return new Promise((done) => {
    const timer = setTimeout(done, time);
    addEventListener("online", () => { clearTimeout(timer); done(); }, { once: true });
  });
}

// Sends a letter until the server has it; returns what it says, or null if it will not have it.
async function deliver(letter) {
  keep(letter);
  for (let pause = 1 * SECONDS; ; pause = Math.min(2 * pause, 15 * SECONDS)) {
    try {
      const { status, told } = await ask(letter.path, letter.fields);
      if (status === 401) {
        tell(`You are logged out. Open your link again: ${letter.what} is kept, and is sent then.`);
        return null;
      }
      if (status < 500 && status !== 408 && status !== 429) {
        keep(null);
        tell(status < 400 ? "" : sentence(told.error));
        return status < 400 ? told : null;
      }
    } catch { /* not reached; again below */ }
    tell(`The server does not answer. ${letter.what} is kept here, and is sent again by itself.`);
    await wait(pause);
  }
}

function sentence(text) {
  return text ? `${text[0].toUpperCase()}${text.slice(1)}.` : "That did not work.";
}

async function send(letter) {
  if (busy) return;
  busy = true;
  judging.setAttribute("aria-busy", "true");
  let told = await deliver(letter);
  try {
    if (!told && !unsent()) told = (await ask("/judge")).told;  // refused: go on with what there is
  } catch { /* the page stays as it is */ }
  if (told && told.html) show(told);
  judging.removeAttribute("aria-busy");
  busy = false;
}

function show(told) {
  const inside = judging.contains(document.activeElement);
  judging.innerHTML = told.html;  // made and escaped by the same templates as the whole page
  look();
  const title = document.getElementById("title");
  if (inside || document.activeElement === document.body) title.focus({ preventScroll: true });
  scrollTo(0, 0);
  said.textContent = title.textContent;
}

// Brings the first mark of each text into view, inside its box.
function look() {
  for (const box of judging.querySelectorAll(".text")) {
    const mark = box.querySelector("mark");
    if (mark) box.scrollTop = mark.offsetTop - box.offsetTop - box.clientHeight / 3;
  }
}

function newName() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

judging.addEventListener("submit", (event) => {
  event.preventDefault();
  const button = event.submitter;
  const fields = Object.fromEntries(new FormData(event.target, button));
  delete fields.csrf;
  fields.request = newName();
  const path = button.getAttribute("formaction") || event.target.getAttribute("action");
  const label = button.querySelector("span");
  const what = fields.outcome ? `Your answer “${label.textContent}”` : `“${label.textContent}”`;
  send({ path, fields, what });
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (!singleKeys.checked) return;
  const key = event.key === "Backspace" ? "u" : event.key;
  if (key === "?") {
    help.open = !help.open;
    if (help.open) help.querySelector("summary").focus();
    event.preventDefault();
    return;
  }
  const found = Array.from(judging.querySelectorAll("[data-key]"))
    .find((each) => each.dataset.key === key || each.dataset.key === key.toLowerCase());
  if (!found || found.disabled) return;
  event.preventDefault();
  found.click();
});

document.getElementById("keys").hidden = false;
try { singleKeys.checked = localStorage.getItem("tellapart-single-keys") !== "no"; } catch { /* on */ }
singleKeys.addEventListener("change", () => {
  try { localStorage.setItem("tellapart-single-keys", singleKeys.checked ? "yes" : "no"); } catch { /* for now */ }
});

// Who has nothing to judge sees when that changes.
setInterval(async () => {
  if (busy || document.hidden || !document.getElementById("nothing")) return;
  try {
    const { status, told } = await ask("/judge");
    if (status < 400 && told.question && !busy) show(told);
  } catch { /* next time */ }
}, 15 * SECONDS);

look();
const left = unsent();
if (left) send(left);
document.documentElement.dataset.ready = "";
