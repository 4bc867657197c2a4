import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildCatalog } from '../../../server/integrations/catalog/build-catalog.ts';
import { fitsField } from '../../../server/integrations/catalog/field-schema.ts';
import { describeRequests } from './golden-requests.ts';
import { sampleOf } from './sample-connection.ts';

const golden = new URL('../../golden/catalog/', import.meta.url);

/** One file for each first letter of the keys. */
async function describeAll(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const [name, definition] of await buildCatalog()) {
    const file = `requests-${name[0]}.txt`;
    files.set(file, `${files.get(file) ?? ''}${await describeRequests(name, definition)}\n\n`);
  }
  return files;
}

describe('requests of the built-in providers', () => {
  it('are the recorded ones (UPDATE_GOLDEN=1 records them again)', async () => {
    const actual = await describeAll();
    if (process.env['UPDATE_GOLDEN'] === '1') {
      await rm(golden, { recursive: true, force: true });
      await mkdir(golden);
      for (const [file, text] of actual) await writeFile(new URL(file, golden), text);
    }

    const names = (await readdir(fileURLToPath(golden))).sort();
    expect(names).toEqual([...actual.keys()].sort());
    for (const name of names) expect(actual.get(name)).toBe(await readFile(new URL(name, golden), 'utf8'));
  });

  it('can all be built, with every placeholder in place', async () => {
    const texts = [...(await describeAll()).values()].join('');

    expect(texts.match(/^ {2}!.*$/gm) ?? []).toEqual([]);
    expect(texts.match(/^.*\$\{.*$/gm) ?? []).toEqual([]);
    expect(texts.match(/^.*\b(undefined|null|NaN|object Object)\b.*$/gm) ?? []).toEqual([]);
  });

  it('are built of examples that fit their own fields', async () => {
    const unfit = [...(await buildCatalog())].flatMap(([name, entry]) =>
      Object.entries({ ...entry.connection_config, ...entry.credentials, ...entry.integration_config })
        .filter(([field, rules]) => !rules.pattern?.includes('BEGIN') && !fitsField(sampleOf(field, rules), rules))
        .map(([field]) => `${name}.${field}`),
    );

    expect(unfit).toEqual([]);
  });
});
