import type { EntrySource } from './catalog/entry-schema.ts';
import { logoUrl } from './integration.present.ts';

/** The catalogue entry as stored, with its name and logo (http-api.md 2). */
export function presentProvider(
  entry: { name: string; source: EntrySource },
  localBase: string,
): Record<string, unknown> {
  return { ...entry, source: sourceOf(entry), logo_url: logoUrl(localBase, entry.name) };
}

/** Where the definition comes from, as a wire value (design.md 7.34). */
export function sourceOf({ source }: { source: EntrySource }): 'built-in' | 'workspace' | 'override' {
  return source === 'builtin' ? 'built-in' : source;
}
