import { describe, expect, it } from 'vitest';
import { findJsonExcess, isTooDeep, MAX_CONTAINERS, MAX_JSON_DEPTH, MAX_KEYS } from './json-limits.ts';
import { parseJson } from './parse-json.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const members = (count: number): string => `{${Array.from({ length: count }, (_, at) => `"${at}":0`).join()}}`;

describe('findJsonExcess', () => {
  it.each([
    ['the most levels', nested(MAX_JSON_DEPTH), undefined],
    ['one level more', nested(MAX_JSON_DEPTH + 1), 'levels'],
    ['levels of objects', '{"a":'.repeat(MAX_JSON_DEPTH + 1), 'levels'],
    ['levels one after the other', `[${'[[]],'.repeat(500)}0]`, undefined],
    ['the most keys', members(MAX_KEYS), undefined],
    ['one key more', members(MAX_KEYS + 1), 'keys'],
    ['empty objects', `[${'{},'.repeat(MAX_CONTAINERS)}{}]`, 'containers'],
    ['brackets in a text', JSON.stringify({ a: '['.repeat(500) }), undefined],
    ['colons in a text', JSON.stringify({ a: ':'.repeat(MAX_KEYS + 1) }), undefined],
    ['escaped quotes', JSON.stringify({ a: '"['.repeat(500), b: '\\'.repeat(301), c: '\\"['.repeat(300) }), undefined],
    ['levels behind an escaped quote', `{"a\\"":"\\\\",${'"b":['.repeat(1)}${nested(300)}`, 'levels'],
    ['a text without an end', `["${'['.repeat(500)}`, undefined],
  ])('says of %s: %#', (_what, text, excess) => {
    expect(findJsonExcess(text)).toBe(excess);
  });

  it('agrees with the parser on what is inside a text', () => {
    const texts = ['\\', '"', '\\"', '\\\\"', '[\\"[', '\n"', ''].flatMap((a) => ['"[', ']', '\\'].map((b) => a + b));
    const value = Object.fromEntries(texts.map((text, at) => [`${text}${at}`, text]));

    expect(findJsonExcess(JSON.stringify([value, JSON.parse(nested(MAX_JSON_DEPTH - 1))]))).toBeUndefined();
    expect(findJsonExcess(JSON.stringify([value, JSON.parse(nested(MAX_JSON_DEPTH))]))).toBe('levels');
  });
});

describe('isTooDeep', () => {
  it('counts levels of lists and objects', () => {
    expect(isTooDeep(JSON.parse(nested(MAX_JSON_DEPTH)))).toBe(false);
    expect(isTooDeep({ a: JSON.parse(nested(MAX_JSON_DEPTH)) })).toBe(true);
    expect(isTooDeep(JSON.parse(nested(100_000)))).toBe(true);
    expect([null, 'text', 5, undefined, {}].map(isTooDeep)).toEqual(Array(5).fill(false));
  });
});

describe('parseJson', () => {
  it('treats an answer that nests too deep as not JSON', () => {
    expect(parseJson(nested(MAX_JSON_DEPTH))).toBeInstanceOf(Array);
    expect(parseJson(nested(MAX_JSON_DEPTH + 1))).toBeUndefined();
  });
});
