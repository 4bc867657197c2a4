// @module-tag slow
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRACTICE_CLIENT } from '../../../server/practice/authorization/practice-client.ts';
import { answerConsent } from '../../support/authorize-practice.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import { createOpenApiDocument } from '../../support/public-document.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { pushedAction } from '../functions/pushed-action.ts';
import { type Described, DocumentChecker } from './document-checker.ts';
import { type SeededHub, startSeededHub } from './seeded-hub.ts';
import { AGENT_REDIRECT, AGENT_VERIFIER, allowAgent, authorizeQuery } from './signed-in-agent.ts';
import { makeWrittenCall } from './written-call.ts';

const run = promisify(execFile);
const TEMPLATES = fileURLToPath(new URL('../../../functions/templates/practice', import.meta.url));
/** Every operation by `METHOD /path`, in the order of the document. */
const ROUTES = new DocumentChecker(createOpenApiDocument({ serverUrl: 'http://localhost', version: '0' }))
  .operations()
  .map(({ method, path }) => `${method} ${path}`);

/** Operations whose example cannot succeed here. */
const REFUSED: Record<string, number> = {
  'POST /integrations/quickstart': 400,
  // The keys of a role are verified at AWS itself.
  'POST /auth/aws-sigv4/{providerConfigKey}': 400,
  'GET /mcp': 405,
  'DELETE /mcp': 405,
  // Off until a person switches it on.
  'POST /mcp/manage': 403,
  'GET /mcp/manage': 405,
  'DELETE /mcp/manage': 405,
  'GET /agents/mcp': 405,
  'DELETE /agents/mcp': 405,
  'GET /session/{sessionId}/mcp': 405,
  'DELETE /session/{sessionId}/mcp': 405,
  'GET /v1/{path}': 404,
  'PUT /v1/{path}': 404,
  'PATCH /v1/{path}': 404,
  'DELETE /v1/{path}': 404,
};

let hub: SeededHub;
let home: TempHome;
let checker: DocumentChecker;
beforeAll(async () => {
  [hub, home] = await Promise.all([startSeededHub(), createTempHome()]);
  checker = new DocumentChecker(hub.document);
  // Prints only what a person sees on the screen anyway; the command itself is unchanged.
  await writeFile(join(home.path, '.curlrc'), 'silent\nshow-error\nwrite-out = "\\n%{http_code}"\n');
  const app = { type: 'OAUTH2', client_id: PRACTICE_CLIENT.id, client_secret: PRACTICE_CLIENT.secret };
  await send('POST /integrations', { provider: 'practice-oauth2', unique_key: 'practice-oauth2', credentials: app });
  // Every fresh data folder has them.
  await cp(TEMPLATES, join(hub.server.workspace, 'practice'), { recursive: true });
  const sync = { provider_config_key: 'practice', connection_id: 'me', syncs: ['fetch-issues'] };
  await waitFor(async () => (await hub.api.send('POST /sync/trigger', { body: sync })).status === 200, {
    what: 'the functions of the practice provider',
  });
  await waitFor(async () => ((await readRecords()).length > 0 ? true : undefined), { what: 'the first records' });
});
afterAll(async () => {
  await hub?.signIn.stop();
  await home?.remove();
});

const headers = { 'provider-config-key': 'practice', 'connection-id': 'me' };

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function send(route: string, body?: unknown, more: Record<string, string> = {}): Promise<any> {
  const response = await hub.api.send(route, {
    ...(body === undefined ? {} : { body }),
    headers: { ...headers, ...more },
  });
  if (response.status >= 400) throw new Error(`${route}: ${response.bytes.toString()}`);
  return response.body;
}

async function readRecords(): Promise<Array<{ _nango_metadata: { cursor: string } }>> {
  return (await send('GET /records?model=Issue')).records;
}

async function signedIn(): Promise<{ STATE: string; CODE: string }> {
  const token = await hub.signIn.openSession();
  const start = await hub.api.send(`GET /oauth/connect/practice-oauth2?connect_session_token=${token}`);
  const { searchParams } = await answerConsent(start.headers.location ?? '');
  return { STATE: searchParams.get('state') ?? '', CODE: searchParams.get('code') ?? '' };
}

