// The text with its mentions as stacked underlines.

function overlap(one, other) {
  return one.start < other.end && other.start < one.end;
}

// The row of each mention's underline: 0 is next to the text, and inner mentions come first.
function rowsOf(mentions) {
  const rows = new Map();
  const filled = [];
  const bySize = [...mentions].sort((a, b) => a.end - a.start - (b.end - b.start) || a.start - b.start);
  for (const mention of bySize) {
    let row = filled.findIndex((others) => !others.some((other) => overlap(mention, other)));
    if (row < 0) row = filled.push([]) - 1;
    filled[row].push(mention);
    rows.set(mention, row);
  }
  return rows;
}

function chip(mention) {
  return `${mention.type}${mention.kind === "NOM" ? " nom" : ""} ${mention.score.toFixed(2)}`;
}

function markOf(mention, row, colour) {
  const mark = document.createElement("mark");
  mark.style.setProperty("--c", colour);
  mark.style.setProperty("--row", row);
  if (mention.kind === "NOM") mark.className = "nom";
  mark.title = `${mention.type}, ${mention.kind === "NOM" ? "nominal" : "name"}, score ${mention.score.toFixed(3)}`;
  mark.mention = mention;
  return mark;
}

// Fills `parent` with the characters from `start` to `end`: marks for the mentions, spans for the tokens.
function fill(parent, text, start, end, mentions, tokens, rows, colours) {
  const borders = new Set([start, end]);
  for (const piece of [...mentions, ...tokens]) borders.add(piece.start).add(piece.end);
  const ordered = [...borders].sort((a, b) => a - b);
  const tokenAt = new Map(tokens.map((token) => [token.start, token]));
  let stack = [];
  for (let place = 0; place + 1 < ordered.length; place++) {
    const [from, to] = [ordered[place], ordered[place + 1]];
    const open = mentions
      .filter((mention) => mention.start <= from && to <= mention.end && !stack.some((one) => one.mention === mention))
      .sort((a, b) => b.end - a.end);
    for (const mention of open) {
      const mark = markOf(mention, rows.get(mention), colours[mention.type]);
      (stack.at(-1) ?? parent).append(mark);
      stack.push(mark);
    }
    let leaf = document.createTextNode(text.slice(from, to));
    if (tokenAt.has(from)) {
      const span = document.createElement("span");
      span.className = "token";
      span.dataset.token = tokenAt.get(from).number;
      span.append(leaf);
      leaf = span;
    }
    (stack.at(-1) ?? parent).append(leaf);
    for (const mark of stack) {
      if (mark.mention.end === to) mark.dataset.label = chip(mark.mention);
    }
    const lowest = stack.findIndex((mark) => mark.mention.end === to);
    if (lowest >= 0) stack = stack.slice(0, lowest);
  }
}

// Draws a text into an element; the tokens of the sentence `chosen` become elements of their own.
export function draw(element, text, found, chosen, colours) {
  const rows = rowsOf(found.mentions);
  element.replaceChildren();
  element.style.setProperty("--height", 1.9 + 0.28 * Math.max(0, ...rows.values()));
  let position = 0;
  found.sentences.forEach((sentence, number) => {
    element.append(text.slice(position, sentence.start));
    const span = document.createElement("span");
    span.className = number === chosen ? "sentence chosen" : "sentence";
    span.dataset.sentence = number;
    const inside = found.mentions.filter((one) => one.start >= sentence.start && one.end <= sentence.end);
    const tokens = number === chosen ? sentence.tokens.map(([start, end], index) => ({ start, end, number: index })) : [];
    fill(span, text, sentence.start, sentence.end, inside, tokens, rows, colours);
    element.append(span);
    position = sentence.end;
  });
  element.append(text.slice(position));
}

// The characters of `element` that are selected, as offsets into its text; null if none are.
export function selected(element) {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!element.contains(range.commonAncestorContainer)) return null;
  const before = document.createRange();
  before.selectNodeContents(element);
  before.setEnd(range.startContainer, range.startOffset);
  const start = before.toString().length;
  return { start, end: start + range.toString().length };
}
