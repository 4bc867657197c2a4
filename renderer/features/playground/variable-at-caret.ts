/** The reference that is being typed before the caret: where its name begins, and the name so far. */
export function referenceBefore(text: string, caret: number): { from: number; typed: string } | undefined {
  // Names have at most 300 characters; further back there is nothing to find.
  const start = Math.max(0, caret - 304);
  const before = text.slice(start, caret);
  const open = before.lastIndexOf('{{');
  if (open < 0) return undefined;
  const typed = before.slice(open + 2);
  // `\{{` is sent as it is, and a brace or a line end closes the name.
  if (/[{}\r\n]/.test(typed) || before[open - 1] === '\\') return undefined;
  return { from: start + open + 2, typed };
}

/** The text with the name in place of what was typed, and closed; and where the caret is then. */
export function withName(text: string, from: number, caret: number, name: string): { text: string; caret: number } {
  const rest = text.slice(caret);
  // What was left of a name that is changed, with its braces.
  const old = /^[^{}\r\n]{0,300}\}\}/.exec(rest)?.[0] ?? '';
  const next = `${text.slice(0, from)}${name}}}`;
  return { text: next + rest.slice(old.length), caret: next.length };
}

const SHOWN = 8;

/** Names that go on with what was typed first, then those that contain it. */
export function suggestNames(names: readonly string[], typed: string): string[] {
  const wanted = typed.trim().toLowerCase();
  const found = names.filter((name) => name.toLowerCase().includes(wanted));
  const rank = (name: string): number => Number(!name.toLowerCase().startsWith(wanted));
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, SHOWN);
}
