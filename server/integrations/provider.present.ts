import type { EntrySource, ProviderEntry } from './catalog/entry-schema.ts';
import { waysIn, worksWithoutApp } from './catalog/ways-in.contract.ts';
import { logoUrl } from './integration.present.ts';

/** The catalogue entry as stored, with its name, its logo and the ways to connect (http-api.md 2). */
export function presentProvider(entry: ProviderEntry, localBase: string): Record<string, unknown> {
  return {
    ...entry,
    source: sourceOf(entry),
    logo_url: logoUrl(localBase, entry.name),
    ways_in: waysIn(entry),
    works_without_app: worksWithoutApp(entry),
  };
}

/** An entry of the workspace that cannot be used, so that there is no way to connect. */
export function presentRefused(entry: { name: string }, localBase: string): Record<string, unknown> {
  return { ...entry, source: sourceOf({ source: 'workspace' }), logo_url: logoUrl(localBase, entry.name) };
}

/** Where the definition comes from, as a wire value (design.md 7.34). */
export function sourceOf({ source }: { source: EntrySource }): 'built-in' | 'workspace' | 'override' {
  return source === 'builtin' ? 'built-in' : source;
}
