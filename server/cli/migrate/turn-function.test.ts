import { describe, expect, it } from 'vitest';
import { Notes } from './migration-notes.ts';
import type { OldFunction } from './old-config.ts';
import { OldModules } from './old-modules.ts';
import { turnFunction } from './turn-function.ts';
import type { OldModel } from './yaml-models.ts';

const ITEM: OldModel = {
  name: 'Item',
  extended: [],
  remarks: [],
  shape: {
    kind: 'object',
    fields: [
      { name: 'id', shape: { kind: 'zod', code: 'z.string()' }, isOptional: false },
      { name: 'size', shape: { kind: 'zod', code: 'z.number()' }, isOptional: true },
    ],
  },
};

function turn(text: string, described: Partial<OldFunction>): { text: string; isTurned: boolean; notes: string[] } {
  const notes = new Notes();
  const kind = described.kind ?? 'sync';
  const path = `acme/${kind}s/one.ts`;
  const turned = turnFunction({
    described: {
      integration: 'acme',
      kind,
      name: 'one',
      description: 'One',
      scopes: [],
      endpoints: [],
      output: kind === 'on-event' ? [] : ['Item'],
      frequency: 'every hour',
      autoStart: true,
      trackDeletes: false,
      webhookSubscriptions: [],
      remarks: [],
      ...described,
    },
    text,
    from: path,
    place: path,
    modules: new OldModules([path, 'acme/helpers/ask.ts', 'models.ts']),
    models: new Map([['Item', ITEM]]),
    notes,
    importedNames: new Set(['shared']),
    onOtherModel: () => {},
  });
  return { ...turned, notes: notes.list().map(({ message }) => message) };
}

const SYNC = 'export default async function fetchData(nango: NangoSync)';

