import { type FuzzyMatch, fuzzyMatch } from '../../lib/fuzzy-match.ts';
import { type Usage, usageScore } from '../../lib/usage.ts';
import type { PaletteEntry } from './palette-entry.ts';

export interface RankedEntry {
  entry: PaletteEntry;
  score: number;
  /** The matching parts of the label and the hint. */
  label: FuzzyMatch['ranges'];
  hint: FuzzyMatch['ranges'];
}

interface RankedGroup {
  group: string;
  entries: RankedEntry[];
}

const OF_HINT = 0.8;
const OF_KEYWORD = 0.75;
/** The score of an entry that the server found by a field that is not shown. */
const FOUND = 0.55;
const EXACT = 2;
/** Frequently chosen entries rank above slightly better matches. */
const OF_USAGE = 0.2;
const MAX_OF_A_GROUP = 6;

/**
 * The entries that match the text, in groups: the group with the best entry first, and the best entry first in each group.
 * Without a text: every entry that is not quiet, in the given order.
 */
export function rankEntries(
  entries: readonly PaletteEntry[],
  text: string,
  { usage, now }: { usage: Usage; now: number },
): RankedGroup[] {
  const ranked = entries.flatMap((entry) => rankOne(entry, text, usageScore(usage, entry.id, now)) ?? []);
  const groups = [...Map.groupBy(ranked, ({ entry }) => entry.group)].map(([group, all]) => ({ group, entries: all }));
  if (text === '') return groups;
  const sorted = groups.map(({ group, entries: all }) => ({
    group,
    entries: all.toSorted((a, b) => b.score - a.score).slice(0, MAX_OF_A_GROUP),
  }));
  return sorted.sort((a, b) => (b.entries[0]?.score ?? 0) - (a.entries[0]?.score ?? 0));
}

function rankOne(entry: PaletteEntry, text: string, used: number): RankedEntry | undefined {
  if (text === '') return entry.isQuiet ? undefined : { entry, score: used, label: [], hint: [] };
  const label = fuzzyMatch(entry.label, text);
  const hint = fuzzyMatch(entry.hint ?? '', text);
  const keyword = (entry.keywords ?? []).map((one) => fuzzyMatch(one, text)?.score ?? 0);
  // The words may be spread over label and hint: "cobalt hubspot".
  const both = label || hint ? undefined : fuzzyMatch(`${entry.label} ${entry.hint ?? ''}`, text);
  const score = Math.max(
    label?.score ?? 0,
    (hint?.score ?? 0) * OF_HINT,
    (both?.score ?? 0) * OF_HINT,
    ...keyword.map((one) => one * OF_KEYWORD),
    entry.isFound ? FOUND : 0,
    entry.isExact ? EXACT : 0,
  );
  if (score === 0) return undefined;
  return { entry, score: score + used * OF_USAGE, label: label?.ranges ?? [], hint: hint?.ranges ?? [] };
}
