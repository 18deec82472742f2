// The list of records: the data, filters and search, and pages of rows. A row is made when it is shown, its inside when it is opened.

const PAGE = 50;
const MOST_RULES = 3;
const ALL = {kind: "", level: "", rule: "", words: [], page: 0};
const LEVELS = {error: "errors", warning: "warnings", note: "notes", allowed: "allowed"};
const KINDS = {fail: "failed", pass: "passed", incomplete: "incomplete", outside: "outside records", skipped: "skipped"};

/** All blocks of data as one. The blocks are taken out of the page: they are not needed twice. */
function read() {
  const all = {records: [], outside: [], skipped: [], rules: [], profiles: []};
  for (const block of document.querySelectorAll("script.data")) {
    for (const [kind, list] of Object.entries(JSON.parse(block.textContent))) for (const item of list) all[kind].push(item);
    block.remove();
  }
  const lists = [];
  for (const record of all.records) if (record.pointers) lists[record.unprotected] = record.pointers;
  const rules = new Map(all.rules.map(rule => [rule.name, rule]));
  return {...all, lists, rules, profiles: new Map(all.profiles.map(profile => [profile.name, profile.groups]))};
}

/** Everything that the list shows: errors that concern no single record, the records, what else concerns none, what was skipped. */
function listed({outside, records, skipped}) {
  const alone = outside.map(finding => ({kind: "outside", name: finding.input, findings: [finding], allowed: []}));
  const failing = item => item.findings[0].level === "error";
  return [
    ...alone.filter(failing),
    ...records.map(record => ({
      kind: record.verdict, name: named(record.input, record.line), about: record.entry,
      findings: record.findings, allowed: record.allowed, record,
    })),
    ...alone.filter(item => !failing(item)),
    ...skipped.map(one => ({kind: "skipped", name: one.input, about: one.reason, reason: one.reason, findings: [], allowed: []})),
  ];
}

const data = read();
const items = listed(data);
const state = {...ALL};
let matching = items;

// Filters

/** In lower case, what a search looks through. */
function textOf(item) {
  const {record} = item;
  const about = record ? [record.entry, record.profile, ...record.target, record.document, record.view[1]] : [item.reason];
  const found = [...item.findings, ...item.allowed].flatMap(one => [one.rule, one.message, one.pointer]);
  return (item.text ??= [item.name, ...about, ...found].filter(present).join("\n").toLowerCase());
}

/** Gathers those texts before anyone searches, a few at a time, so that the first search need not. */
function gather(from = 0) {
  const next = items.slice(from, from + 500);
  next.forEach(textOf);
  if (next.length) setTimeout(gather, 0, from + next.length);
}

function chosen(item) {
  if (state.kind && item.kind !== state.kind) return false;
  if (state.level || state.rule) {
    const allowed = !state.level || state.level === "allowed" ? item.allowed : [];
    const found = [...item.findings.filter(finding => !state.level || finding.level === state.level), ...allowed];
    if (!found.some(finding => !state.rule || finding.rule === state.rule)) return false;
  }
  return state.words.every(word => textOf(item).includes(word));
}

function filter(change) {
  Object.assign(state, {page: 0}, change);
  matching = items.filter(chosen);
  show();
}

function numbers(keys) {
  const found = new Map();
  for (const key of keys) found.set(key, (found.get(key) ?? 0) + 1);
  return found;
}

/** The controls above the list; one with nothing to choose from is left out. */
function controls() {
  const levels = numbers(items.flatMap(item => [...item.findings.map(one => one.level), ...item.allowed.map(() => "allowed")]));
  const rules = numbers(items.flatMap(item => [...item.findings, ...item.allowed].map(one => one.rule)));
  const known = Object.entries(LEVELS).filter(([level]) => levels.has(level));
  const form = make("form.controls", {id: "controls", role: "search", "aria-label": "Records"},
    searchBox(),
    menu("level", known.map(([level, words]) => [level, `${words} (${count(levels.get(level))})`])),
    menu("rule", [...rules].sort().map(([rule, number]) => [rule, `${rule} (${count(number)})`])),
    verdicts());
  form.addEventListener("submit", event => event.preventDefault());
  return form;
}

function searchBox() {
  const hint = "path, entry, hash, message …";
  const box = make("input", {type: "search", id: "search", placeholder: hint, autocomplete: "off", spellcheck: "false"});
  box.addEventListener("input", () => filter({words: box.value.toLowerCase().split(/\s+/).filter(Boolean)}));
  box.addEventListener("keydown", event => {
    if ((event.key !== "ArrowDown" && event.key !== "Enter") || event.isComposing) return;
    event.preventDefault();
    list.querySelector("summary")?.focus();
  });
  return make("span.choice.search", {}, make("label", {for: "search"}, "search"), box);
}

