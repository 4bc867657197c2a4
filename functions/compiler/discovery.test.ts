import { describe, expect, it } from 'vitest';
import { isFunctionFolder } from './discovery.ts';

describe('isFunctionFolder', () => {
  it.each(['hubspot', 'google-mail', 'my tracker', 'a.b', 'team@one', 'build-2'])('takes "%s"', (name) => {
    expect(isFunctionFolder(name)).toBe(true);
  });

  it.each(['', '.', '..', '.git', 'a/b', '../a', 'a\\b', 'node_modules', 'dist', 'build'])('refuses "%s"', (name) => {
    expect(isFunctionFolder(name)).toBe(false);
  });
});
