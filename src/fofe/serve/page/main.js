// The page: what is chosen, what the server found in it, and how both are shown.

import { Refusal, exported, keepToken, lattice as askLattice, modelFor, models as askModels, tag } from "./api.js";
import { describe } from "./detail.js";
import { Lattice } from "./lattice.js";
import { draw, selected } from "./marks.js";

const EXAMPLES = {
  en: "Anna Berg met the mayor of Bergen at the University of Bergen. Two engineers from Leeds repaired the bridge near Oslo Airport.",
  es: "Ana Torres visitó al alcalde de Lima. El club de Sevilla jugará en Madrid.",
  zh: "安娜在北京大学见到了市长。他昨天从上海来。",
};
const EXAMPLE_NAMES = { en: "English", es: "Español", zh: "中文" };
const NO_CORPUS = "no corpus in particular";
const AUTO = "auto";
const TEXT = "fofe-text";
const LONGEST_LATTICE_TEXT = 10_000;
const THEMES = { system: "◐", light: "☀", dark: "☾" };

const $ = (id) => document.getElementById(id);
const state = { models: [], found: null, text: "", chosen: 0, sentence: null };
const lattice = new Lattice($("lattice"), (fragment) => point(fragment));
let underWay = new AbortController();
let waiting;

const model = () => state.models.find((one) => one.name === $("model").value);

function settings() {
  return {
    model: $("model").value,
    scheme: $("scheme").value || null,
    strategy: $("strategy").value,
    nested: $("nested").checked,
    threshold: Number($("threshold").value),
  };
}

function options(select, values) {
  select.replaceChildren(...values.map((value) => new Option(value)));
}

function chooseLanguage() {
  const language = $("language").value;
  options($("model"), state.models.filter((one) => [one.language, AUTO].includes(language)).map((one) => one.name));
  chooseModel();
}

function chooseModel() {
  const { schemes } = model();
  $("scheme").replaceChildren(new Option(NO_CORPUS, ""), ...schemes.map((corpus) => new Option(corpus)));
  $("scheme-part").hidden = !schemes.length;
  chooseScheme();
}

function chooseScheme() {
  const { strategy, nested, threshold } = model().decodings[$("scheme").value] ?? model();
  $("strategy").value = strategy;
  $("nested").checked = nested;
  $("threshold").value = threshold;
}

// Chooses the model of the text's language, as the server recognises it.
async function chooseByText(text, signal) {
  const name = await modelFor(text, signal);
  if (name === $("model").value) return;
  $("model").value = name;
  chooseModel();
}

async function start() {
  let answer;
  try {
    answer = await askModels();
  } catch (error) {
    return refuse(error);
  }
  $("locked").hidden = true;
  state.models = answer.models;
  $("version").textContent = `fofe ${answer.version}`;
  const languages = [...new Set(answer.models.map((one) => one.language))];
  options($("language"), languages.length > 1 ? [...languages, AUTO] : languages);
  $("language-part").hidden = $("model-part").hidden = answer.models.length === 1;
  options($("strategy"), answer.strategies);
  chooseLanguage();
  $("examples").replaceChildren(...languages.filter((code) => EXAMPLES[code]).map(exampleButton));
  if (!$("text").value) $("text").value = sessionStorage.getItem(TEXT) ?? EXAMPLES[languages[0]] ?? "";
  await refresh();
}

function exampleButton(code) {
  const button = document.createElement("button");
  button.type = "button";
  button.lang = code;
  button.textContent = EXAMPLE_NAMES[code];
  button.addEventListener("click", () => {
    if (![code, AUTO].includes($("language").value)) {
      $("language").value = code;
      chooseLanguage();
    }
    $("text").value = EXAMPLES[code];
    refresh();
  });
  return button;
}

// Asks for everything anew; an answer that was overtaken by another question is dropped.
async function refresh() {
  clearTimeout(waiting);
  busy(true);
  underWay.abort();
  underWay = new AbortController();
  const { signal } = underWay;
  $("threshold-value").textContent = Number($("threshold").value).toFixed(2);
  const text = $("text").value;
  keep(text);
  try {
    if ($("language").value === AUTO) await chooseByText(text, signal);
    const found = await tag(settings(), text, signal);
    Object.assign(state, { found, text });
    state.chosen = Math.min(state.chosen, Math.max(0, found.sentences.length - 1));
    $("problem").textContent = "";
    show();
    await showLattice(signal);
  } catch (error) {
    refuse(error);
  }
  if (!signal.aborted) busy(false);
}

// Keeps the text for a reload, unless it is longer than what the browser stores.
function keep(text) {
  try {
    sessionStorage.setItem(TEXT, text);
  } catch {
    sessionStorage.removeItem(TEXT);
  }
}

function busy(yes) {
  document.querySelector("main").setAttribute("aria-busy", yes);
}

// Asks anew when nothing has changed for a while.
function refreshSoon(milliseconds) {
  busy(true);
  underWay.abort();
  clearTimeout(waiting);
  waiting = setTimeout(refresh, milliseconds);
}

function show() {
  const { found, text, chosen } = state;
  draw($("found"), text, found, chosen, model().colours);
  const count = found.mentions.length;
  $("count").textContent = count || !text.trim() ? `(${count})` : "(no mentions)";
  $("status").textContent = count === 1 ? "1 mention found." : `${count || "no"} mentions found.`;
  $("rows").replaceChildren(...found.mentions.map(row));
  const sentences = found.sentences.length;
  $("which").textContent = sentences ? `(sentence ${chosen + 1} of ${sentences})` : "";
  $("previous").disabled = chosen === 0;
  $("next").disabled = chosen + 1 >= sentences;
}