function menu(id, options) {
  const choices = options.map(([value, name]) => make("option", {value}, name));
  const made = make("select", {id}, make("option", {value: ""}, `any ${id}`), choices);
  made.addEventListener("change", () => filter({[id]: made.value}));
  return options.length > 0 && make("span.choice", {}, make("label", {for: id}, id), made);
}

function verdicts() {
  const kinds = numbers(items.map(item => item.kind));
  const known = Object.entries(KINDS).filter(([kind]) => kinds.has(kind));
  const choice = ([kind, words, number]) => {
    const radio = make("input", {type: "radio", name: "verdict", value: kind, ...(kind === "" && {checked: ""})});
    radio.addEventListener("change", () => filter({kind}));
    return make("label", {}, radio, make("span", {}, `${words} ${count(number)}`));
  };
  const choices = [["", "all", items.length], ...known.map(([kind, words]) => [kind, words, kinds.get(kind)])].map(choice);
  return known.length > 1 && make("fieldset", {}, make("legend", {}, "verdict"), choices);
}

// Rows

const list = make("ol.rows", {role: "list"});
const matches = make("p", {id: "matches", role: "status"});
const clear = make("button", {type: "button", id: "clear"}, "clear filters");
clear.addEventListener("click", () => {
  document.getElementById("controls").reset();
  filter(ALL);
  document.getElementById("search").focus();
});
const pages = make("nav.pages", {"aria-label": "Pages"});

function show() {
  const first = state.page * PAGE, shown = matching.slice(first, first + PAGE), all = matching.length === items.length;
  matches.textContent = all ? `${count(items.length)} in the list` : `${count(matching.length)} of ${count(items.length)} match`;
  clear.hidden = !(state.kind || state.level || state.rule || state.words.length);
  list.replaceChildren(...shown.map(row));
  const place = make("span", {}, `${count(first + 1)} to ${count(first + shown.length)} of ${count(matching.length)}`);
  const turns = [turn("Previous", state.page - 1), place, turn("Next", state.page + 1)];
  pages.replaceChildren(...(matching.length > PAGE ? turns : []));
}

function turn(words, page) {
  const button = make("button", {type: "button"}, words);
  button.disabled = page < 0 || page * PAGE >= matching.length;
  button.addEventListener("click", () => {
    state.page = page;
    show();
    list.querySelector("summary").focus();
  });
  return button;
}

/** The errors of an item, or where it has none its warnings: notes are in nearly every record. */
function worstOf(item) {
  const of = level => item.findings.filter(finding => finding.level === level);
  const errors = of("error");
  return errors.length ? errors : of("warning");
}

/** The names of the rules of the worst findings, each once. */
function rulesOf(item) {
  const worst = worstOf(item), names = [...new Set(worst.map(finding => finding.rule))], more = names.length - MOST_RULES;
  return names.length > 0 && make(`span.why.${worst[0].level}`, {}, names.slice(0, MOST_RULES).join(", "), more > 0 && ` and ${more} more`);
}

function row(item) {
  const found = {...Object.fromEntries(numbers(item.findings.map(finding => finding.level))), allowed: item.allowed.length};
  const badges = Object.entries(LEVELS).filter(([level]) => found[level]).map(([level, words]) =>
    make(`span.badge.${level}`, {}, `${count(found[level])} ${found[level] === 1 && level !== "allowed" ? level : words}`));
  const [worst] = worstOf(item);
  const opened = make("details", {}, make("summary", {},
    make(`span.chip.${item.kind}${worst ? `.${worst.level}` : ""}`, {}, item.kind === "outside" ? "outside" : KINDS[item.kind]),
    make("span.path", {}, item.name || "the whole run"),
    make("span.about", {}, rulesOf(item), make("span.entry", {}, item.about || worst?.message || item.findings[0]?.message)),
    make("span.badges", {}, badges), item.record?.coverage && bar(item.record.coverage)));
  opened.addEventListener("toggle", () => {
    if (opened.open && opened.children.length === 1) opened.append(inside(item, data));
  });
  return make("li", {}, opened);
}

// Arrows go from row to row, and back to the search; a slash goes to the search.
document.addEventListener("keydown", event => {
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.target.closest("input, select")) {
    event.preventDefault();
    document.getElementById("search").focus();
  }
  const here = event.target.closest(".rows > li > details > summary")?.closest("li");
  if (!here || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
  event.preventDefault();
  if (event.key === "ArrowDown") here.nextElementSibling?.querySelector("summary").focus();
  else (here.previousElementSibling?.querySelector("summary") ?? document.getElementById("search")).focus();
});

document.getElementById("app").append(controls(), make("div.matches", {}, matches, clear), list, pages);
show();
setTimeout(gather, 0);
if (items.length === 1) list.querySelector("details").open = true;
