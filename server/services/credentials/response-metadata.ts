import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import { valueAt } from '../../catalog/template/resolve-template.ts';

/**
 * The values that the entry's `token_response_metadata` names, with the dotted name as key; texts and booleans only.
 */
export function responseMetadata(entry: ProviderEntry, answer: unknown): Record<string, unknown> {
  const found = (entry.token_response_metadata ?? []).map((name): [string, unknown] => [name, valueAt(answer, name)]);
  return Object.fromEntries(found.filter(([, value]) => typeof value === 'string' || typeof value === 'boolean'));
}
