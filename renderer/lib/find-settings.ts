import { fuzzyMatch } from './fuzzy-match.ts';
import type { FoundSetting } from './settings-index.ts';

const OF_WORD = 0.9;
const OF_HINT = 0.6;
const MAX_FOUND = 12;

/** The settings that fit the text, the best first: by label, by a synonym, or by both with their section. */
export function findSettings(settings: readonly FoundSetting[], text: string): FoundSetting[] {
  return settings
    .map((setting) => ({ setting, score: scoreOf(setting, text) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_FOUND)
    .map(({ setting }) => setting);
}

function scoreOf({ label, hint, words }: FoundSetting, text: string): number {
  const scores = [label, ...words].map(
    (one, index) => (fuzzyMatch(one, text)?.score ?? 0) * (index === 0 ? 1 : OF_WORD),
  );
  const best = Math.max(...scores);
  // The words may be spread over label, synonyms and section: "webhook key".
  return best > 0 ? best : (fuzzyMatch([label, ...words, hint].join(' '), text)?.score ?? 0) * OF_HINT;
}
