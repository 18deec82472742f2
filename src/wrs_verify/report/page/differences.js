// What differs between two short texts: the ends that they share are left out, then words are paired by their longest common subsequence.

// The most pairs of words that are compared; beyond that all between the shared ends counts as changed.
const MOST_PAIRS = 250000;

// An escape is one unit, so that it is never cut.
const characters = text => text.match(/\\u[0-9a-f]{4}|\\.|[\s\S]/gu) ?? [];
const words = units => units.join("").match(/\\u[0-9a-f]{4}|\\.|[\p{L}\p{N}]+|[\s\S]/gu) ?? [];

/** Both texts as lists of {text, changed}. Where they share no letter and no digit nothing is marked: all of it differs. */
function differences(one, other) {
  const unmarked = [[{text: one, changed: false}], [{text: other, changed: false}]];
  try {
    const marked = compared(one, other);
    return marked[0].some(run => !run.changed && /[\p{L}\p{N}]/u.test(run.text)) ? marked : unmarked;
  } catch (error) {
    // The marks are a help; a record must be shown without them too.
    console.error(error);
    return unmarked;
  }
}

function compared(one, other) {
  const a = characters(one), b = characters(other);
  const shortest = Math.min(a.length, b.length);
  let head = 0, tail = 0;
  while (head < shortest && a[head] === b[head]) head++;
  while (tail < shortest - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const start = a.slice(0, head).join(""), end = tail ? a.slice(-tail).join("") : "";
  const [left, right] = paired(words(a.slice(head, a.length - tail)), words(b.slice(head, b.length - tail)));
  return [left, right].map(middle => [{text: start, changed: false}, ...middle, {text: end, changed: false}].filter(run => run.text));
}

function paired(a, b) {
  const whole = side => [{text: side.join(""), changed: true}];
  if (!a.length || !b.length || a.length * b.length > MOST_PAIRS) return [whole(a), whole(b)];
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] =
        a[i] === b[j] ? common[(i + 1) * width + j + 1] + 1 : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
  const left = [], right = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length)
    if (i < a.length && j < b.length && a[i] === b[j]) {
      left.push({text: a[i++], changed: false});
      right.push({text: b[j++], changed: false});
    } else if (j >= b.length || (i < a.length && common[(i + 1) * width + j] >= common[i * width + j + 1]))
      left.push({text: a[i++], changed: true});
    else right.push({text: b[j++], changed: true});
  return [merged(left), merged(right)];
}

/** Runs of the same kind as one. Blanks and marks between two changed words are no more than where both happen to have one. */
function merged(runs) {
  const made = [];
  runs.forEach((run, at) => {
    const around = [runs[at - 1], runs[at + 1]];
    const changed = run.changed || (/^[^\p{L}\p{N}]$/u.test(run.text) && around.every(other => other?.changed === true));
    const last = made.at(-1);
    if (last && last.changed === changed) last.text += run.text;
    else made.push({text: run.text, changed});
  });
  return made;
}
