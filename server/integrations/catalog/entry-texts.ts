import { basename } from 'node:path';
import { stringify } from 'yaml';
import { readEntries } from './read-entries.ts';
import { splitEntries } from './split-entries.ts';

/** Returns the wanted entries in their original text. Entries of a file with another layout are written anew. */
export async function pickEntries(text: string, wanted: ReadonlySet<string>): Promise<string> {
  const parts = splitEntries(text);
  if (!parts) {
    const { entries } = await readEntries({ path: '', text });
    const chosen = entries.filter(({ name }) => wanted.has(name)).map(({ name, raw }) => [name, raw]);
    return stringify(Object.fromEntries(chosen), { aliasDuplicateObjects: false });
  }
  // When an entry is written twice, the first one is used.
  const chosen = new Map(parts.toReversed().map((part) => [part.name, part]));
  return `${parts.flatMap((part) => (wanted.has(part.name) && chosen.get(part.name) === part ? [part.text] : [])).join('\n\n')}\n`;
}

/** Path for the entries of an imported file, below the workspace. */
export function importedCatalogPath(file: string): string {
  const name = basename(file)
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-');
  return `providers.d/${name === '' || name === '-' ? 'imported' : name}.yaml`;
}

/** Keys of the entries of a file; empty when the entries cannot be separated. */
export function entryNames(text: string): string[] {
  return splitEntries(text)?.map(({ name }) => name) ?? [];
}

/** The original text of one entry; undefined when the file has none of this name. */
export function findEntryText(text: string, name: string): string | undefined {
  const part = splitEntries(text)?.find((one) => one.name === name);
  // Comments at the left margin below an entry belong to the next entry.
  if (!part) return undefined;
  const lines = part.text.split('\n');
  const last = lines.findLastIndex((line, at) => at === 0 || !/^(?:#|\s*$)/.test(line));
  return `${lines.slice(0, last + 1).join('\n')}\n`;
}

/**
 * Replaces one entry of a file, adds it at the end, or removes it (`entry` null). The rest of the file stays unchanged,
 * with its comments. Returns undefined for a file whose entries cannot be separated.
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
