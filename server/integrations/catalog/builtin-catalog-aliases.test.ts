import { describe, expect, it } from 'vitest';
import { resolveAlias } from './builtin-catalog.ts';

const entries = new Map<string, unknown>([
  ['grandchild', { alias: 'child', docs: null }],
  ['child', { alias: 'base', proxy: { base_url: 'https://child.test' } }],
  [
    'base',
    {
      display_name: 'Base',
      docs: 'https://base.test',
      proxy: { base_url: 'https://base.test', paginate: { type: 'link' }, retry: { after: 'retry-after' } },
    },
  ],
  ['a', { alias: 'b' }],
  ['b', { alias: 'a' }],
  ['lost', { alias: 'nowhere' }],
]);

describe('resolveAlias', () => {
  it('replaces inherited top-level keys whole', () => {
    expect(resolveAlias('child', entries)).toEqual({
      entry: expect.objectContaining({ display_name: 'Base', proxy: { base_url: 'https://child.test' } }),
    });
  });

  it('follows an alias of an alias whatever the order, and removes keys set to null', () => {
    const outcome = resolveAlias('grandchild', entries);

    expect(outcome).toEqual({
      entry: { alias: 'child', display_name: 'Base', proxy: { base_url: 'https://child.test' } },
    });
  });

  it('names both keys of a cycle', () => {
    expect(resolveAlias('a', entries)).toEqual({ problem: 'b and a are aliases of each other' });
  });

  it('names the missing target', () => {
    expect(resolveAlias('lost', entries)).toEqual({ problem: 'lost is an alias of nowhere, which does not exist' });
  });
});
