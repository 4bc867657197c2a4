import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BuiltinCatalog } from './builtin-catalog.ts';
import { Catalog } from './catalog.ts';
import { ParsedCopies } from './parsed-copies.ts';

const COUNT = 100;

/** Returns a file that is large enough to be cached. */
function fileOf(change = ''): string {
  const entries = Array.from(
    { length: COUNT },
    (_, at) => `own-${at}:
  display_name: Own ${at}
  auth_mode: API_KEY
  docs: https://docs.own-${at}.test/${'x'.repeat(200)}
  proxy:
    base_url: https://own-${at}.test
    headers: { x-key: "\${apiKey}", x-version: ${at} }
  credentials:
    apiKey: { type: string, title: Key, description: A key, secret: true }
`,
  );
  return `${entries.join('')}${change}`;
}

describe('ParsedCopies', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'homeport-copies-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const path = () => join(folder, 'cache', 'providers.json');
  const load = async (text: string, program = 'one', builtin: BuiltinCatalog = new Map()) => {
    const copies = await ParsedCopies.open(path(), program);
    const catalog = new Catalog({ builtin, copies, isInUse: () => false, hasIntegrations: () => false });
    await catalog.reload([{ path: 'providers.yaml', text }]);
    return catalog;
  };

  it('gives the same entries, warnings and lines as the text', async () => {
    const text = fileOf('odd: { display_name: Odd, auth_mode: NONE,\n  colour: red }\n');
    const fromText = await load(text);

    const fromCopies = await load(text);

    expect(fromCopies.list()).toEqual(fromText.list());
    expect(fromCopies.warnings()).toEqual(fromText.warnings());
    expect(fromCopies.warnings()).toMatchObject([{ provider: 'odd', line: COUNT * 9 + 2 }]);
    expect(fromCopies.find('own-7')?.proxy?.headers).toEqual({ 'x-key': '${apiKey}', 'x-version': '7' });
  });

  it('checks an entry over another one again when that one changes', async () => {
    const inheriting = (host: string): string =>
      fileOf(`base: { display_name: Base, auth_mode: NONE, proxy: { base_url: "https://${host}" } }
variant: { alias: base, display_name: Variant }
twice: { alias: variant, colour: red }
unsafe: { alias: base, proxy: { base_url: "https://\${connectionConfig.host}" } }
`);
    const fromText = await load(inheriting('one.test'));
    const fromCopies = await load(inheriting('one.test'));

    expect(fromCopies.list()).toEqual(fromText.list());
    expect(fromCopies.warnings()).toEqual(fromText.warnings());
    expect(fromCopies.problems()).toEqual(fromText.problems());
    expect(fromCopies.problems()).toMatchObject([{ provider: 'unsafe', line: COUNT * 9 + 4 }]);
    const changed = await load(inheriting('two.test'));
    for (const name of ['base', 'variant', 'twice'])
      expect(changed.find(name)?.proxy?.base_url, name).toBe('https://two.test');
  });

  it('checks an entry over a built-in one again when that one changes, as the practice provider by its port', async () => {
    const builtin = (host: string): BuiltinCatalog =>
      new Map([['built', { display_name: 'Built', auth_mode: 'NONE', proxy: { base_url: `https://${host}` } }]]);
    const text = fileOf('built: { display_name: Ours }\n');
    await load(text, 'one', builtin('one.test'));

    const later = await load(text, 'one', builtin('two.test'));

    expect(later.find('built')).toMatchObject({ display_name: 'Ours', proxy: { base_url: 'https://two.test' } });
  });

  it('counts lines again when something is written before an entry', async () => {
    await load(fileOf('odd:\n  display_name: Odd\n  auth_mode: NONE\n  colour: red\n'));

    const moved = await load(`# first\n${fileOf('odd:\n  display_name: Odd\n  auth_mode: NONE\n  colour: red\n')}`);

    expect(moved.warnings()).toMatchObject([{ line: 1 + COUNT * 9 + 4 }]);
  });

  it('parses changed entries again', async () => {
    await load(fileOf());

    const changed = await load(fileOf().replace('https://own-3.test', 'https://other.test'));

    expect(changed.find('own-3')?.proxy?.base_url).toBe('https://other.test');
    expect(changed.find('own-4')?.proxy?.base_url).toBe('https://own-4.test');
  });

  it('ignores entries of another program and a damaged file', async () => {
    await load(fileOf());
    const stored = await readFile(path(), 'utf8');
    await writeFile(path(), stored.replaceAll('https://own-3.test', 'https://stale.test'));

    expect((await load(fileOf(), 'two')).find('own-3')?.proxy?.base_url).toBe('https://own-3.test');
    await writeFile(path(), stored.slice(0, 500));
    expect((await load(fileOf(), 'two')).list()).toHaveLength(COUNT);
  });
});
