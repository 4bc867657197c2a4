import { expect } from 'vitest';

const ANY = '…';

/** Fails unless the output is what the page shows: a JSON document as a part of it, or else lines in this order. */
export function expectAnswer(output: string, shown: string, line: number): void {
  if (/^\s*[[{]/.test(shown)) {
    expect(JSON.parse(output), `line ${line}`).toEqual(asPart(JSON.parse(shown) as unknown));
    return;
  }
  let rest = output;
  for (const wanted of shown.trimEnd().split('\n')) {
    for (const part of wanted.split(ANY).map((one) => one.trim())) {
      expect(rest, `line ${line}`).toContain(part);
      rest = rest.slice(rest.indexOf(part) + part.length);
    }
  }
}

/** Lists have at least the shown items, in their order. */
function asPart(shown: unknown): unknown {
  if (shown === ANY) return expect.anything();
  if (Array.isArray(shown)) {
    const items = shown.filter((one) => one !== ANY).map(asPart);
    return items.length === shown.length ? items : expect.arrayContaining(items);
  }
  if (typeof shown !== 'object' || shown === null) return shown;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, asPart(value)])),
  );
}