/** A program for which a person signed in. */
async function signedInAgent(): Promise<{ AGENT_CLIENT: string; ACCESS_TOKEN: string; REFRESH_TOKEN: string }> {
  const { client_id } = await send('POST /agents/register', { redirect_uris: [AGENT_REDIRECT] });
  const { headers: asked } = await hub.api.send(`GET /agents/authorize?${authorizeQuery(client_id)}`);
  const code = await allowAgent(hub, asked.location ?? '');
  const proof = { grant_type: 'authorization_code', code, code_verifier: AGENT_VERIFIER, client_id };
  const { access_token, refresh_token } = await send('POST /agents/token', proof);
  return { AGENT_CLIENT: client_id, ACCESS_TOKEN: access_token, REFRESH_TOKEN: refresh_token };
}

async function askPairing(): Promise<{ PAIRING_ID: string; PAIRING_CODE: string }> {
  const { data } = await send('POST /pairings', { name: 'App' });
  return { PAIRING_ID: data.id, PAIRING_CODE: data.code };
}

const code =
  "import { createAction } from 'homeport';\nimport * as z from 'zod';\nexport default createAction({ description: 'x', version: '1.0.0', input: z.any(), output: z.any(), exec: async () => 1 });";
const sent = { integration_id: 'practice', function_type: 'action', code };

/** Values that an earlier call would have given, created for each example that names them. */
const VARIABLES: Record<string, () => Promise<Record<string, string>>> = {
  HOMEPORT_KEY: async () => ({ HOMEPORT_KEY: hub.server.secretKey }),
  AGENT_SESSION: async () => {
    const connections = { pinned: [{ integration_id: 'practice', connection_id: 'me' }] };
    const { data } = await send('POST /sessions', { tenant: { connections } });
    return { AGENT_SESSION: data.session_id, SESSION_TOKEN: data.session_token };
  },
  // After the session of its own, which it replaces.
  CALL: async () => {
    const { callId, sessionId } = await makeWrittenCall(hub);
    return { AGENT_SESSION: sessionId, CALL: callId };
  },
  AGENT_CLIENT: signedInAgent,
  ACCESS_TOKEN: signedInAgent,
  NOW: async () => ({ NOW: new Date().toISOString() }),
  CONNECT_SESSION_TOKEN: async () => ({ CONNECT_SESSION_TOKEN: await hub.signIn.openSession() }),
  STATE: signedIn,
  ENVIRONMENT_UUID: async () => ({ ENVIRONMENT_UUID: (await send('GET /environments')).data[0].uuid }),
  INSTALLATION_STATE: async () => {
    const token = await hub.signIn.openSession();
    const start = await hub.api.send(`GET /oauth/connect/own-app?connect_session_token=${token}`);
    return { INSTALLATION_STATE: new URL(start.headers.location ?? '').searchParams.get('state') ?? '' };
  },
  ACTION_ID: async () => {
    const { id } = await send('POST /action/trigger', { action_name: 'echo', input: 1 }, { 'x-async': 'true' });
    await waitFor(async () => (await hub.api.send(`GET /action/${id}`)).status === 200, { what: 'the queued action' });
    return { ACTION_ID: id };
  },
  INVOCATION_ID: async () => {
    const at = { integration_id: 'practice', connection_id: 'me' };
    const { id } = await send('POST /functions/invocations', {
      ...at,
      name: 'echo',
      input: 1,
      invocation_type: 'no_wait',
    });
    await waitFor(async () => (await hub.api.send(`GET /functions/invocations/${id}`)).status === 200, {
      what: 'the invoked action',
    });
    return { INVOCATION_ID: id };
  },
  CURSOR: async () => ({ CURSOR: (await readRecords())[0]?._nango_metadata.cursor ?? '' }),
  SENT_FUNCTION: async () => {
    const flows = [pushedAction('pushed')];
    await send('POST /sync/deploy', {
      flowConfigs: flows,
      reconcile: false,
      debug: false,
      source: 'standalone',
      nangoYamlBody: '',
    });
    return { SENT_FUNCTION: 'pushed' };
  },
  DRY_RUN_ID: async () => ({
    DRY_RUN_ID: (await send('POST /functions/dryruns', { ...sent, connection_id: 'me' })).id,
  }),
  DEPLOYMENT_ID: async () => {
    const { id } = await send('POST /functions/deployments', { ...sent, type: 'function', function_name: 'sent' });
    return { DEPLOYMENT_ID: id };
  },
  ENVIRONMENT_ID: async () => ({ ENVIRONMENT_ID: String((await send('POST /environments', { name: 'old' })).data.id) }),
  DESTINATION: async () => {
    const to = { name: `To ${randomUUID()}`, kind: 'http', url: 'http://127.0.0.1:9/records' };
    return { DESTINATION: (await send('POST /records/destinations', to)).data.id };
  },
  PAIRING_ID: askPairing,
  OWN_ENVIRONMENT_ID: async () => ({ OWN_ENVIRONMENT_ID: String((await send('GET /environments')).data[0].id) }),
  KEY_ID: async () => {
    const { data } = await send('POST /environment/api-keys', { display_name: `old ${randomUUID()}` });
    return { KEY_ID: String(data.id) };
  },
};

