import { readStored, writeStored } from '../../lib/stored.ts';

/** A provider of the catalogue, with the members that choosing one needs. */
export interface CatalogueEntry {
  name: string;
  displayName: string;
  authMode: string;
  categories: string[];
  searchTerms: string[];
  source: 'built-in' | 'workspace' | 'override';
  templateCount: number;
  worksWithoutApp: boolean;
  waysIn: readonly string[];
}

/** Names of providers that this browser remembers. */
export interface KeptProviders {
  favourites: string[];
  recent: string[];
}

/** `group` is one of GROUPS, or a category. */
export interface CatalogueFilter {
  search: string;
  group: string;
  authModes: string[];
}

export interface CatalogueGroup {
  id: string;
  label: string;
  count: number;
}

const MAX_RECENT = 12;
const FAVOURITES = 'providers.favourites';
const RECENT = 'providers.recent';

export const readKept = (): KeptProviders => ({
  favourites: readStored(FAVOURITES, []),
  recent: readStored(RECENT, []),
});

/** Records that the person started an integration with the provider. */
export function keepRecent(name: string): void {
  const before: string[] = readStored(RECENT, []);
  writeStored(RECENT, [name, ...before.filter((one) => one !== name)].slice(0, MAX_RECENT));
}

/** Adds or removes a favourite; returns the new names. */
export function toggleFavourite(name: string): string[] {
  const before: string[] = readStored(FAVOURITES, []);
  const after = before.includes(name) ? before.filter((one) => one !== name) : [...before, name];
  writeStored(FAVOURITES, after);
  return after;
}

type Test = (entry: CatalogueEntry, kept: KeptProviders) => boolean;

/** Groups beside the categories; groups without providers are left out, except "All". */
const GROUPS: ReadonlyArray<{ id: string; label: string; has: Test }> = [
  { id: '', label: 'All providers', has: () => true },
  { id: 'favourites', label: 'Favourites', has: ({ name }, { favourites }) => favourites.includes(name) },
  { id: 'recent', label: 'Recently used', has: ({ name }, { recent }) => recent.includes(name) },
  { id: 'now', label: 'Works now, without an app', has: ({ worksWithoutApp }) => worksWithoutApp },
  { id: 'templates', label: 'With templates', has: ({ templateCount }) => templateCount > 0 },
  { id: 'own', label: 'Your workspace', has: ({ source }) => source !== 'built-in' },
];

/** Two groups have the same names as categories; this prefix marks categories. */
const CATEGORY = 'in:';

const ACRONYMS = ['ats', 'cms', 'crm', 'erp', 'hr', 'iam', 'mcp'];
/** Labels that do not follow from the name. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['e-commerce', 'E-commerce'],
  ...ACRONYMS.map((one) => [one, one.toUpperCase()] as const),
]);

export const categoryLabel = (category: string): string =>
  LABELS.get(category) ?? `${category.charAt(0).toUpperCase()}${category.slice(1).replaceAll('-', ' ')}`;

/**
 * Groups, then categories by size, each with its number of `found` providers. Which there are, and their order, follows
 * from all entries: they do not move while the person types.
 */
export function countGroups(
  entries: readonly CatalogueEntry[],
  found: readonly CatalogueEntry[],
  kept: KeptProviders,
): CatalogueGroup[] {
  const [sizes, counts] = [entries, found].map((some) => {
    const byCategory = new Map<string, number>();
    for (const { categories } of some)
      for (const one of categories) byCategory.set(one, (byCategory.get(one) ?? 0) + 1);
    return byCategory;
  });
  const groups = GROUPS.filter(({ id, has }) => id === '' || entries.some((entry) => has(entry, kept))).map(
    ({ id, label, has }) => ({ id, label, count: found.filter((entry) => has(entry, kept)).length }),
  );
  const categories = [...(sizes ?? [])]
    .map(([category, size]) => ({ size, label: categoryLabel(category), category }))
    .sort((a, b) => b.size - a.size || (a.label < b.label ? -1 : 1))
    .map(({ category, label }) => ({ id: `${CATEGORY}${category}`, label, count: counts?.get(category) ?? 0 }));
  return [...groups, ...categories];
}

/**
 * The entries that match, best first; `entries` are sorted by name. Names that begin with the search come first, then
 * names that contain it, then matches in other names.
 */
export function chooseProviders<Entry extends CatalogueEntry>(
  entries: readonly Entry[],
  { search, group, authModes }: CatalogueFilter,
  kept: KeptProviders,
): Entry[] {
  const needle = search.trim().toLowerCase();
  const has: Test = group.startsWith(CATEGORY)
    ? ({ categories }) => categories.includes(group.slice(CATEGORY.length))
    : (GROUPS.find(({ id }) => id === group)?.has ?? (() => true));
  const orderOf = ({ name, waysIn }: Entry): number => {
    if (group === 'recent') return kept.recent.indexOf(name);
    // What needs nothing at all, then what the person has, then what the hub gets itself.
    return group === 'now' ? EASE.findIndex((way) => waysIn.includes(way)) : 0;
  };
  return (
    entries
      .map((entry) => ({ entry, rank: needle === '' ? orderOf(entry) : rankOf(entry, needle) }))
      .filter(({ rank }) => rank < NO_MATCH)
      .filter(({ entry }) => (authModes.length === 0 || authModes.includes(entry.authMode)) && has(entry, kept))
      // The sort is stable: equal matches stay sorted by name.
      .sort((a, b) => a.rank - b.rank)
      .map(({ entry }) => entry)
  );
}

/** Ways that need no app, the easiest first. */
const EASE = ['none', 'dynamic_registration', 'key'];

const NO_MATCH = 10_000;

function rankOf({ displayName, name, searchTerms }: CatalogueEntry, needle: string): number {
  const shown = displayName.toLowerCase();
  if (shown === needle || name === needle) return 0;
  if (shown.startsWith(needle) || name.startsWith(needle)) return 1;
  if (shown.split(/[\s(-]+/).some((word) => word.startsWith(needle))) return 2;
  if (shown.includes(needle) || name.includes(needle)) return 3;
  return searchTerms.some((term) => term.toLowerCase().includes(needle)) ? 4 : NO_MATCH;
}
