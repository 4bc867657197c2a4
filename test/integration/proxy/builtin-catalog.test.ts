import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildCatalog } from '../../../server/integrations/catalog/build-catalog.ts';
import { loadBuiltinCatalog } from '../../../server/integrations/catalog/builtin-catalog.ts';

const yamlFolder = fileURLToPath(new URL('../../../server/integrations/catalog/providers', import.meta.url));

describe('the built-in catalogue', () => {
  it('passes every check and resolves its aliases', async () => {
    const catalog = await buildCatalog();

    expect(catalog.get('google-mail')).toMatchObject({
      token_url: 'https://oauth2.googleapis.com/token',
      proxy: { base_url: 'https://gmail.googleapis.com' },
    });
    expect(catalog.get('google-mail')?.proxy).not.toHaveProperty('paginate');
    expect(catalog.get('google-mail')?.proxy).not.toHaveProperty('retry');
  });

  it('says of every provider how to get an app or a key from it', async () => {
    const catalog = await buildCatalog();

    expect([...catalog].filter(([, { setup_steps: steps }]) => !steps?.length).map(([name]) => name)).toEqual([]);
  });

  it('gives the asked-for pagination defaults to the templates that rely on them', async () => {
    const catalog = await buildCatalog();

    expect(['asana', 'hubspot', 'zendesk'].map((name) => catalog.get(name)?.proxy?.paginate?.type)).toEqual([
      'cursor',
      'cursor',
      'link',
    ]);
    expect(catalog.get('google')?.proxy?.paginate).toMatchObject({
      limit_name_in_request: 'maxSize',
      response_path: 'items',
    });
  });
});

describe('the table of icons', () => {
  const path = fileURLToPath(new URL('../../../server/integrations/catalog/brand-icons.yaml', import.meta.url));
  const logos = fileURLToPath(new URL('../../../dist/logos', import.meta.url));

  it('names providers of the catalogue only, in order, and set-up has drawn each', async () => {
    const catalog = await buildCatalog();
    const providers = Object.keys(parse(await readFile(path, 'utf8')) as Record<string, string>);

    expect(providers.filter((provider) => !catalog.has(provider))).toEqual([]);
    expect(providers).toEqual(providers.toSorted());
    expect((await readdir(logos)).sort()).toEqual(providers.map((provider) => `${provider}.svg`).sort());
  });
});

describe('loadBuiltinCatalog', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'homeport-catalog-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('reads the same entries from the folder and from the written JSON', async () => {
    const path = join(folder, 'catalog.json');
    const fromYaml = await loadBuiltinCatalog(yamlFolder);
    await writeFile(path, JSON.stringify(Object.fromEntries(fromYaml)));

    expect([...(await loadBuiltinCatalog(path))]).toEqual(JSON.parse(JSON.stringify([...fromYaml])));
  });

  it('resolves aliases across files', async () => {
    await writeFile(join(folder, 'a.yaml'), 'variant: { alias: base, display_name: Variant }');
    await writeFile(join(folder, 'b.yaml'), 'base: { display_name: Base, auth_mode: NONE, docs: "https://base.test" }');

    expect((await loadBuiltinCatalog(folder)).get('variant')).toMatchObject({
      display_name: 'Variant',
      auth_mode: 'NONE',
    });
  });

  it('names file, line, key and reason of everything that is wrong', async () => {
    await mkdir(join(folder, 'sub'));
    await writeFile(
      join(folder, 'a.yaml'),
      'one:\n  display_name: One\n  auth_mode: NONE\n  colour: red\ntwo:\n  alias: nobody\n',
    );
    await writeFile(join(folder, 'b.yaml'), 'one: { display_name: One, auth_mode: NONE }');

    const error = await loadBuiltinCatalog(folder).catch((failure: unknown) => failure);

    expect(String(error)).toContain('b.yaml:1 one: is defined twice');
    expect(String(error)).toContain('a.yaml:6 two.alias: two is an alias of nobody, which does not exist');
  });

  it('is written in files of moderate size, one provider or family each', async () => {
    const text = await readFile(join(yamlFolder, 'google.yaml'), 'utf8');

    expect(text.split('\n')[0]).toBe('google:');
  });
});