const connectionOf = (connection_id: string) => async () =>
  void (await importConnection(hub.server, { provider_config_key: 'practice', connection_id }));
const variant = (method: 'POST' | 'DELETE') => async () =>
  void (await hub.api.send(`${method} /sync/fetch-issues/variant/second`, {
    body: { provider_config_key: 'practice', connection_id: 'me' },
  }));

const github = (isThere: boolean) => async () => {
  const credentials = { type: 'OAUTH2', client_id: 'my-client', client_secret: 'my-secret' };
  await hub.api.send('DELETE /integrations/github');
  if (isThere) await send('POST /integrations', { provider: 'github', unique_key: 'github', credentials });
};

/** What the example of another route leaves or takes away, done before the example that depends on it. */
const PREPARED: Record<string, () => Promise<void>> = {
  'POST /integrations': github(false),
  'GET /integrations/{uniqueKey}': github(true),
  'PATCH /integrations/{uniqueKey}': github(true),
  'DELETE /integrations/{uniqueKey}': github(true),
  'GET /connections/{connectionId}': connectionOf('alice'),
  'PATCH /connections/{connectionId}': connectionOf('alice'),
  'DELETE /connections/{connectionId}': connectionOf('alice'),
  'GET /connection/{connectionId}': connectionOf('bob'),
  'DELETE /connection/{connectionId}': connectionOf('bob'),
  'POST /sync/{name}/variant/{variant}': variant('DELETE'),
  'DELETE /sync/{name}/variant/{variant}': variant('POST'),
};

async function environmentFor(source: string): Promise<Record<string, string>> {
  const names = [...source.matchAll(/\$([A-Z_]+)/g)].map(([, name = '']) => name);
  const values = await Promise.all(
    Object.keys(VARIABLES)
      .filter((name) => names.includes(name))
      .map((name) => VARIABLES[name]?.()),
  );
  const environment: Record<string, string> = Object.assign({}, ...values);
  expect(names.filter((name) => !(name in environment))).toEqual([]);
  return environment;
}

/** The output of curl, and the status. */
async function runLiterally(source: string): Promise<{ status: number; bytes: Buffer; body: unknown }> {
  const env = { PATH: process.env['PATH'] ?? '', CURL_HOME: home.path, ...(await environmentFor(source)) };
  const { stdout } = await run('sh', ['-c', source], { env, encoding: 'utf8' });
  const at = stdout.lastIndexOf('\n');
  const bytes = Buffer.from(stdout.slice(0, at));
  return { status: Number(stdout.slice(at + 1)), bytes, body: readJson(bytes) };
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return bytes.length === 0 ? undefined : bytes.toString();
  }
}

function successOf({ operation }: Described): number[] {
  return Object.keys(operation.responses)
    .map(Number)
    .filter((status) => status < 400);
}

describe('every example of the document, run as it stands there', () => {
  it.each(ROUTES)('%s', async (route) => {
    const described = checker.get(route);
    const samples = described.operation['x-codeSamples'] ?? [];
    expect(samples.map(({ lang }) => lang)).toEqual(['Shell']);
    const source = samples[0]?.source ?? '';
    await PREPARED[route]?.();
    // One deploy at a time: another one may still be running.
    const response = await waitFor(
      async () => {
        const found = await runLiterally(source);
        const { error } = (found.body ?? {}) as { error?: { code?: string } };
        return error?.code === 'concurrent_deployment' ? undefined : found;
      },
      { what: 'the end of the deploy before' },
    );

    const shown = `${source}\n${response.status} ${response.bytes.toString().slice(0, 300)}`;
    const isHtml = response.bytes.toString().startsWith('<');
    expect(
      checker.problemOf(described, { ...response, headers: {}, ...(isHtml ? { bytes: Buffer.alloc(0) } : {}) }),
      shown,
    ).toBeUndefined();
    const passedOn = described.operation.responses['default'] ? [200, 302] : [];
    const expected = REFUSED[route] === undefined ? [...successOf(described), ...passedOn] : [REFUSED[route]];
    expect(expected, shown).toContain(response.status);
  });
});
