// The picture of a record's copies: the hashed part in the middle, the copies of each thing on both sides, agreeing or not.

const SVG = "http://www.w3.org/2000/svg";
const ROW = 22, TOP = 48;
const STATES = {
  agrees: "agreeing", differs: "differing", apart: "beside a hashed value that differs", open: "not compared", absent: "not there",
};
const SIGNS = {
  agrees: "M-2.6 .2l1.9 1.9L2.8-1.9", differs: "M-2.3-2.3l4.6 4.6M2.3-2.3l-4.6 4.6", apart: "M-2.6-1.3h5.2M-2.6 1.3h5.2M1.7-3.4l-3.4 6.8",
  open: "M-2.4 0h4.8", absent: "",
};
const HEADS = {match: "hash matches", mismatch: "hash differs", unavailable: "not recomputed", unrecorded: "no hash"};
const WIDE = {width: 880, label: 286, box: [350, 530], right: 594};
const NARROW = {width: 372, box: [0, 92], right: 122};

function draw(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** How each copy stands. A copy agrees only if it was compared: no finding is no proof of that. */
function copiesOf(record, groups, pointers) {
  const findings = [...record.findings, ...record.allowed];
  const complete = record.coverage !== undefined && record.coverage[4] === pointers.length;
  const settled = complete && !record.unsettled;
  const bare = new Set(pointers.map(pointer => pointer.replace(/\/\d+(?=\/|$)/g, "/*")));
  const graded = pointers.some(pointer => pointer.startsWith("/published_grade/"));
  const unread = findings.some(finding => finding.rule === "statement-mismatch" && !finding.related);
  const at = (pointer, place) => pointer === place || pointer?.startsWith(`${place}/`);
  const differs = (group, place) => findings.some(finding => group.rules.includes(finding.rule) && at(finding.pointer, place));
  // What a schema finds fault with may be missing, or not be what it is taken for.
  const faults = findings.filter(finding => finding.rule === "schema-violation").map(finding => finding.pointer);
  const faulty = place => faults.some(fault => fault === undefined || at(fault, place) || at(place, fault));
  const stateOf = (group, {pointer, compared}) => {
    if (differs(group, pointer)) return "differs";
    if (!settled || faulty(pointer)) return "open";
    if (!graded && /^\/(entry\/)?published_grade|^\/entry\/points/.test(pointer)) return "absent";
    return [pointer, ...compared.map(end => pointer + end)].some(each => compared.length && bare.has(each)) ? "open" : "agrees";
  };
  return groups.map(group => {
    const unsure = !settled || (group.stated && unread) || group.hashed.some(faulty);
    const middle = group.hashed.some(place => differs(group, place)) ? "differs" : unsure ? "open" : "agrees";
    // Where the hashed value is the odd one, its copies agree with each other, but are not what was hashed.
    const beside = state => (state === "agrees" && middle === "differs" ? "apart" : state);
    const side = places => places.map(place => ({pointer: place.pointer, state: beside(stateOf(group, place))}));
    return {name: group.name, hashed: group.hashed.length > 0, middle, left: side(group.left), right: side(group.right)};
  });
}

/** The picture, with its legend. */
function picture(record, groups, pointers, narrow) {
  const rows = copiesOf(record, groups, pointers);
  const copies = rows.flatMap(row => [...row.left, ...row.right]);
  const counted = Object.entries(STATES).map(([state, words]) => [state, words, copies.filter(copy => copy.state === state).length]);
  const items = counted.filter(([, , number]) => number).map(([state, words, number]) => [state, `${number} ${words}`]);
  items.push(...middles(rows));
  const said = items.map(([, words]) => words).join(", ");
  const differing = copies.filter(copy => copy.state === "differs").map(copy => copy.pointer);
  const head = HEADS[record.view[1] === null ? "unrecorded" : record.view[0]];
  const plan = narrow ? NARROW : WIDE;
  const sides = row => (narrow ? [[], [...row.left, ...row.right]] : [row.left, row.right]);
  const height = row => Math.max(1, ...sides(row).map(side => side.length)) * ROW + 8;
  const hashed = rows.filter(row => row.hashed), others = rows.filter(row => !row.hashed);
  const total = list => list.reduce((sum, row) => sum + height(row), 0);
  const boxed = total(hashed), below = TOP + boxed + 40;
  const image = draw("svg", {
    class: "copies", viewBox: `0 0 ${plan.width} ${below + total(others) + 6}`, role: "img",
    "aria-label": `/version: ${head}. Copies: ${said}${differing.length ? `. Differing: ${differing.join(", ")}` : ""}`,
  });
  const [from, to] = plan.box, status = record.view[0];
  image.append(
    draw("rect", {class: `core ${status}`, x: from + 1, y: 1, width: to - from - 2, height: TOP + boxed + 4, rx: 8}),
    draw("text", {class: "head", x: (from + to) / 2, y: 20}, "/version"),
    draw("text", {class: "head", x: (from + to) / 2, y: 35}, head),
    draw("text", {class: "head faint", x: (from + to) / 2, y: below - 12}, "not hashed"),
  );
  let top = TOP;
  for (const row of [...hashed, ...others]) {
    if (row === others[0]) top = below;
    image.append(band(row, sides(row), plan, top, height(row)));
    top += height(row);
  }
  const legend = document.createElement("figcaption");
  for (const [state, words] of items) {
    const line = draw("path", {class: `line ${lineOf(state)}`, d: "M-26 0H-6"});
    const item = document.createElement("span");
    item.append(draw("svg", {class: "dot", viewBox: "-26 -8 34 16", "aria-hidden": "true"}, line, mark(0, 0, state)), ` ${words}`);
    legend.append(item);
  }
  const figure = document.createElement("figure");
  figure.append(legend, image);
  return figure;
}

/** What the legend says of hashed values that do not agree: the look of their sign, and words. */
function middles(rows) {
  const copied = row => row.left.length + row.right.length > 0;
  const kinds = [
    ["differs", copied, "hashed value differs from its copies", "hashed values differ from their copies"],
    ["differs", row => !copied(row), "hashed value does not fit the rest", "hashed values do not fit the rest"],
    ["open", () => true, "hashed value not compared", "hashed values not compared"],
  ];
  return kinds.flatMap(([state, chosen, one, more]) => {
    const names = rows.filter(row => row.hashed && row.middle === state && chosen(row)).map(row => row.name);
    return names.length ? [[state, `${names.length} ${names.length === 1 ? one : more}: ${names.join(", ")}`]] : [];
  });
}

const lineOf = state => (state === "apart" ? "differs" : state);

/** The copies of one thing: its name in the middle, and from it a line to each copy. */
function band(row, [left, right], plan, top, height) {
  const middle = top + height / 2, [from, to] = plan.box;
  const group = draw("g", {class: "band"});
  const each = (copies, side, edge, dot, label) =>
    copies.forEach((copy, index) => {
      const y = middle + (index - (copies.length - 1) / 2) * ROW;
      const both = lineOf(copy.state === "agrees" ? row.middle : copy.state);
      const bend = (edge + dot) / 2;
      group.append(
        draw("path", {class: `line ${both}`, d: `M${edge} ${middle}C${bend} ${middle} ${bend} ${y} ${dot} ${y}`}),
        draw("g", {class: `copy ${copy.state}`}, draw("title", {}, `${copy.pointer}: ${STATES[copy.state]}`), mark(dot, y, copy.state),
          draw("text", {class: side, x: label, y: y + 4}, copy.pointer)),
      );
    });
  each(left, "left", from, from - 50, plan.label);
  each(right, "right", to, narrowDot(plan), plan.right);
  if (row.hashed && row.middle !== "agrees") group.append(mark(from + 12, middle, row.middle));
  group.append(draw("text", {class: `name ${row.hashed ? row.middle : ""}`, x: (from + to) / 2, y: middle + 4}, row.name));
  return group;
}

const narrowDot = plan => plan.right - 14;

/** A sign that is told by its form as well as by its colour. */
function mark(x, y, state) {
  return draw("g", {class: `mark ${state}`, transform: `translate(${x} ${y})`}, draw("circle", {r: 6}), draw("path", {d: SIGNS[state]}));
}
