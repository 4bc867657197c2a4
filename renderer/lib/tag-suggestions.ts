/** "plan: p" for each of "plan:p", "plan = p" and "plan: p", as lists of tags write them. */
export function writtenTag(text: string): string {
  const at = text.search(/[:=]/);
  return at < 0 ? text.trim() : `${text.slice(0, at).trim()}: ${text.slice(at + 1).trim()}`;
}

/**
 * What fits the text that was typed so far, of tags in the form `name: value`: while a name is typed, names and whole
 * tags; then values of this name. A tag that the connection has already is left out.
 */
export function suggestedTags(
  known: readonly string[],
  text: string,
  own: ReadonlyArray<readonly [name: string, value: string]>,
): { names: string[]; tags: string[] } {
  const wanted = writtenTag(text).toLowerCase();
  const there = new Set(own.map(([name, value]) => `${name}: ${value}`));
  const hasName = /[:=]/.test(text);
  const tags = known.filter((tag) => {
    const lower = tag.toLowerCase();
    return !there.has(tag) && lower !== wanted && (hasName ? lower.startsWith(wanted) : lower.includes(wanted));
  });
  const names = hasName
    ? []
    : [...new Set(known.map((tag) => `${tag.slice(0, tag.indexOf(': '))}: `))].filter((name) =>
        name.toLowerCase().startsWith(wanted),
      );
  return { names, tags };
}
