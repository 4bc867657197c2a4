import { describe, expect, it } from 'vitest';
import { toJsonPatch } from './json-patch.ts';

describe('toJsonPatch', () => {
  it('removes last, from the back', () => {
    const patch = toJsonPatch([
      { path: '/a/1', kind: 'removed' },
      { path: '/a/2', kind: 'removed' },
      { path: '/b', kind: 'changed', to: null },
      { path: '/c', kind: 'added', to: [1] },
    ]);

    expect(JSON.parse(patch)).toEqual([
      { op: 'replace', path: '/b', value: null },
      { op: 'add', path: '/c', value: [1] },
      { op: 'remove', path: '/a/2' },
      { op: 'remove', path: '/a/1' },
    ]);
  });
});
