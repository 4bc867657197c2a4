import { describe, expect, it } from 'vitest';
import { uniqueKey } from './unique-key.ts';

describe('uniqueKey', () => {
  it('counts up while the key is taken', () => {
    expect(uniqueKey('slack', [])).toBe('slack');
    expect(uniqueKey('slack', ['slack', 'slack-2'])).toBe('slack-3');
  });
});
