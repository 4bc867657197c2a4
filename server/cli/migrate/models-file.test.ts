import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Notes } from './migration-notes.ts';
import { SDK_TYPES, writeModelsFile } from './models-file.ts';
import { parseOldYaml } from './old-yaml.ts';
import { readYamlModels } from './yaml-models.ts';

function migrated(yaml: string): { text: string; notes: string[]; schemas: Record<string, z.ZodType> } {
  const notes = new Notes();
  const models = readYamlModels({ yaml: parseOldYaml(Buffer.from(yaml)), notes, generatedType: () => undefined });
  const text = writeModelsFile({ models, kept: { imports: [], declarations: [] }, exportsSdk: false, comments: '' });
  const script = ts
    .transpile(text, { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext })
    .replace(/^import .*$/m, '')
    .replaceAll(/^export (?=const)/gm, '')
    .replace(/^export \{\};$/m, '');
  const schemas = new Function('z', `${script}\nreturn { ${[...models.keys()].join(', ')} };`)(z);
  return { text, notes: notes.list().map(({ message }) => message), schemas };
}

const fits = (schema: z.ZodType | undefined, value: unknown): boolean => schema?.safeParse(value).success === true;

describe('models.ts', () => {
  it('has a schema and a type of the same name for each model', () => {
    const { text } = migrated('models:\n  Issue:\n    id: string\n    title?: string\n');

    expect(text).toBe(
      "import * as z from 'zod';\n\nexport const Issue = z.object({\n  id: z.string(),\n  title: z.string().optional(),\n});\nexport type Issue = z.infer<typeof Issue>;\n",
    );
  });

  it('keeps the remarks of nango.yaml', () => {
    const { text } = migrated('models:\n  # An issue.\n  Issue:\n    # its key\n    id: string # text\n');

    expect(text).toContain('// An issue.\nexport const Issue');
    expect(text).toContain('  // its key\n  // text\n  id:');
  });

  it('extends models, several too, and those that stand below', () => {
    const { schemas } = migrated(
      'models:\n  C:\n    __extends: A, B\n    c: string\n  A:\n    a: string\n  B:\n    __extends: A\n    b: number\n',
    );

    expect(fits(schemas['C'], { a: 'x', b: 1, c: 'y' })).toBe(true);
    expect(fits(schemas['C'], { a: 'x', c: 'y' })).toBe(false);
  });

  it('has free keys beside others, alone, and inherited', () => {
    const { schemas } = migrated(
      'models:\n  Free:\n    id: string\n    __string: number\n  Only:\n    __string: boolean\n  Child:\n    __extends: Free\n    a: string\n  OfOnly:\n    __extends: Only\n    b: boolean\n',
    );

    expect([fits(schemas['Free'], { id: 'a', x: 1 }), fits(schemas['Free'], { id: 'a', x: 'y' })]).toEqual([
      true,
      false,
    ]);
    expect([fits(schemas['Only'], { x: true }), fits(schemas['Only'], { x: 1 })]).toEqual([true, false]);
    expect([
      fits(schemas['Child'], { id: 'a', a: 'b', x: 1 }),
      fits(schemas['Child'], { id: 'a', a: 'b', x: '' }),
    ]).toEqual([true, false]);
    expect([fits(schemas['OfOnly'], { b: true, x: true }), fits(schemas['OfOnly'], { b: true, x: 1 })]).toEqual([
      true,
      false,
    ]);
  });

  it('nests objects, and contains models that contain each other or themselves', () => {
    const { schemas } = migrated(
      'models:\n  Tree:\n    name: string\n    parent?: Tree\n    children: Tree[]\n    owner:\n      person: Person | null\n  Person:\n    trees?: Tree[]\n',
    );
    const leaf = { name: 'leaf', children: [], owner: { person: null } };

    expect(fits(schemas['Tree'], { ...leaf, children: [leaf], owner: { person: { trees: [leaf] } } })).toBe(true);
    expect(fits(schemas['Tree'], { ...leaf, children: [{ name: 1 }] })).toBe(false);
  });

  it('takes values of YAML as literals', () => {
    const { schemas } = migrated('models:\n  A:\n    one: 1\n    yes: true\n    no: null\n    "odd key": string\n');

    expect(fits(schemas['A'], { one: 1, yes: true, no: null, 'odd key': '' })).toBe(true);
    expect(fits(schemas['A'], { one: 2, yes: true, no: null, 'odd key': '' })).toBe(false);
  });

  it('has models that are other names of a type', () => {
    const { schemas } = migrated('models:\n  State: open | closed\n  Id: string\n');

    expect([fits(schemas['State'], 'open'), fits(schemas['State'], 'x'), fits(schemas['Id'], 'x')]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('resolves anchors and merge keys', () => {
    const document = 'models:\n  A: &a\n    id: string\n  B: *a\n';

    expect(fits(migrated(document).schemas['B'], { id: 'x' })).toBe(true);
  });

  it('leaves out a model whose name is none in TypeScript, and says so', () => {
    const { notes, text } = migrated('models:\n  my-item:\n    id: string\n  Item:\n    id: string\n');

    expect(text).not.toContain('my-item');
    expect(notes).toEqual([expect.stringContaining('"my-item"')]);
  });

  it('says what it assumed and what is missing', () => {
    const { notes, schemas } = migrated(
      'models:\n  A:\n    __extends: Nobody\n    list:\n      - string\n      - number\n    due: string?\n    map: Map<string, string>\n',
    );

    expect(notes).toEqual([
      expect.stringContaining('extends Nobody'),
      expect.stringContaining('A.list'),
      expect.stringContaining('A.due'),
      expect.stringContaining('Map<string, string>'),
    ]);
    expect(fits(schemas['A'], { list: ['a', 1], map: 1 })).toBe(true);
  });

  it('knows types that the SDK exports', async () => {
    const text = await readFile(new URL('../../../functions/sdk/sdk.ts', import.meta.url), 'utf8');
    const exported = new Set(text.match(/\b[A-Z]\w+(?= *[,}])/g));

    expect([...SDK_TYPES].filter((name) => !exported.has(name))).toEqual([]);
  });
});