function row(mention) {
  const line = document.createElement("tr");
  const kind = mention.kind === "NOM" ? "nominal" : "name";
  for (const value of [mention.text, mention.type, kind, mention.score.toFixed(3), `${mention.start}–${mention.end}`]) {
    line.insertCell().textContent = value;
  }
  return line;
}

async function showLattice(signal) {
  state.sentence = null;
  if (state.found.sentences.length && state.text.length <= LONGEST_LATTICE_TEXT) {
    state.sentence = await askLattice(settings(), state.text, state.chosen, signal);
  }
  lattice.draw(state.sentence, state.text, model().colours);
  const first = state.sentence?.fragments.find((one) => one.outcome === "mention") ?? null;
  describe($("detail"), first, state.sentence, state.text, settings().threshold, model().colours);
  if (!state.sentence && state.found.sentences.length) {
    $("detail").textContent = `Fragments are shown for texts of up to ${LONGEST_LATTICE_TEXT} characters.`;
  }
}

function choose(sentence) {
  if (sentence === state.chosen || sentence < 0 || sentence >= state.found.sentences.length) return;
  state.chosen = sentence;
  refresh();
}

// Lights a fragment in the lattice and in the text, and shows its details.
function point(fragment) {
  lattice.light(fragment);
  for (const token of $("found").querySelectorAll(".token")) {
    const number = Number(token.dataset.token);
    token.classList.toggle("lit", fragment !== null && fragment.first <= number && number <= fragment.last);
  }
  if (fragment) describe($("detail"), fragment, state.sentence, state.text, settings().threshold, model().colours);
}

// The fragment of the tokens that a span of characters touches, in the sentence that is shown.
function fragmentAt(start, end) {
  const touched = (state.sentence?.tokens ?? []).flatMap(([from, to], number) => (from < end && start < to ? [number] : []));
  return touched.length ? lattice.fragment(touched[0], touched.at(-1)) : null;
}

function refuse(error) {
  if (error.name === "AbortError") return;
  if (!(error instanceof Refusal)) throw error;
  if (error.status === 401) {
    $("locked").hidden = false;
    $("token").focus();
  }
  $("problem").textContent = error.message;
}

async function copy(format, name) {
  try {
    const content = await exported(settings(), $("text").value, format);
    await write(content);
    $("status").textContent = `Copied as ${name}.`;
  } catch (error) {
    refuse(error);
  }
}

async function write(content) {
  if (navigator.clipboard) return navigator.clipboard.writeText(content);
  // Without encryption browsers offer no clipboard but that of a selection.
  const area = document.createElement("textarea");
  area.value = content;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

function theme(name) {
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  $("theme").textContent = THEMES[name];
  $("theme").setAttribute("aria-label", `Colours: ${name === "system" ? "as the system has them" : name}`);
  localStorage.setItem("fofe-theme", name);
}

$("text").addEventListener("input", () => refreshSoon(250));
$("threshold").addEventListener("input", () => {
  $("threshold-value").textContent = Number($("threshold").value).toFixed(2);
  refreshSoon(60);
});
for (const id of ["strategy", "nested"]) $(id).addEventListener("change", refresh);
$("language").addEventListener("change", () => {
  chooseLanguage();
  refresh();
});
$("model").addEventListener("change", () => {
  chooseModel();
  refresh();
});
$("scheme").addEventListener("change", () => {
  chooseScheme();
  refresh();
});
$("previous").addEventListener("click", () => choose(state.chosen - 1));
$("next").addEventListener("click", () => choose(state.chosen + 1));
$("found").addEventListener("click", (event) => {
  const sentence = event.target.closest(".sentence");
  if (sentence && getSelection().isCollapsed) choose(Number(sentence.dataset.sentence));
});
$("found").addEventListener("pointerover", (event) => {
  const mention = event.target.closest("mark")?.mention;
  if (mention && event.target.closest(".chosen")) point(fragmentAt(mention.start, mention.end));
});
$("found").addEventListener("pointerleave", () => point(null));
document.addEventListener("selectionchange", () => {
  const span = selected($("found"));
  const fragment = span && fragmentAt(span.start, span.end);
  if (fragment) {
    point(fragment);
    lattice.show(fragment);
  }
});
for (const button of document.querySelectorAll("[data-format]")) {
  button.addEventListener("click", () => copy(button.dataset.format, button.textContent));
}
$("text").addEventListener("dragover", (event) => {
  event.preventDefault();
  $("text").classList.add("over");
});
for (const name of ["dragleave", "drop"]) $("text").addEventListener(name, () => $("text").classList.remove("over"));
$("text").addEventListener("drop", async (event) => {
  const [file] = event.dataTransfer.files;
  if (!file) return;
  event.preventDefault();
  $("text").value = await file.text();
  refresh();
});
$("locked").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken($("token").value);
  $("problem").textContent = "";
  start();
});
$("theme").addEventListener("click", () => {
  const names = Object.keys(THEMES);
  theme(names[(names.indexOf(localStorage.getItem("fofe-theme") ?? "system") + 1) % names.length]);
});
theme(localStorage.getItem("fofe-theme") ?? "system");
start();
