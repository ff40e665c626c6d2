// The details of one fragment: its words, all its probabilities, and its outcome.

const SHOWN = 5;

function verdict(fragment, sentence, text, threshold) {
  if (fragment.outcome === "mention") return "It is a mention.";
  if (fragment.outcome === "none") return "It is more likely none.";
  if (fragment.outcome === "below") return `Its score is below the threshold of ${threshold.toFixed(2)}.`;
  if (!fragment.lost_to) return "It lost to a fragment that itself lost to another.";
  const [first, last] = fragment.lost_to;
  return `It lost to “${text.slice(sentence.tokens[first][0], sentence.tokens[last][1])}”.`;
}

export function describe(element, fragment, sentence, text, threshold, colours) {
  element.replaceChildren();
  if (!fragment) return;
  const head = document.createElement("p");
  const words = document.createElement("strong");
  words.textContent = text.slice(sentence.tokens[fragment.first][0], sentence.tokens[fragment.last][1]);
  head.append(words, " ", verdict(fragment, sentence, text, threshold));
  const list = document.createElement("dl");
  const ranked = fragment.probabilities
    .map((probability, number) => [sentence.labels[number], probability])
    .sort((a, b) => b[1] - a[1]);
  for (const [label, probability] of ranked.slice(0, SHOWN)) {
    const [name, bar, value] = ["dt", "dd", "dd"].map((tag) => document.createElement(tag));
    name.textContent = label;
    bar.className = "bar-of";
    bar.setAttribute("aria-hidden", "true");
    bar.style.setProperty("--c", colours[label.replace(/_NOM$/, "")] ?? "#777");
    bar.style.setProperty("--part", probability);
    value.textContent = probability.toFixed(4);
    list.append(name, bar, value);
  }
  element.append(head, list);
}
