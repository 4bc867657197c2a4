import { createHash } from 'node:crypto';

/** Names that Windows gives to devices, with any ending. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const MOST_CHARACTERS = 120;
const HASH_LENGTH = 8;

/**
 * A file name that Windows, macOS and Linux take: letters, digits, `_`, `-` and inner dots stay, other characters are
 * written as `%` and their bytes. `taken` has names in lower case, because some file systems know no difference.
 */
export function portableFileName(name: string, taken: Set<string>): string {
  let safe = name.replace(/[^\p{L}\p{N}_.-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  );
  if (safe.startsWith('.') || safe.startsWith('-') || DEVICE.test(safe)) safe = `_${safe}`;
  if (safe.endsWith('.')) safe = `${safe}_`;
  if (safe.length > MOST_CHARACTERS || taken.has(safe.toLowerCase())) {
    const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
    safe = `${safe.slice(0, MOST_CHARACTERS - HASH_LENGTH - 1)}~${hash}`;
  }
  taken.add(safe.toLowerCase());
  return safe;
}

/** `<schema>/<name><ending>` for each, as every file system takes it. */
export function portablePaths(names: ReadonlyArray<{ schema: string; name: string }>, ending: string): string[] {
  const folders = new Map<string, { name: string; taken: Set<string> }>();
  const taken = new Set<string>();
  return names.map(({ name, schema }) => {
    const folder = folders.get(schema) ?? { name: portableFileName(schema, taken), taken: new Set<string>() };
    folders.set(schema, folder);
    return `${folder.name}/${portableFileName(name, folder.taken)}${ending}`;
  });
}
