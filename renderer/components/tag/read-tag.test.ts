import { describe, expect, it } from 'vitest';
import { readTag } from './read-tag.ts';

describe('readTag', () => {
  it.each([
    ['plan: pro', { name: 'plan', value: 'pro' }],
    [' plan=pro ', { name: 'plan', value: 'pro' }],
    ['site: https://a.example/x=1', { name: 'site', value: 'https://a.example/x=1' }],
    ['query=a:b', { name: 'query', value: 'a:b' }],
    ['plan', undefined],
    ['plan:', undefined],
    [': pro', undefined],
    ['', undefined],
  ])('reads “%s”', (text, tag) => {
    expect(readTag(text)).toEqual(tag);
  });
});
