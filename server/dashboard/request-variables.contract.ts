/** `{{NAME}}`; a backslash before it takes away its meaning. The length is bounded, because texts come from outside. */
const REFERENCE = /\\?\{\{([^{}\r\n]{1,300})\}\}/g;

/** Names of the variables that the texts refer to, each once, in their order. */
export function referencedVariables(texts: readonly string[]): string[] {
  const names = texts.flatMap((text) =>
    [...text.matchAll(REFERENCE)].flatMap(([whole, name = '']) =>
      whole.startsWith('\\') || name.trim() === '' ? [] : [name.trim()],
    ),
  );
  return [...new Set(names)];
}

/** The text with values in place of references; `\{{NAME}}` becomes `{{NAME}}`. */
export function fillReferences(text: string, valueFor: (name: string, at: number) => string): string {
  return text.replace(REFERENCE, (whole: string, name: string, at: number) => {
    if (whole.startsWith('\\')) return whole.slice(1);
    return name.trim() === '' ? whole : valueFor(name.trim(), at);
  });
}
