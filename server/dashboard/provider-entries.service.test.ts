import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts';
import { Catalog } from '../integrations/catalog/catalog.ts';
import { systemClock } from '../platform/lib/clock.ts';
import { randomIds } from '../platform/lib/ids.ts';
import { createProviderEntriesService, type ProviderEntriesService } from './provider-entries.service.ts';

const OWN = `own:
  display_name: Own
  auth_mode: NONE
  proxy: { base_url: "https://own.test", headers: { x-old: "1" } }
`;

let home: TempHome;
let headers: Record<string, string>;
beforeEach(async () => {
  home = await createTempHome();
});
afterEach(() => home.remove());

function createService(): ProviderEntriesService {
  const catalog = new Catalog({ builtin: new Map(), isInUse: () => false, hasIntegrations: () => false });
  return createProviderEntriesService({
    catalog,
    workspace: home.path,
    reload: () => Promise.resolve(),
    http: {
      request: async (request) => {
        headers = { ...request.headers };
        const url = new URL(request.url);
        return { status: 200, statusText: 'OK', headers: {}, body: Readable.from([Buffer.from('fine')]), url };
      },
    },
    clock: systemClock,
    ids: randomIds,
    environments: { workspaceEnvironment: { id: 1 }, allowedHosts: () => [] } as never,
    publicBase: () => 'http://hub.test',
  });
}

const tryText = (provider: string, text: string) =>
  createService().try({
    provider,
    text,
    connectionConfig: {},
    credentials: {},
    clientId: '',
    scopes: '',
    request: { method: 'GET', endpoint: '/me' },
  });

describe('a trial of an unsaved entry', () => {
  it('uses the other entries of its file: it may be an alias of one of them', async () => {
    await writeFile(join(home.path, 'providers.yaml'), OWN);

    const { status, url } = await tryText('variant', 'variant:\n  alias: own\n');

    expect([status, url]).toEqual([200, 'https://own.test/me']);
  });

  it('replaces the saved entry, as saving would, and does not add to it', async () => {
    await mkdir(join(home.path, 'providers.d'));
    await writeFile(join(home.path, 'providers.d/more.yaml'), OWN);

    await tryText('own', OWN.replace('x-old', 'x-new'));

    expect([headers['x-new'], headers['x-old']]).toEqual(['1', undefined]);
  });
});
