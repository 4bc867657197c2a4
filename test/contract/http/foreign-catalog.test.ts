// @module-tag slow
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadBuiltinCatalog } from '../../../server/integrations/catalog/builtin-catalog.ts';
import { builtResources } from '../../support/built-resources.ts';
import { FOREIGN_ENTRIES, foreignCatalog, UNSAFE_ENTRIES } from '../../support/foreign-catalog.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { ApiCaller } from './api-caller.ts';
import { startWithProviders } from './workspace-providers.ts';

interface Row {
  name: string;
  source: string;
  problem?: string;
}

const UNSAFE = Array.from({ length: UNSAFE_ENTRIES }, (_, at) => `unsafe-${at}`);
const REASON = /proxy\.base_url: .*the host ends in host, which needs a pattern, a format or an enum/;

let server: InProcessServer;
beforeAll(async () => {
  const { catalog } = await builtResources();
  server = await startWithProviders(foreignCatalog(await loadBuiltinCatalog(catalog)));
}, 180_000);
afterAll(() => server?.stop());

/** The entries of the file, as `GET /providers` lists them. */
async function listed(): Promise<Row[]> {
  const { body } = await new ApiCaller(server).send('GET /providers');
  return (body as { data: Row[] }).data.filter(({ source }) => source !== 'built-in');
}

it('a whole foreign file loads without a loss: what is unsafe here is listed with the reason, and named in the log', {
  timeout: 180_000,
}, async () => {
  const first = await listed();
  expect(first).toHaveLength(FOREIGN_ENTRIES);
  const faulty = first.filter(({ problem }) => problem !== undefined);
  expect(faulty.map(({ name }) => name).sort()).toEqual(UNSAFE.toSorted());
  for (const { problem } of faulty) expect(problem).toMatch(REASON);
  const log = server.errorOutput();
  for (const name of UNSAFE) expect(log).toMatch(new RegExp(`providers\\.yaml:\\d+ ${name}\\.${REASON.source}`));

  // From the parsed copies.
  await server.restart();
  expect(await listed()).toEqual(first);
});
