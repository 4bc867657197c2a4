import { describe, expect, it } from 'vitest';
import { keepUnchanged, printJson, readWithDigits } from './json-digits.ts';

const ID = '12345678901234567890';

describe('printJson', () => {
  it.each([
    [`{"id":${ID},"n":[1.0,1e400,-0]}`, `{\n  "id": ${ID},\n  "n": [\n    1.0,\n    1e400,\n    -0\n  ]\n}`],
    ['{"b":1,"10":2,"b":3}', '{\n  "b": 1,\n  "10": 2,\n  "b": 3\n}'],
    ['{"a":{},"b":[],"c":"x{}[],: \\"y"}', '{\n  "a": {},\n  "b": [],\n  "c": "x{}[],: \\"y"\n}'],
    [' [ ] ', '[]'],
    ['"["', '"["'],
    ['["[", 1,"{"]', '[\n  "[",\n  1,\n  "{"\n]'],
    ['not { json', 'not { json'],
  ])('of %s keeps digits, order and names', (text, printed) => {
    expect(printJson(text)).toBe(printed);
  });

  it('prints like JSON.stringify what loses nothing', () => {
    const value = { a: [1, { b: 'é\n"' }, []], c: { d: null, e: true }, '': {} };

    expect(printJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    expect(printJson(JSON.stringify(value, null, 5))).toBe(JSON.stringify(value, null, 2));
  });
});

describe('keepUnchanged', () => {
  it('keeps the digits of what a form did not change', () => {
    const text = `{"id":${ID},"list":[${ID},2],"name":"a"}`;
    const before = JSON.parse(text) as Record<string, unknown>;
    const after = { ...before, name: 'b', list: [...(before['list'] as number[]), 3] };

    expect(JSON.stringify(keepUnchanged(readWithDigits(text), before, after))).toBe(
      `{"id":${ID},"list":[${ID},2,3],"name":"b"}`,
    );
    expect(JSON.stringify(keepUnchanged(readWithDigits(text), before, { ...before, id: 5 }))).toContain('"id":5');
  });
});
