// The triangle of all fragments of a sentence.

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, GAP] = [48, 26, 4];
const LONGEST_WORD = 14;
const OUTCOMES = { mention: "mention", lost: "lost to another", below: "below the threshold", none: "more likely none" };

function make(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

function shortened(word) {
  const characters = [...word];
  return characters.length > LONGEST_WORD ? `${characters.slice(0, LONGEST_WORD - 1).join("")}…` : word;
}

const key = (first, last) => `${first}-${last}`;

export class Lattice {
  // `onPoint` hears which fragment is pointed at, or null.
  constructor(element, onPoint) {
    this.element = element;
    this.onPoint = onPoint;
    this.cells = new Map();
    element.addEventListener("pointerover", (event) => this.#pointed(event.target));
    element.addEventListener("pointerleave", () => this.onPoint(null));
    element.addEventListener("focusin", (event) => this.#pointed(event.target));
    element.addEventListener("keydown", (event) => this.#key(event));
  }

  draw(sentence, text, colours) {
    this.cells.clear();
    this.element.replaceChildren();
    if (!sentence) return;
    const rows = Math.max(...sentence.fragments.map((one) => one.last - one.first)) + 1;
    const bottom = rows * HEIGHT;
    const words = sentence.tokens.map(([start, end]) => shortened(text.slice(start, end)));
    const longest = Math.max(...words.map((word) => word.length));
    const slant = longest > 2 ? 38 : 0;
    const room = 24 + (slant && 4.3 * longest);
    const size = { width: sentence.tokens.length * WIDTH + room, height: bottom + room };
    const svg = make("svg", { ...size, viewBox: `0 0 ${size.width} ${size.height}`, role: "listbox" }, this.element);
    svg.setAttribute("aria-label", "Fragments of the sentence");
    words.forEach((word, number) => {
      const [x, y] = [number * WIDTH + WIDTH / 2 - 5, bottom + 14];
      const place = { x, y, class: "word", transform: `rotate(${slant} ${x} ${y})`, "data-word": number };
      make("text", place, svg).textContent = word;
    });
    for (const fragment of sentence.fragments) this.#cell(svg, fragment, sentence, text, rows, colours);
    const strongest = sentence.fragments.find((one) => one.outcome === "mention") ?? sentence.fragments[0];
    this.cells.get(key(strongest.first, strongest.last)).setAttribute("tabindex", "0");
  }

  #cell(svg, fragment, sentence, text, rows, colours) {
    const x = ((fragment.first + fragment.last) / 2) * WIDTH + GAP / 2;
    const y = (rows - 1 - (fragment.last - fragment.first)) * HEIGHT + GAP / 2;
    const [width, height] = [WIDTH - GAP, HEIGHT - GAP];
    const words = text.slice(sentence.tokens[fragment.first][0], sentence.tokens[fragment.last][1]);
    const cell = make("g", { class: `cell ${fragment.outcome}`, role: "option", tabindex: "-1", "aria-selected": "false" }, svg);
    cell.setAttribute("aria-label", `${words}: ${fragment.label} ${fragment.score.toFixed(2)}, ${OUTCOMES[fragment.outcome]}`);
    cell.dataset.span = key(fragment.first, fragment.last);
    cell.fragment = fragment;
    const box = { x, y, width, height, rx: 6 };
    make("rect", box, cell);
    const fill = make("rect", { ...box, class: "fill" }, cell);
    fill.style.setProperty("--c", colours[fragment.label.replace(/_NOM$/, "")]);
    fill.style.opacity = Math.sqrt(fragment.score);
    make("rect", { ...box, class: "edge" }, cell);
    if (fragment.score >= 0.3) {
      make("text", { x: x + width / 2, y: y + height / 2 + 3 }, cell).textContent = fragment.label.replace("_NOM", "·n");
    }
    this.cells.set(cell.dataset.span, cell);
  }

  // Lights a fragment, its words, and whom it lost to; null puts the lights out.
  light(fragment) {
    for (const lit of this.element.querySelectorAll(".lit, .winner")) lit.classList.remove("lit", "winner");
    if (!fragment) return;
    this.cells.get(key(fragment.first, fragment.last))?.classList.add("lit");
    if (fragment.lost_to) this.cells.get(key(...fragment.lost_to))?.classList.add("winner");
    for (let number = fragment.first; number <= fragment.last; number++) {
      this.element.querySelector(`[data-word="${number}"]`)?.classList.add("lit");
    }
  }

  // The fragment of certain tokens, if it is short enough to have been scored.
  fragment(first, last) {
    return this.cells.get(key(first, last))?.fragment ?? null;
  }

  show(fragment) {
    const cell = this.cells.get(key(fragment.first, fragment.last));
    const [left, width] = [cell.getBBox().x, this.element.clientWidth];
    if (left < this.element.scrollLeft || left + WIDTH > this.element.scrollLeft + width) {
      this.element.scrollLeft = left - width / 2;
    }
  }

  #pointed(target) {
    const cell = target.closest?.(".cell");
    if (cell) this.onPoint(cell.fragment);
  }

  #key(event) {
    const cell = event.target.closest(".cell");
    const move = { ArrowLeft: [-1, -1], ArrowRight: [1, 1], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!cell || !move) return;
    event.preventDefault();
    const { first, last } = cell.fragment;
    // At the right border a fragment grows to the left instead.
    const next =
      this.cells.get(key(first + move[0], last + move[1])) ??
      (event.key === "ArrowUp" ? this.cells.get(key(first - 1, last)) : undefined);
    if (!next) return;
    for (const [one, index, chosen] of [[cell, "-1", "false"], [next, "0", "true"]]) {
      one.setAttribute("tabindex", index);
      one.setAttribute("aria-selected", chosen);
    }
    next.focus();
    this.show(next.fragment);
  }
}
