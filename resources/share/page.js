"use strict";
// The page that reads along: it keeps the newest state of each line, by its number.

const WORDS = {
  en: {
    hint: "Words appear here as they are spoken.", newest: "Jump to newest", settings: "Display", smaller: "Smaller text",
    larger: "Larger text", colours: "Colours", dark: "Dark", light: "Light", yellow: "Yellow on black",
    text: "Language", both: "Both languages", said: "As spoken", to: "Translation", solid: "Only certain words",
    there: "Live", away: "Connection lost. Trying again…", over: "The captions have ended.",
    full: "Too many readers at the moment. Trying again…", gone: "This page is closed. Ask for a new code.",
  },
  de: {
    hint: "Hier erscheinen die Wörter, während sie gesprochen werden.", newest: "Zum Neuesten", settings: "Anzeige",
    smaller: "Kleinere Schrift", larger: "Größere Schrift", colours: "Farben", dark: "Dunkel", light: "Hell",
    yellow: "Gelb auf Schwarz", text: "Sprache", both: "Beide Sprachen", said: "Wie gesprochen", to: "Übersetzung",
    solid: "Nur sichere Wörter", there: "Live", away: "Verbindung verloren. Neuer Versuch …",
    over: "Die Untertitel sind zu Ende.", full: "Gerade zu viele Lesende. Neuer Versuch …",
    gone: "Diese Seite ist geschlossen. Einen neuen Code erbitten.",
  },
};
const MOST_LINES = 400;
const SILENT_MILLISECONDS = 40_000; // the server is heard from every 15 s
const SIZES = [1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.4];

const words = WORDS[navigator.language.toLowerCase().startsWith("de") ? "de" : "en"];
const by = (id) => document.getElementById(id);
const main = by("lines");
const lines = new Map();
let source = null, heard = 0, newest = "", over = false, wait = 1000, follows = true;

function stored(name, usual) {
  try { return localStorage.getItem(name) ?? usual; } catch { return usual; } // a private window keeps nothing
}
function store(name, value) {
  try { localStorage.setItem(name, value); } catch { /* it holds for this visit */ }
}

function part(parent, kind, className) {
  const made = document.createElement(kind);
  made.className = className;
  parent.append(made);
  return made;
}

function made(id) {
  const box = document.createElement("div");
  box.className = "line";
  const line = { id, box, name: part(box, "p", "name"), said: part(box, "p", "said"), to: part(box, "p", "to") };
  line.solid = part(line.said, "span", "solid");
  line.open = part(line.said, "span", "open");
  const after = [...lines.values()].find((each) => each.id > id);
  main.insertBefore(box, after ? after.box : null);
  lines.set(id, line);
  if (after) {
    const inOrder = [...lines].sort(([one], [other]) => one - other);
    lines.clear();
    for (const [key, value] of inOrder) lines.set(key, value);
  }
  return line;
}

function show(state) {
  let line = lines.get(state.id);
  if (state.gone) {
    line?.box.remove();
    lines.delete(state.id);
    return;
  }
  line ??= made(state.id);
  line.speaker = state.name;
  line.solid.textContent = state.said;
  line.open.textContent = state.open;
  line.said.lang = state.language;
  line.said.dir = line.to.dir = "auto";
  line.to.textContent = state.to ? state.to.text : "";
  line.to.lang = state.to ? state.to.language : "";
  line.box.classList.toggle("translated", Boolean(state.to && state.to.text));
  line.box.classList.toggle("unsure", !state.said);
  line.final = state.final;
  line.translated = Boolean(state.to && state.to.final);
  while (lines.size > MOST_LINES) {
    const [id, oldest] = lines.entries().next().value;
    oldest.box.remove();
    lines.delete(id);
  }
}

// What is final is announced in the language that is read. A translation comes later than its line, but before the next.
function announce() {
  const final = [...lines.values()].filter((line) => line.final);
  const reads = document.body.dataset.text === "to" && final.some((line) => line.to.textContent);
  const said = [];
  for (const line of final) {
    if (line.announced || (reads && !line.translated && line === final.at(-1))) continue;
    line.announced = true;
    const text = (reads && line.to.textContent) || line.said.textContent;
    said.push(line.speaker ? `${line.speaker}: ${text}` : text);
  }
  if (said.length) by("announced").textContent = said.join(" ");
}

