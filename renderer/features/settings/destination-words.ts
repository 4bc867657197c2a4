import type { ShownDestination } from '../../api/contract.ts';

/** The events of a destination, in words: "auth and sync of HubSpot". `names`: of the integrations, by their key. */
export function filterWords(
  { types, integrations }: Pick<ShownDestination, 'types' | 'integrations'>,
  names: ReadonlyMap<string, string>,
): string {
  const what = types.length === 0 ? 'Everything' : listOf(types);
  return integrations.length === 0 ? what : `${what} of ${listOf(integrations.map((key) => names.get(key) ?? key))}`;
}

const listOf = (words: readonly string[]): string => new Intl.ListFormat('en').format(words);

/** The name of a destination, otherwise its address without the scheme. */
export const destinationTitle = ({ name, url }: Pick<ShownDestination, 'name' | 'url'>): string =>
  name ?? url.replace(/^https?:\/\//, '');
