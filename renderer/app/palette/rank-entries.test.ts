import { describe, expect, it } from 'vitest';
import { type PaletteEntry, readQuery } from './palette-entry.ts';
import { rankEntries } from './rank-entries.ts';

const entry = (label: string, patch: Partial<PaletteEntry> = {}): PaletteEntry => ({
  id: label,
  group: 'Screens',
  label,
  icon: null,
  ...patch,
});
const now = 1_000_000_000;
const labels = (entries: PaletteEntry[], text: string, usage = {}) =>
  rankEntries(entries, text, { usage, now }).map(({ group, entries: all }) => [
    group,
    ...all.map((one) => one.entry.label),
  ]);

describe('rankEntries', () => {
  it('puts the group of the best entry first, and the best of a group first', () => {
    const entries = [
      entry('Catalogue'),
      entry('Logs'),
      entry('Cobalt logs', { group: 'Views' }),
      entry('Log level', { group: 'Settings' }),
      entry('Overview'),
    ];

    expect(labels(entries, 'log')).toEqual([
      ['Screens', 'Logs', 'Catalogue'],
      ['Settings', 'Log level'],
      ['Views', 'Cobalt logs'],
    ]);
  });

  it('ranks frequent and recent choices higher, but not above much better matches', () => {
    const entries = [entry('Settings'), entry('Setup')];

    expect(labels(entries, 'set')[0]).toEqual(['Screens', 'Setup', 'Settings']);
    expect(labels(entries, 'set', { Settings: { count: 5, at: now } })[0]).toEqual(['Screens', 'Settings', 'Setup']);
    expect(labels(entries, 'setup', { Settings: { count: 50, at: now } })[0]).toEqual(['Screens', 'Setup']);
  });

  it('accepts matches of the server by hidden fields, words over label and hint, and keywords', () => {
    const entries = [
      entry('Cobalt Cycles', { hint: 'HubSpot', isFound: true }),
      entry('Public address', { keywords: ['tunnel'] }),
    ];

    expect(labels(entries, 'ops@cobalt.example')).toEqual([['Screens', 'Cobalt Cycles']]);
    expect(labels(entries.slice(1), 'ops@cobalt.example')).toEqual([]);
    expect(labels(entries, 'hubspot cobalt')).toEqual([['Screens', 'Cobalt Cycles']]);
    expect(labels([{ ...entries[0], isFound: false } as PaletteEntry], 'hubspot cobalt')).toEqual([
      ['Screens', 'Cobalt Cycles'],
    ]);
    expect(labels(entries.slice(1), 'tunnel')).toEqual([['Screens', 'Public address']]);
  });

  it('shows, without a text, the entries that are not quiet in the given order', () => {
    expect(labels([entry('B'), entry('A'), entry('C', { isQuiet: true })], '')).toEqual([['Screens', 'B', 'A']]);
  });
});

describe('readQuery', () => {
  it('uses the first character to choose what is searched', () => {
    expect(readQuery('> new')).toEqual({ mode: 'actions', text: 'new' });
    expect(readQuery('/logs')).toEqual({ mode: 'path', text: 'logs' });
    expect(readQuery(' a/b ')).toEqual({ mode: 'all', text: 'a/b' });
  });
});
