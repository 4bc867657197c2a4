import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRACTICE_CLIENT } from '../../../server/practice/authorization/practice-client.ts';
import { ApiCaller } from '../../contract/http/api-caller.ts';
import { AuthorizationCaller } from '../../support/authorization-caller.ts';
import { answerConsent } from '../../support/authorize-practice.ts';
import { importConnection, officialClient } from '../../support/import-practice-connection.ts';
import { MovableClock } from '../../support/movable-clock.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { recordWalk } from './record-walk.ts';

const ARCHITECTURE = new URL('../../../ARCHITECTURE.md', import.meta.url);
const HOUR_MS = 3_600_000;

/** Files of another process than the one that is watched. */
const ELSEWHERE = /^functions\//;

const SYNC = `import { createSync } from 'homeport';
import * as z from 'zod';

export default createSync({
  description: 'Written by a test',
  frequency: 'every hour',
  autoStart: true,
  models: { Thing: z.object({ id: z.string() }) },
  exec: async (nango) => {
    await nango.batchSave([{ id: 'one' }], 'Thing');
  },
});
`;

const WEBHOOK_SYNC = SYNC.replace('frequency:', "webhookSubscriptions: ['*'],\n  frequency:").replace(
  /\},\n\}\);\n$/,
  `},
  onWebhook: async (nango) => {
    await nango.batchSave([{ id: 'two' }], 'Thing');
  },
});
`,
);

/** The files of a walk, in their order: the first column of the table under its heading. */
function walkOf(heading: string): string[] {
  const text = readFileSync(ARCHITECTURE, 'utf8');
  const section = text.split(`\n### ${heading}\n`)[1]?.split(/\n##/)[0] ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, file = '']) => file);
}

/** Files that the walk names and that did not run. */
function missing(walk: string[], ran: Set<string>): string[] {
  return walk.filter((file) => !ELSEWHERE.test(file) && !ran.has(file.replace(/^.*\//, '')));
}

let clock: MovableClock;
let server: InProcessServer;
let callback: URL;
let callbackWalk: Set<string>;
let connectionId: string;

beforeAll(async () => {
  clock = new MovableClock();
  server = await startInProcess({ clock });
  const credentials = { type: 'OAUTH2', client_id: PRACTICE_CLIENT.id, client_secret: PRACTICE_CLIENT.secret };
  const body = { provider: 'practice-oauth2', unique_key: 'tracker', credentials };
  expect((await new ApiCaller(server).send('POST /integrations', { body })).status).toBe(200);
  const caller = new AuthorizationCaller(server);
  callback = await answerConsent(await caller.startAt('tracker', { token: await caller.newSession() }));
  callbackWalk = await recordWalk(async () => {
    const response = await fetch(callback);
    await response.arrayBuffer();
    expect(response.status).toBe(200);
  });
  connectionId = (await officialClient(server).listConnections()).connections[0]?.connection_id ?? '';
});
afterAll(() => server.stop());

describe('the walks of ARCHITECTURE.md', () => {
  it('name the files of an OAuth callback, 15 at most', () => {
    const walk = walkOf('An OAuth callback');

    expect(missing(walk, callbackWalk)).toEqual([]);
    expect(walk.length).toBeGreaterThan(5);
    expect(walk.length).toBeLessThanOrEqual(15);
  });

  it('name the files of a fetched connection whose token is renewed, 11 at most', async () => {
    const walk = walkOf('`GET /connections/:id`');
    const headers = { authorization: `Bearer ${server.secretKey}` };
    const url = `${server.url}/connections/${connectionId}?provider_config_key=tracker`;

    const ran = await recordWalk(async () => {
      for (const query of ['', '&force_refresh=true']) {
        const response = await fetch(url + query, { headers });
        await response.arrayBuffer();
        expect(response.status).toBe(200);
      }
    });

    expect(missing(walk, ran)).toEqual([]);
    expect(walk.length).toBeGreaterThan(5);
    expect(walk.length).toBeLessThanOrEqual(11);
  });

  it('name the files of a call of the proxy, 7 at most', async () => {
    const walk = walkOf('`GET /proxy/…`');
    const headers = {
      authorization: `Bearer ${server.secretKey}`,
      'provider-config-key': 'tracker',
      'connection-id': connectionId,
    };

    const ran = await recordWalk(async () => {
      const response = await fetch(`${server.url}/proxy/v1/issues`, { headers });
      await response.arrayBuffer();
      expect(response.status).toBe(200);
    });

    expect(missing(walk, ran)).toEqual([]);
    expect(walk.length).toBeGreaterThan(5);
    expect(walk.length).toBeLessThanOrEqual(7);
  });

  it('name the files of a scheduled sync, 14 at most', async () => {
    const walk = walkOf('A scheduled sync');
    const nango = officialClient(server);
    const finishedAt = async (): Promise<unknown> => {
      const { syncs } = await nango.syncStatus('tracker', '*', connectionId);
      return syncs[0]?.status === 'SUCCESS' ? syncs[0].finishedAt : undefined;
    };
    await saveFunction(server.workspace, 'tracker/syncs/things.ts', SYNC);
    await waitFor(async () => (await finishedAt()) !== undefined, { what: 'the first run' });
    const first = await finishedAt();

    const ran = await recordWalk(async () => {
      clock.skip(HOUR_MS);
      await waitFor(async () => ![undefined, first].includes((await finishedAt()) as undefined), {
        what: 'the next run',
      });
    });

    expect(missing(walk, ran)).toEqual([]);
    expect(walk.length).toBeGreaterThan(5);
    expect(walk.length).toBeLessThanOrEqual(14);
  });

  it("name the files of a provider's webhook and its run, 15 at most", async () => {
    const walk = walkOf("A provider's webhook");
    const api = new ApiCaller(server);
    const app = { type: 'OAUTH2', client_id: 'id', client_secret: 'secret', webhook_secret: 'hook-secret' };
    const integration = { provider: 'linear', unique_key: 'linear', credentials: app };
    expect((await api.send('POST /integrations', { body: integration })).status).toBe(200);
    await saveFunction(server.workspace, 'linear/syncs/things.ts', WEBHOOK_SYNC);
    const imported = await importConnection(server, {
      provider_config_key: 'linear',
      connection_id: 'org',
      credentials: { type: 'OAUTH2', access_token: 'token', no_expiration: true },
      connection_config: { organizationId: 'org-1' },
    });
    expect(imported.status).toBe(201);
    const nango = officialClient(server);
    await waitFor(async () => (await nango.syncStatus('linear', '*', 'org')).syncs.length > 0, { what: 'the sync' });
    const body = JSON.stringify({ organizationId: 'org-1', type: 'Issue', webhookTimestamp: clock.now() });
    const signature = createHmac('sha256', 'hook-secret').update(body).digest('hex');
    const saved = async (): Promise<boolean> => {
      const records = await api.send('GET /records?model=Thing', {
        headers: { 'provider-config-key': 'linear', 'connection-id': 'org' },
      });
      return (records.body as { records?: { id: string }[] }).records?.some(({ id }) => id === 'two') ?? false;
    };

    const ran = await recordWalk(async () => {
      const answer = await api.send('POST /webhook/dev/linear', {
        body,
        headers: { authorization: undefined, 'content-type': 'application/json', 'linear-signature': signature },
      });
      expect(answer.status).toBe(200);
      await waitFor(saved, { what: 'the run of the webhook' });
    });

    expect(missing(walk, ran)).toEqual([]);
    expect(walk.length).toBeGreaterThan(5);
    expect(walk.length).toBeLessThanOrEqual(15);
  });
});
