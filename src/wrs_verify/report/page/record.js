// What a row opens to: the findings, what is known of the record, what protects it, and the picture of its copies.

const CLASSES = ["hashed", "corroborated", "repeated", "fixed", "unprotected"];
const STATUSES = {
  match: "recomputed, matches", mismatch: "another hash", unavailable: "not recomputed", unrecorded: "none recorded", unread: "not read",
};
const narrow = matchMedia("(max-width: 720px)");

const count = number => number.toLocaleString("en");
const present = value => value !== undefined && value !== null && value !== "";

/** An element: `tag.class`, attributes, and children. Strings become text, never markup. */
function make(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.flat(Infinity).filter(child => present(child) && child !== false && child !== 0));
  return made;
}

const code = text => make("code", {}, text);
const whole = pointer => pointer || "the whole record";
const named = (...parts) => parts.filter(present).join(":");

/** Text of ours, in which backquotes mark code. */
const coded = text => text.split("`").map((part, at) => (at % 2 ? code(part) : part));

function inside(item, data) {
  const levels = Object.keys(LEVELS);
  const findings = [...item.findings].sort((one, other) => levels.indexOf(one.level) - levels.indexOf(other.level));
  return make("div.inside", {},
    findings.map(finding => shownFinding(finding, item, finding.level, data)),
    item.allowed.map(finding => shownFinding(finding, item, "allowed", data)),
    item.reason && make("p", {}, `Not read: ${item.reason}`),
    item.record && [facts(item.record), protection(item.record, data), copies(item.record, data)]);
}

/** A finding: what and where, what differs, what else says so, how to mend it. */
function shownFinding(finding, item, level, data) {
  const place = named(finding.input ?? item.record?.input, finding.line, finding.column);
  return make(`article.finding.${level}`, {},
    make("h3", {}, make(`span.badge.${level}`, {}, level), ` ${finding.rule}`),
    make("p.message", {}, finding.message),
    finding.until && make("p.message", {}, `Allowed until ${finding.until}: ${finding.reason}`),
    make("p.place", {}, code(place), finding.pointer !== undefined && make("code.pointer", {}, whole(finding.pointer))),
    excerpt(finding), finding.values && pair(finding.values), altered(finding, item), others(finding),
    mending(data.rules.get(finding.rule)));
}

function mending(rule) {
  if (!rule) return "";
  const paragraphs = [rule.summary, ...rule.why, ...rule.mend].map(text => make("p", {}, coded(text)));
  return make("details.mend", {}, make("summary", {}, "Why, and how to mend it"), paragraphs);
}

/** The line of the text on which the finding is, with what is meant marked. */
function excerpt(finding) {
  if (!finding.excerpt) return "";
  const [before, meant, after] = finding.excerpt;
  const line = make("code", {}, before.trimStart(), make("mark", {}, meant), after);
  return make("pre.excerpt", {}, make("span.line", {}, String(finding.line ?? "")), line);
}

/** Values with what each is called; of two of one kind, what differs is marked. */
function pair(values) {
  const [one, other] = values.map(([, text]) => text);
  const runs = other !== undefined && one[0] === other[0] ? differences(one, other) : [[{text: one}], [{text: other}]];
  const marked = at => runs[at].map(run => (run.changed ? make(at ? "del" : "ins", {}, run.text) : run.text));
  return make("dl.pair", {}, values.map(([word], at) => [make("dt", {}, word), make("dd", {}, code(marked(at)))]));
}

/** The altered values that are proved, each with its original and, where another finding shows it, with what it is now. */
function altered(finding, item) {
  if (finding.rule !== "public-view-hash" || !finding.related) return "";
  const every = [...item.findings, ...item.allowed];
  const one = other => {
    const now = every.find(each => each.pointer === other.pointer && each.values?.length === 2)?.values[1][1];
    const values = [["was", other.value], ["is", now]].filter(([, text]) => text !== undefined);
    return make("li", {}, code(other.pointer), where(other), values.length > 0 && pair(values));
  };
  return make("div.altered", {}, make("h4", {}, "Proved altered, unless the hash was replaced"), make("ul", {}, finding.related.map(one)),
    unlisted(finding));
}

