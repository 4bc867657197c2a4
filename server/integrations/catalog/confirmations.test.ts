import { expect, it } from 'vitest';
import { Catalog } from './catalog.ts';
import { checkEntry } from './check-entry.ts';
import type { ProviderDefinition } from './entry-schema.ts';

const CONFIRMED: ProviderDefinition = {
  display_name: 'Acme',
  auth_mode: 'NONE',
  docs: 'https://acme.test',
  confirmed_on: '2026-11-28',
  confirmed_by: 'description',
  api_description_url: 'https://acme.test/openapi.json',
};

/** The catalogue with the workspace's entries over one that is built in and confirmed. */
async function load(text: string, isInUse = false): Promise<Catalog> {
  const catalog = new Catalog({
    builtin: new Map([['acme', CONFIRMED]]),
    isInUse: () => isInUse,
    hasIntegrations: () => isInUse,
    approved: { list: async () => [], save: async () => {}, remove: async () => {}, wasApproved: async () => false },
  });
  await catalog.reload([{ path: 'providers.yaml', text }]);
  return catalog;
}

it('is a day and a known way; a built-in entry is refused with another one', () => {
  expect(checkEntry(CONFIRMED, { isBuiltin: true })).toMatchObject({ definition: CONFIRMED });
  const issues = (part: object) => checkEntry({ ...CONFIRMED, ...part }, { isBuiltin: true });
  expect(issues({ confirmed_on: 'yesterday' })).toMatchObject({ issues: [{ path: ['confirmed_on'] }] });
  expect(issues({ confirmed_on: '2026-02-30' })).toMatchObject({ issues: [{ path: ['confirmed_on'] }] });
  expect(issues({ confirmed_by: 'documentatoin' })).toMatchObject({
    issues: [{ path: ['confirmed_by'], reason: expect.stringContaining('did you mean documentation?') }],
  });
  expect(issues({ api_description_url: 'openapi.json' })).toMatchObject({
    issues: [{ path: ['api_description_url'] }],
  });
});

it('is left out of an entry of the workspace with a warning when it is not understood', async () => {
  const catalog = await load(`own: { display_name: Own, auth_mode: NONE, confirmed_on: 2026-13-01, confirmed_by: me }
dated: { display_name: Dated, auth_mode: NONE, confirmed_on: 2026-11-28, confirmed_by: recording }`);

  expect(catalog.find('own')).toEqual({ name: 'own', source: 'workspace', display_name: 'Own', auth_mode: 'NONE' });
  expect(catalog.warnings().map(({ keyPath }) => keyPath)).toEqual(['confirmed_by', 'confirmed_on']);
  expect(catalog.find('dated')).toMatchObject({ confirmed_on: '2026-11-28', confirmed_by: 'recording' });
});

it('is not inherited by an entry over a confirmed one, nor by an alias', async () => {
  const catalog = await load(`acme: { proxy: { base_url: https://other.acme.test } }
variant: { alias: acme }
again: { alias: acme, confirmed_on: 2026-11-29, confirmed_by: documentation }`);

  for (const name of ['acme', 'variant']) expect(catalog.find(name)).not.toHaveProperty('confirmed_on');
  expect(catalog.find('again')).toMatchObject({ confirmed_on: '2026-11-29', confirmed_by: 'documentation' });
});

it('waits for no approval when it changes', async () => {
  const catalog = await load('acme: { confirmed_on: 2026-12-24, confirmed_by: documentation }', true);

  expect(catalog.pending()).toEqual([]);
  expect(catalog.find('acme')).toMatchObject({ confirmed_on: '2026-12-24' });
});
