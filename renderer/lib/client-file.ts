/** App credentials found in a JSON file of a provider, such as Google's client file. */
export interface ClientFile {
  client_id: string;
  client_secret?: string;
}

/** The client that the text names at its top or one level below; undefined when it is no such JSON. */
export function readClientFile(text: string): ClientFile | undefined {
  if (!text.trim().startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  for (const one of [value, ...Object.values(value as object)]) {
    if (typeof one !== 'object' || one === null) continue;
    const id = textOf(one, 'client_id', 'clientId');
    const secret = textOf(one, 'client_secret', 'clientSecret');
    if (id !== undefined) return { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) };
  }
  return undefined;
}

function textOf(object: object, ...names: string[]): string | undefined {
  const members = object as Record<string, unknown>;
  return names.map((name) => members[name]).find((value): value is string => typeof value === 'string' && value !== '');
}