function others(finding) {
  if (finding.rule === "public-view-hash" || !finding.related) return "";
  const one = other => make("li", {}, code(whole(other.pointer)), where(other), other.value && make("code.value", {}, other.value));
  return make("div.related", {}, make("h4", {}, "Other places"), make("ul", {}, finding.related.map(one)), unlisted(finding));
}

/** Where another place is: in this input, or in the one that it names. */
function where(other) {
  const line = named(other.line, other.column);
  return make("span.where", {}, other.input ? named(other.input, line) : line && `line ${line}`);
}

const unlisted = finding => finding.unlisted && make("p", {}, `and ${count(finding.unlisted)} more`);

/** What a record is, and its hashes. */
function facts(record) {
  const [id, version] = record.target;
  const lines = [
    ["record", id && [code(id), version && ` version ${version}`]],
    ["entry", record.entry],
    ["profile", record.profile],
    ["public view hash", hash(record.view, record)],
    ["content hash", hash(record.content, record)],
    ["document hash", record.document && code(record.document)],
  ];
  const shown = lines.filter(([, value]) => value).map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]);
  return make("section.facts", {}, make("h3", {}, "The record"), make("dl", {}, shown));
}

/** A hash. Of a record without a document hash nothing could be read: not even whether a hash is in it. */
function hash([status, recorded, computed, origin], record) {
  const standing = record.document === null ? "unread" : recorded === null ? "unrecorded" : status;
  return [
    make(`span.status.${standing}`, {}, STATUSES[standing], origin && ` (from the ${origin})`),
    recorded && code(recorded),
    status === "mismatch" && computed && code(`computed ${computed}`),
  ];
}

function protection(record, data) {
  const title = make("h3", {}, "What protects its values");
  if (!record.coverage) return make("section.protection", {}, title, make("p", {}, "It could not be worked out."));
  const key = (name, at) => make("li", {}, make(`i.key.${name}`), make("b", {}, count(record.coverage[at])), ` ${name}`);
  const pointers = data.lists[record.unprotected], rest = record.coverage[4] - pointers.length;
  const bare = pointers.length > 0 && make("details", {},
    make("summary", {}, `the ${count(record.coverage[4])} that nothing protects`),
    make("ul.pointers", {}, pointers.map(pointer => make("li", {}, code(whole(pointer))))),
    rest > 0 && make("p", {}, `and ${count(rest)} more`));
  return make("section.protection", {}, title, bar(record.coverage), make("ul.legend", {}, CLASSES.map(key)), bare);
}

/** A record's coverage in the form of a bar. */
function bar(coverage) {
  const total = coverage.reduce((sum, number) => sum + number, 0) || 1;
  const image = draw("svg", {
    class: "bar small", viewBox: "0 0 1000 10", preserveAspectRatio: "none", role: "img",
    "aria-label": `coverage: ${CLASSES.map((name, at) => `${coverage[at]} ${name}`).join(", ")}`,
  });
  let start = 0;
  coverage.forEach((number, at) => {
    const width = (1000 * number) / total;
    if (number) image.append(draw("rect", {class: CLASSES[at], x: start, y: 0, width, height: 10}));
    start += width;
  });
  return image;
}

/** The picture, drawn anew where a window becomes narrow or wide. */
function copies(record, data) {
  const groups = data.profiles.get(record.profile);
  if (!groups) return "";
  const title = make("h3", {}, "Its copies"), section = make("section.picture");
  const put = () => section.replaceChildren(title, picture(record, groups, data.lists[record.unprotected] ?? [], narrow.matches));
  narrow.addEventListener("change", put);
  put();
  return section;
}
