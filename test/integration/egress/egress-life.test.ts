// @module-tag slow
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DashboardSession } from '../../../server/cli/hub/dashboard-session.ts';
import { followRun } from '../../../server/cli/run/follow-run.ts';
import type { CommandRunRow, OpenedCommandRun } from '../../../server/egress/dashboard-command-runs.contract.ts';
import { RunCertificates } from '../../../server/egress/run-certificates.ts';
import { importConnection, officialClient } from '../../support/import-practice-connection.ts';
import { RunCaller } from '../../support/run-caller.ts';
import { runCliProcess } from '../../support/run-cli.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { TlsProvider } from '../../support/tls-provider.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Runs from their start to their end: renewed tokens, revoked keys, a person who ends one, and a hub that is killed. */
const AUTHORITIES = new RunCertificates(Date.now());
const FIRST = 'first-access-token-4711';
const ROUTE = '/api/v1/command-runs';

let home: TempHome;
let provider: TlsProvider;
let server: StartedServer;
let renewals = 0;

beforeAll(async () => {
  home = await createTempHome();
  provider = await TlsProvider.start(AUTHORITIES, ({ headers, url }, response) => {
    response.setHeader('content-type', 'application/json');
    if (url === '/token') {
      renewals += 1;
      const tokens = { access_token: `renewed-access-token-${renewals}`, refresh_token: `refresh-${renewals}` };
      response.end(JSON.stringify({ ...tokens, token_type: 'bearer', expires_in: 3600 }));
    } else response.end(JSON.stringify({ authorization: headers.authorization, before: FIRST }));
  });
  await mkdir(join(home.path, 'functions'));
  await writeFile(
    join(home.path, 'functions/providers.yaml'),
    `acme:
  display_name: Acme
  auth_mode: OAUTH2
  docs: https://acme.test
  authorization_url: ${provider.address}/authorize
  token_url: ${provider.address}/token
  proxy: { base_url: "${provider.address}" }
`,
  );
  const authority = join(home.path, 'test-authority.pem');
  await writeFile(authority, AUTHORITIES.authority);
  server = await startServer({ home: home.path, env: { NODE_EXTRA_CA_CERTS: authority } });
  await officialClient(server).createIntegration({
    provider: 'acme',
    unique_key: 'acme',
    credentials: { type: 'OAUTH2', client_id: 'id', client_secret: 'secret' },
  });
  const made = await importConnection(server, {
    provider_config_key: 'acme',
    connection_id: 'mine',
    credentials: {
      type: 'OAUTH2',
      access_token: FIRST,
      refresh_token: 'refresh-0',
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
  });
  expect(made.status).toBe(201);
});
afterAll(async () => {
  await server?.stop();
  await provider?.stop();
  await home?.remove();
});
beforeEach(() => {
  provider.requests.length = 0;
});

const api = (method: string, path: string, body?: object, key = server.secretKey): Promise<Response> =>
  fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

async function signIn(): Promise<DashboardSession> {
  const session = await DashboardSession.open(home.path, fetch);
  if (!session) throw new Error('The hub does not run.');
  return session;
}

async function open(dashboard: DashboardSession, more: object = {}) {
  const run = await dashboard.call<OpenedCommandRun>('POST', ROUTE, {
    query: { env: 'dev' },
    body: {
      ...{ connections: [{ integrationKey: 'acme', connectionId: 'mine' }], command: 'curl /me' },
      ...{ otherHosts: 'refuse', allowedHosts: [], refusedHosts: [] },
      ...more,
    },
  });
  const told: string[] = [];
  const following = await followRun(run.followUrl, (text) => told.push(text));
  const { host } = new URL(provider.address);
  const target = host.includes(':') ? host : `${host}:443`;
  const caller = new RunCaller(run);
  const call = (): Promise<string> =>
    caller.tunnel(target, [
      'GET /me HTTP/1.1',
      `Host: ${host}`,
      `Authorization: Bearer ${Object.values(run.variables)[0]}`,
      'Connection: close',
      '',
      '',
    ]);
  return { call, following, run, told };
}

const sent = () => provider.requests.filter(({ url }) => url === '/me').map(({ headers }) => headers.authorization);

describe('a run', () => {
  it('uses the token that was renewed meanwhile, and takes the old and the new one out of responses', {
    tags: ['main-path'],
  }, async () => {
    const { call, following, run } = await open(await signIn());
    expect(await call()).toContain('HTTP/1.1 200');
    const renewed = await api('GET', '/connections/mine?provider_config_key=acme&force_refresh=true');
    expect(renewed.status).toBe(200);

    const response = await call();
    expect(sent()).toEqual([`Bearer ${FIRST}`, `Bearer renewed-access-token-${renewals}`]);
    expect(response).toContain(`Bearer ${Object.values(run.variables)[0]}`);
    for (const secret of [FIRST, 'renewed-access-token']) expect(response).not.toContain(secret);
    following.stop();
    await waitFor(() => !existsSync(run.folder), { what: 'the end' });
  });

  it('is listed with its requests until a person ends it, which the command line is told', async () => {
    const dashboard = await signIn();
    const query = { env: 'dev' };
    const { call, run, told } = await open(dashboard);
    await call();
    const list = async () => (await dashboard.call<{ data: CommandRunRow[] }>('GET', ROUTE, { query })).data;
    expect(await list()).toMatchObject([
      { id: run.id, command: 'curl /me', connections: [{ integrationKey: 'acme', connectionId: 'mine' }], requests: 1 },
    ]);

    await dashboard.call('POST', `${ROUTE}/${run.id}/stop`, { query });
    expect(await list()).toEqual([]);
    await waitFor(() => told.some((text) => text.includes('A person ended it in the dashboard')), { what: 'the end' });
    await expect(call()).rejects.toThrow('ECONNREFUSED');
    expect(existsSync(run.folder)).toBe(false);
    await expect(dashboard.call('POST', `${ROUTE}/${run.id}/stop`, { query })).rejects.toThrow('no such run');
  });

  it('of a session gets nothing any more once the key that made the session is revoked', async () => {
    const key = await api('POST', '/environment/api-keys', {
      display_name: 'Agents',
      scopes: ['environment:agent_sessions:write'],
    });
    const { id, secret } = ((await key.json()) as { data: { id: number; secret: string } }).data;
    const pinned = [{ integration_id: 'acme', connection_id: 'mine' }];
    const made = await api('POST', '/sessions', { tenant: { connections: { pinned } } }, secret);
    const { session_id: sessionId } = ((await made.json()) as { data: { session_id: string } }).data;
    const dashboard = await signIn();
    const { call, run } = await open(dashboard, { sessionId, connections: [] });
    expect(await call()).toContain('HTTP/1.1 200');
    expect(sent()).toHaveLength(1);

    expect((await api('DELETE', '/environment/api-keys', { key_id: id })).status).toBe(200);
    const after = await call().catch((error: Error) => `ended: ${error.message}`);
    expect(after).toMatch(/session|ended: /);
    expect(sent()).toHaveLength(1);
    await expect(open(dashboard, { sessionId, connections: [] })).rejects.toThrow('no live agent session');
    await dashboard.call('DELETE', `${ROUTE}/${run.id}`, { query: { env: 'dev' } });
  });

  it('of a hub that is killed ends with clear errors, and leaves nothing on the disk', async () => {
    const started = join(home.path, 'started');
    const script = `: > ${started}; while [ -e ${started} ]; do sleep 0.05; done; curl -sS -m 10 -H "Authorization: Bearer $ACME_TOKEN" ${provider.address}/me`;
    const running = runCliProcess(['run', '-c', 'mine', '--', 'sh', '-c', script], {
      cwd: home.path,
      home: home.path,
      env: { NODE_EXTRA_CA_CERTS: join(home.path, 'test-authority.pem') },
    });
    await waitFor(() => existsSync(started), { what: 'the command to start' });
    await server.kill();
    await rm(started);
    const done = await running;

    expect(done.status).not.toBe(0);
    expect(done.errors).toContain('the run has ended: Homeport has stopped.');
    expect(done.errors).toMatch(/curl: \(\d+\) .*(proxy|127\.0\.0\.1|connect)/i);
    expect(done.errors).not.toMatch(/\n {4}at /);
    expect(sent()).toEqual([]);
    await server.restart();
    expect(existsSync(join(home.path, 'runs'))).toBe(false);
  });
});
