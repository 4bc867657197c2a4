import { describe, expect, it } from 'vitest';
import { findKeyConflict, isEditable } from './key-conflicts.ts';
import { KEY_MAP, type KeyMeaning } from './key-map.ts';

const LOGS: KeyMeaning = { id: 'go.logs', keys: ['g l'], label: 'Logs', group: 'Go to' };
const ALL: KeyMeaning[] = [...Object.values(KEY_MAP), LOGS];

describe('findKeyConflict', () => {
  it('lets a command have a free key, and its own', () => {
    expect(findKeyConflict('y', 'create', ALL)).toBeUndefined();
    expect(findKeyConflict('n', 'create', ALL)).toBeUndefined();
    expect(findKeyConflict('mod+shift+k', 'palette', ALL)).toBeUndefined();
  });

  it.each([
    ['j', 'This is the key of "Next row".'],
    ['g', '"Logs" begins with it.'],
    ['mod+c', 'The browser needs this key.'],
    ['enter', 'Lists and controls need this key.'],
  ])('refuses %s', (chord, reason) => {
    expect(findKeyConflict(chord, 'create', ALL)).toBe(reason);
  });

  it('does not offer arrows, Enter, Esc and the keys of environments', () => {
    expect(
      Object.values(KEY_MAP)
        .filter(isEditable)
        .map(({ id }) => id),
    ).not.toContain('open');
    expect(isEditable(KEY_MAP.close)).toBe(false);
    expect(isEditable({ ...LOGS, id: 'environment.1', keys: ['mod+1'] })).toBe(false);
    expect(isEditable(KEY_MAP.next)).toBe(true);
  });
});
