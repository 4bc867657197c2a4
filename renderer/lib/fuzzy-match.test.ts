import { describe, expect, it } from 'vitest';
import { fuzzyMatch } from './fuzzy-match.ts';

/** The texts that match, best first. */
const rank = (query: string, texts: string[]): string[] =>
  texts
    .flatMap((text) => {
      const match = fuzzyMatch(text, query);
      return match ? [{ text, score: match.score }] : [];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ text }) => text);
const marked = (text: string, query: string): string[] =>
  (fuzzyMatch(text, query)?.ranges ?? []).map(([from, to]) => text.slice(from, to));

describe('fuzzyMatch', () => {
  it('prefers the whole text, then its beginning, then a word, then the middle of one', () => {
    expect(rank('log', ['Catalogue', 'Open log', 'Logs', 'Log'])).toEqual(['Log', 'Logs', 'Open log', 'Catalogue']);
  });

  it('takes initials and letters left out, and nothing that is only somewhere in the text', () => {
    expect(rank('nc', ['Functions', 'New connection'])).toEqual(['New connection', 'Functions']);
    expect(fuzzyMatch('fetchContacts', 'fc')).toBeDefined();
    expect(fuzzyMatch('Environment settings', 'envset')).toBeDefined();
    expect(fuzzyMatch('Integrations', 'itgr')).toBeDefined();
    expect(fuzzyMatch('Open the playground', 'odd')).toBeUndefined();
    expect(fuzzyMatch('Notification settings of this environment', 'ftm')).toBeUndefined();
  });

  it('requires every word, in any order, ignoring case and accents', () => {
    expect(fuzzyMatch('Cobalt Cycles', 'CYC cob')).toBeDefined();
    expect(fuzzyMatch('Café Zürich', 'zurich cafe')).toBeDefined();
    expect(fuzzyMatch('Cobalt Cycles', 'cobalt books')).toBeUndefined();
  });

  it('says which part of the text was meant', () => {
    expect(marked('Cobalt Cycles', 'cobalt')).toEqual(['Cobalt']);
    expect(marked('Cobalt Cycles', 'cyc cob')).toEqual(['Cob', 'Cyc']);
    expect(marked('New connection', 'nc')).toEqual(['N', 'c']);
    expect(marked('İstanbul office', 'office')).toEqual(['office']);
  });
});
