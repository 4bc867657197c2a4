/** One value that a person enters, as in the catalogue. */
export type EntryField = { type: 'string'; title: string; description: string } & Record<string, unknown>;

/** What the description does not say, or what it says and Homeport cannot do. */
export interface OpenPoint {
  /** Of the entry. */
  keyPath: string;
  reason: string;
}

/** Reads a discovery document; undefined when there is none. */
export type Discover = (address: string) => Promise<Record<string, unknown> | undefined>;

/** Undefined for an address that is relative to nothing. */
export function absolute(written: string, base: string | undefined): string | undefined {
  if (/^https?:\/\//i.test(written) || written.startsWith('${')) return written;
  if (written === '' || base === undefined || !URL.canParse(written, base)) return undefined;
  // Placeholders are written back: URL encodes braces.
  const url = new URL(written, base).href.replaceAll('%7B', '{').replaceAll('%7D', '}');
  return /^https?:/.test(url) ? url : undefined;
}

/** A title such as `Api version` from `apiVersion`. */
export function titleFrom(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_.-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words === '' ? name : words[0]?.toUpperCase() + words.slice(1);
}
