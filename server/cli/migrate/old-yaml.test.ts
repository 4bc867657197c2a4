import { describe, expect, it } from 'vitest';
import { Notes } from './migration-notes.ts';
import { parseOldYaml } from './old-yaml.ts';
import { readTypeText } from './type-text.ts';
import { readYamlModels } from './yaml-models.ts';

const YAML = 'models:\n  Issue:\n    id: string\n    title: string\n';
const values = (bytes: Uint8Array): unknown => parseOldYaml(bytes).values;
const problem = (text: string | Uint8Array): string => {
  try {
    parseOldYaml(typeof text === 'string' ? Buffer.from(text) : text);
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe('a nango.yaml', () => {
  it('is read as UTF-8 and UTF-16, with and without a byte order mark, and with the line ends of Windows', () => {
    const expected = { models: { Issue: { id: 'string', title: 'string' } } };
    const bigEndian = Buffer.from(`\uFEFF${YAML}`, 'utf16le').swap16();

    expect(values(Buffer.from(YAML))).toEqual(expected);
    expect(values(Buffer.from(`\uFEFF${YAML}`))).toEqual(expected);
    expect(values(Buffer.from(YAML.replaceAll('\n', '\r\n')))).toEqual(expected);
    expect(values(Buffer.from(`\uFEFF${YAML}`, 'utf16le'))).toEqual(expected);
    expect(values(bigEndian)).toEqual(expected);
  });

  it('is refused with a reason when it is no text, no YAML, or has no end', () => {
    const level = (index: number): string =>
      `  A${index}: &m${index} {x: *m${index - 1}, y: *m${index - 1}, z: *m${index - 1}}\n`;
    const laughs = `models:\n  A0: &m0 {x: string}\n${Array.from({ length: 19 }, (_, index) => level(index + 1)).join('')}`;

    expect(problem(Buffer.from('a: caf\xe9', 'latin1'))).toMatch(/not UTF-8 text/);
    expect(problem('a:\n\tb: c')).toMatch(/\(line 2\): Tabs are not allowed as indentation/);
    expect(problem('a: 1\na: 2\n')).toMatch(/\(line 2\): Map keys must be unique/);
    expect(problem(`${YAML}---\n${YAML}`)).toMatch(/\(line 5\): it contains a second document/);
    expect(problem(laughs)).toMatch(/more than a million values/);
    expect(problem('models:\n  Issue: &i\n    parent: *i\n')).toMatch(/anchor contains itself/);
    expect(problem('a: *missing\n')).toMatch(/nango\.yaml cannot be read.*missing/);
    expect(problem(`a: ${'{a: '.repeat(20_000)}1${'}'.repeat(20_000)}`)).toMatch(/nested/);
  });

  it('may use an anchor often', () => {
    const uses = Array.from({ length: 500 }, (_, index) => `    f${index}: *owner\n`).join('');

    expect(problem(`x: &owner {name: string}\nmodels:\n  Issue:\n${uses}`)).toBe('none');
  });

  it('has no values that its tags would make', () => {
    expect(values(Buffer.from('a: !!binary aGVsbG8=\nb: !!js/function "x"\n'))).toEqual({ a: 'aGVsbG8=', b: 'x' });
  });

  it('ends a circle of models that extend each other, and says so', () => {
    const notes = new Notes();
    const text = 'models:\n  A:\n    __extends: B\n    a: string\n  B:\n    __extends: A\n    b: string\n';
    const models = readYamlModels({ yaml: parseOldYaml(Buffer.from(text)), notes, generatedType: () => undefined });

    expect([...models.values()].map(({ name, extended }) => [name, extended])).toEqual([
      ['A', ['B']],
      ['B', []],
    ]);
    expect(notes.list().map(({ message }) => message)).toEqual([
      'The model B extends A, which extends B in turn. This was left out.',
    ]);
  });

  it('may have a type that nobody wrote by hand: any value fits it', () => {
    const unknown: string[] = [];
    const names = { isModel: () => false, onUnknown: (text: string) => unknown.push(text) };
    const [deep, long] = [`${'('.repeat(50_000)}string${')'.repeat(50_000)}`, 'a | '.repeat(2_000_000)];

    expect([deep, long, `string${'[]'.repeat(5000)}`].map((text) => readTypeText(text, names))).toEqual(
      Array(3).fill({ kind: 'zod', code: 'z.any()' }),
    );
    expect(unknown).toHaveLength(3);
  });
});