describe('a function of the old format', () => {
  it.each([
    ['a declaration', `${SYNC}: Promise<void> { await nango.log('a'); }`],
    ['an arrow function', "export default async (nango: NangoSync): Promise<void> => { await nango.log('a'); };"],
    [
      'a variable',
      "const run = async (nango: NangoSync): Promise<void> => { await nango.log('a'); };\nexport default run;",
    ],
    ['a name', "async function run(nango: NangoSync): Promise<void> { await nango.log('a'); }\nexport default run;"],
    [
      'an alias',
      "async function run(nango: NangoSync): Promise<void> { await nango.log('a'); }\nexport { run as default };",
    ],
  ])('becomes exec, exported as %s', (_, text) => {
    const turned = turn(`import type { NangoSync } from '../../models';\n${text}\n`, {});

    expect(turned.isTurned).toBe(true);
    expect(turned.text.replace(/\n+$/, '\n')).toBe(`import { createSync } from 'homeport';
import { Item } from '../../models.js';
export default createSync({
  description: 'One',
  frequency: 'every hour',
  autoStart: true,
  models: { Item },

  exec: async (nango): Promise<void> => { await nango.log('a'); },
});
`);
  });

  it('stays where it is when it calls itself', () => {
    const { text } = turn(`${SYNC} { if (nango.emptyCache) await fetchData(nango); }\n`, {});

    expect(text).toContain('\nasync function fetchData(nango: NangoSync) {');
    expect(text).toContain('  exec: fetchData,\n});');
  });

  it('returns nothing from a sync, whatever it returned', () => {
    const empty = turn(`${SYNC}: Promise<{ Item: Item[] }> {\n  return { Item: [] };\n}\n`, {});
    const full = turn(`${SYNC} {\n  return { Item: [{ id: 'a' }] };\n}\n`, {});

    expect(empty.text).toContain('exec: async (nango) => {\n    return;\n  },');
    expect(empty.notes).toEqual([]);
    expect(full.text).toContain('  exec: async (nango) => {\n    await fetchData(nango);\n  },');
    expect(full.notes).toEqual([expect.stringContaining('It returned a value.')]);
  });

  it('keeps what an action returns, and functions inside of a sync', () => {
    const action = turn('export default async function run(nango: NangoAction) { return { id: "a" }; }', {
      kind: 'action',
    });
    const sync = turn(`${SYNC} { await nango.batchSave([1].map((n) => { return { id: String(n) }; }), 'Item'); }`, {});

    expect(action.text).toContain('=> { return { id: "a" }; },');
    expect(sync.text).toContain('return { id: String(n) };');
    expect(sync.notes).toEqual([]);
  });

  it('takes the types of the context from this SDK, whatever package they came from', () => {
    const { text } = turn(
      `import type { NangoSync } from '@nangohq/node';\nexport const help = (nango: NangoSync) => nango.log('a');\n${SYNC} { await help(nango); }\n`,
      {},
    );

    expect(text).toContain("import type { NangoSync } from 'homeport';");
    expect(text).toContain('\nconst help = (nango: NangoSync)');
    expect(text).not.toContain('@nangohq');
  });

  it('drops imports that only its own type and its comments used', () => {
    const { text } = turn(
      `import type { NangoSync } from '../../models';\n/** @param nango - a NangoSync */\n${SYNC} { await nango.log('a'); }\n`,
      {},
    );

    expect(text).not.toMatch(/import type/);
  });

  it('has another name for a model when the file has a type of its name', () => {
    const { text } = turn(
      `interface Item { id: string }\nexport default async function run(nango: NangoAction, input: Item): Promise<Item> { await nango.log(1); return input; }\n`,
      { kind: 'action', input: 'Item' },
    );

    expect(text).toContain("import { Item as ItemModel } from '../../models.js';");
    expect(text).toContain('input: ItemModel,\n  output: ItemModel,\n\n  exec: async (nango, input): Promise<Item> =>');
  });

  it('keeps an import of zod and does not hide a variable z', () => {
    const own = turn(
      `import { z } from 'zod';\nconst A = z.string();\nexport default async (nango: NangoAction) => A.parse(nango.provider);\n`,
      {
        kind: 'action',
        output: ['string'],
      },
    );
    const other = turn(
      `const z = 1;\nexport default async (nango: NangoAction) => { await nango.log(z); return ''; };\n`,
      {
        kind: 'action',
        output: ['string'],
      },
    );

    expect(own.text.match(/from 'zod'/g)).toHaveLength(1);
    expect(other.text).toContain("import * as zod from 'zod';");
    expect(other.text).toContain('output: zod.string(),');
  });

  it('marks an export that other files use, and takes back the others', () => {
    const { text, notes } = turn(
      `export const shared = 1;\nexport const own = 2;\n${SYNC} { await nango.log(shared + own); }\n`,
      {},
    );

    expect(text).toMatch(/\/\/ TODO \(migrate\): shared must not be exported here.*\nexport const shared/);
    expect(text).toMatch(/^const own = 2;$/m);
    expect(notes).toHaveLength(1);
  });

  it('says when endpoints do not fit the models', () => {
    const endpoints = [
      { method: 'GET', path: '/a' },
      { method: 'GET', path: '/b' },
    ];
    const { text, notes } = turn(`${SYNC} { await nango.log(1); }`, { endpoints });

    expect(text).not.toContain('endpoints:');
    expect(notes).toEqual([expect.stringContaining('Its endpoints (2) do not fit its models (1)')]);
  });

  it('has the models that it saves when nango.yaml names none', () => {
    const { text, notes } = turn(`${SYNC} { await nango.batchSave([{ id: 'a' }], 'Item'); }`, { output: [] });

    expect(text).toContain('models: { Item },');
    expect(notes).toEqual([expect.stringContaining('saves Item')]);
  });

  it('has an input that is written where it is used', () => {
    const input = { name: 'string', 'tags?': 'string[]', of: { item: 'Item' } };
    const { text } = turn('export default async (nango: NangoAction, input: any) => nango.log(input);', {
      kind: 'action',
      input,
    });

    expect(text).toContain(
      'input: z.object({\n    name: z.string(),\n    tags: z.array(z.string()).optional(),\n    of: z.object({\n      item: Item,\n    }),\n  }),',
    );
  });

  it('is left with a comment when it cannot be found or read', () => {
    const wrapped = turn('export default wrap(async () => {});\n', {});
    const broken = turn('export default async function (', {});
    const none = turn('export const a = 1;\n', {});

    for (const one of [wrapped, broken, none]) {
      expect(one.isTurned).toBe(false);
      expect(one.text).toMatch(/^\/\/ TODO \(migrate\): left as it was\. /);
      expect(one.notes).toHaveLength(1);
    }
  });

  it('is kept when it is one of the present format already', () => {
    const text = "import { createSync } from 'nango';\nexport default createSync({});\n";

    expect(turn(text, {})).toEqual({ text, isTurned: true, notes: [] });
  });

  it('has one event', () => {
    const { text } = turn('export default async function run(nango: NangoAction) { await nango.log(1); }', {
      kind: 'on-event',
      event: 'pre-connection-deletion',
    });

    expect(text).toContain(
      "export default createOnEvent({\n  description: 'One',\n  event: 'pre-connection-deletion',",
    );
  });
});
