import { describe, expect, it } from 'vitest';
import { compactJson, parseExactJson } from './exact-json.ts';

describe('parseExactJson', () => {
  it.each([
    '{"id":738529527931269425}',
    '[12345678901234567890,1.0,1e400,-0,0.10,1E5,-1]',
    '{"__proto__":{"a":9007199254740993},"text":"738529527931269425\\u0000\\ud800"}',
    '18446744073709551615',
  ])('keeps the digits of %s', (text) => {
    expect(JSON.stringify(parseExactJson(text))).toBe(text);
  });

  it('gives plain numbers where they lose nothing', () => {
    expect(parseExactJson('{"a":[1,-2.5,9007199254740991]}')).toEqual({ a: [1, -2.5, 9007199254740991] });
  });
});

describe('compactJson', () => {
  it.each([
    ['{ "b" : 1.0,\n\t"a": [ 1 , 2 ], "b" : "x  y" }', '{"b":1.0,"a":[1,2],"b":"x  y"}'],
    ['{"10":1,"2":2,"a\\"b c":"\\\\ "}', '{"10":1,"2":2,"a\\"b c":"\\\\ "}'],
    ['["\\u00e9\\/","\\ud83d\\ude00","\\ud800","\\u0000"]', '["é/","😀","\\ud800","\\u0000"]'],
    ['  12345678901234567890 ', '12345678901234567890'],
    ['""', '""'],
  ])('of %s keeps order, names, digits and characters', (text, compact) => {
    expect(compactJson(text)).toBe(compact);
  });
});
