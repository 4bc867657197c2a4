import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import { logoUrl } from './integration.ts';

/** The catalogue entry as stored, with its name and logo (http-api.md 2). */
export function presentProvider(entry: ProviderEntry, localBase: string): Record<string, unknown> {
  return { ...entry, logo_url: logoUrl(localBase, entry.name) };
}
