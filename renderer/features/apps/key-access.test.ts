import { describe, expect, it } from 'vitest';
import { accessText, keyAccessOf, SCOPE_GROUPS, scopesOf, spreadScopes } from './key-access.ts';

describe('access of a key', () => {
  it('is the preset that holds exactly its scopes', () => {
    expect(['full', 'read', 'proxy', 'agent'].map((name) => keyAccessOf(scopesOf(name as 'full', [])))).toEqual([
      'full',
      'read',
      'proxy',
      'agent',
    ]);
    expect(keyAccessOf(['environment:proxy', 'environment:deploy'])).toBe('chosen');
  });

  it('is named by its preset or counted', () => {
    expect(
      [['environment:*'], ['environment:deploy'], ['environment:deploy', 'environment:mcp']].map(accessText),
    ).toEqual(['Full', '1 scope', '2 scopes']);
  });

  it('spreads scopes that stand for several, and folds all of them', () => {
    expect(spreadScopes(['environment:records:*', 'environment:proxy'])).toEqual([
      'environment:records:read',
      'environment:records:query',
      'environment:records:write',
      'environment:proxy',
    ]);
    const all = SCOPE_GROUPS.flatMap(({ scopes }) => scopes);
    expect(scopesOf('chosen', all)).toEqual(['environment:*']);
  });
});
