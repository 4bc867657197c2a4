import { basename } from 'node:path';
import { stringify } from 'yaml';
import { readEntries } from './read-entries.ts';
import { splitEntries } from './split-entries.ts';

/** The wanted entries word for word; of a file that is laid out otherwise, what they say. */
export async function pickEntries(text: string, wanted: ReadonlySet<string>): Promise<string> {
  const parts = splitEntries(text);
  if (!parts) {
    const { entries } = await readEntries({ path: '', text });
    const chosen = entries.filter(({ name }) => wanted.has(name)).map(({ name, raw }) => [name, raw]);
    return stringify(Object.fromEntries(chosen), { aliasDuplicateObjects: false });
  }
  // Of an entry that is written twice the first counts.
  const chosen = new Map(parts.toReversed().map((part) => [part.name, part]));
  return `${parts.flatMap((part) => (wanted.has(part.name) && chosen.get(part.name) === part ? [part.text] : [])).join('\n\n')}\n`;
}

/** Where the entries of an imported file go, below the workspace. */
export function importedCatalogPath(file: string): string {
  const name = basename(file)
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-');
  return `providers.d/${name === '' || name === '-' ? 'imported' : name}.yaml`;
}

/** Keys of the entries of a file; none where entries cannot be told apart. */
export function entryNames(text: string): string[] {
  return splitEntries(text)?.map(({ name }) => name) ?? [];
}

/** The text of one entry as it is written; undefined when the file has none of this name. */
export function findEntryText(text: string, name: string): string | undefined {
  const part = splitEntries(text)?.find((one) => one.name === name);
  // Comments at the left margin below an entry belong to what follows.
  return part && `${part.text.replace(/(\n(#.*|\s*))+$/, '')}\n`;
}

/**
 * The file with one entry replaced, added at its end, or taken out (`entry` null); everything else, comments included,
 * stays as it is written. Undefined for a file in which entries cannot be told apart.
 */
export function replaceEntryText(text: string, name: string, entry: string | null): string | undefined {
  const parts = splitEntries(text);
  if (!parts) return undefined;
  const at = parts.findIndex((part) => part.name === name);
  const own = entry === null ? [] : entry.trimEnd().split('\n');
  if (at === -1) {
    if (entry === null) return text;
    return [...(text.trim() === '' ? [] : [text.trimEnd(), '']), ...own, ''].join('\n');
  }
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const start = (parts[at]?.line ?? 1) - 1;
  const size = findEntryText(text, name)?.trimEnd().split('\n').length ?? 0;
  return [...lines.slice(0, start), ...own, ...lines.slice(start + size)].join('\n');
}