function nameLines() {
  let before = "";
  for (const line of lines.values()) {
    if (document.body.hasAttribute("data-solid") && line.box.classList.contains("unsure")) continue;
    line.name.textContent = line.speaker === before ? "" : line.speaker;
    before = line.speaker;
  }
}

function settle() {
  announce();
  nameLines();
  by("hint").hidden = lines.size > 0;
  if (follows) main.scrollTop = main.scrollHeight;
}

function say(text) {
  if (by("state").textContent !== text) by("state").textContent = text;
}

function connect() {
  source?.close();
  if (over) return;
  heard = Date.now();
  // A new EventSource forgets the number of the last event, so the address has it.
  source = new EventSource(`captions?after=${newest}`);
  source.onopen = () => { wait = 1000; say(words.there); };
  source.onmessage = (event) => {
    heard = Date.now();
    newest = event.lastEventId;
    show(JSON.parse(event.data));
    settle();
  };
  source.addEventListener("alive", () => { heard = Date.now(); });
  source.addEventListener("end", () => {
    over = true;
    source.close();
    say(words.over);
  });
  source.onerror = () => {
    if (over) return;
    say(words.away);
    if (source.readyState === EventSource.CLOSED) lookWhy(); // the browser does not try again by itself
  };
}

async function lookWhy() {
  try {
    const { status } = await fetch("page.css", { cache: "no-store" });
    if (status === 404 || status === 421) { over = true; say(words.gone); return; }
    if (status !== 200 || wait > 1000) say(words.full);
  } catch { /* not there: try again */ }
  setTimeout(connect, wait);
  wait = Math.min(wait * 2, 15_000);
}

function lookAgain() {
  if (!over && (Date.now() - heard > SILENT_MILLISECONDS || source?.readyState === EventSource.CLOSED)) connect();
}

function applySize(step) {
  const at = Math.min(Math.max(Number(stored("size", 3)) + step, 0), SIZES.length - 1);
  store("size", at);
  main.style.fontSize = `${SIZES[at]}rem`;
  settle();
}

function applyChoice(id) {
  const control = by(id), usual = id === "colours" ? "dark" : "both";
  control.value = stored(id, usual);
  if (!control.value) control.value = usual;
  document.body.dataset[id] = control.value;
  control.setAttribute("aria-label", words[id]);
  for (const option of control.options) option.textContent = words[option.value];
  control.onchange = () => {
    store(id, control.value);
    document.body.dataset[id] = control.value;
    settle();
  };
}

function begin() {
  document.documentElement.lang = words === WORDS.de ? "de" : "en";
  for (const [id, step] of [["smaller", -1], ["larger", 1]]) {
    by(id).setAttribute("aria-label", words[id]);
    by(id).onclick = () => applySize(step);
  }
  by("hint").textContent = words.hint;
  by("newest").textContent = words.newest;
  by("newest").onclick = () => { follows = true; by("newest").hidden = true; settle(); };
  document.querySelector("summary").textContent = words.settings;
  document.querySelector("details").ontoggle = settle;
  applyChoice("colours");
  applyChoice("text");
  const solid = by("solid");
  solid.nextElementSibling.textContent = words.solid;
  solid.checked = stored("solid", "") === "yes";
  solid.onchange = () => {
    store("solid", solid.checked ? "yes" : "");
    document.body.toggleAttribute("data-solid", solid.checked);
    settle();
  };
  solid.onchange();
  main.addEventListener("scroll", () => {
    follows = main.scrollHeight - main.scrollTop - main.clientHeight < 80;
    by("newest").hidden = follows;
  });
  addEventListener("resize", settle);
  document.addEventListener("visibilitychange", lookAgain);
  addEventListener("online", lookAgain);
  setInterval(lookAgain, 10_000);
  applySize(0);
  connect();
}

begin();
