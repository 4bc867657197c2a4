import { describe, expect, it } from 'vitest';
import {
  dateOf,
  type JsonPath,
  memberAt,
  pathOfLine,
  recognise,
  toJsonPath,
  toPointer,
  valueOfLine,
} from './recognised-value.ts';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('recognise', () => {
  it('takes ISO dates and seconds or milliseconds of this century for moments', () => {
    expect([
      dateOf('2026-11-20'),
      dateOf('2026-11-20T10:00:00Z'),
      dateOf(1_763_632_800),
      dateOf(1_763_632_800_000),
    ]).toEqual([
      '2026-11-20T00:00:00.000Z',
      '2026-11-20T10:00:00.000Z',
      '2025-11-20T10:00:00.000Z',
      '2025-11-20T10:00:00.000Z',
    ]);
    expect([dateOf('20 apples'), dateOf(42), dateOf('2026-13-45'), dateOf(1.5)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('reads tokens and text in base64, and nothing that is not', () => {
    const token = `${encode({ alg: 'HS256' })}.${encode({ sub: 'u1' })}.c2lnbmF0dXJl`;

    expect(recognise(token)).toEqual({ kind: 'token', header: { alg: 'HS256' }, claims: { sub: 'u1' } });
    expect(recognise(Buffer.from('a readable text').toString('base64'))).toEqual({
      kind: 'base64',
      text: 'a readable text',
    });
    expect([recognise('just a sentence of words'), recognise('short'), recognise(null)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('a line of printed JSON', () => {
  const lines = JSON.stringify({ 'a/b': { list: [{ id: 1 }, { id: 'x, y', on: true }] }, end: null }, null, 2).split(
    '\n',
  );
  const lineAt = (number: number): string => lines[number - 1] ?? '';
  const numberOf = (text: string): number => lines.findIndex((line) => line.includes(text)) + 1;

  it('says its value and its path', () => {
    const number = numberOf('x, y');

    expect(valueOfLine(lineAt(number))).toBe('x, y');
    const paths = ['x, y', '"on"', '"end"', '{'].map((text) => pathOfLine(lineAt, numberOf(text)));
    expect(paths).toEqual([['a/b', 'list', 1, 'id'], ['a/b', 'list', 1, 'on'], ['end'], []]);
    expect(paths.map((path = []) => toPointer(path))).toEqual(['/a~1b/list/1/id', '/a~1b/list/1/on', '/end', '']);
    expect([valueOfLine('{'), valueOfLine('  "end": null')]).toEqual([undefined, null]);
  });

  it('is found again in the document by its path, which JSONPath writes too', () => {
    const document = { 'a/b': [{ "it's": 'x' }, null], '0': 'zero', plain: { 'q"': 1, 'back\\slash': 2 } };
    const paths: JsonPath[] = [['a/b', 0, "it's"], ['0'], ['plain', 'q"'], ['plain', 'back\\slash'], []];

    expect(paths.map((path) => memberAt(document, path))).toEqual(['x', 'zero', 1, 2, document]);
    expect(paths.map(toJsonPath)).toEqual([
      `$['a/b'][0]['it\\'s']`,
      `$['0']`,
      `$.plain['q"']`,
      `$.plain['back\\\\slash']`,
      '$',
    ]);
    expect(memberAt(document, ['a/b', 7, 'id'])).toBeUndefined();
  });
});
