import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { DashboardClient } from './dashboard-client.ts';

const VALUE = 'canary-header-7d21';
const ENDPOINT = 'https://collector.test/otlp';
const CHANGE = 'PATCH /api/v1/settings';

let hub: InProcessServer;
let api: ApiCaller;
let client: DashboardClient;
beforeAll(async () => {
  hub = await startInProcess();
  api = new ApiCaller(hub);
  client = await DashboardClient.signIn({ url: hub.url, signIn: hub });
});
afterAll(() => hub?.stop());
beforeEach(async () => {
  await patch({ otlp_endpoint: ENDPOINT, otlp_headers: [{ name: 'X-Api-Key', value: VALUE }] });
});

interface TelemetrySettings {
  otlp_endpoint: string | null;
  otlp_headers: Array<{ name: string; value?: string }>;
}

async function patch(body: object): Promise<TelemetrySettings> {
  const response = await api.send('PATCH /environment/settings', { body });
  expect([response.status, response.body]).toEqual([200, { data: expect.anything() }]);
  return (response.body as { data: TelemetrySettings }).data;
}

async function settingsOf(secretKey: string): Promise<TelemetrySettings> {
  const { body } = await new ApiCaller({ url: hub.url, secretKey }).send('GET /environment/settings');
  return (body as { data: TelemetrySettings }).data;
}

const reveal = (name: string, env = 'dev') =>
  client.call('POST /api/v1/reveal', { query: { env }, body: { kind: 'otlp_header', name } });

describe('the collector of an environment', () => {
  it('is set when the environment is made', async () => {
    const headers = [{ name: 'x-team', value: 'blue' }];
    const body = { name: 'traced', otlp_endpoint: 'http://localhost:4318', otlp_headers: headers };
    expect((await api.send('POST /environments', { body })).status).toBe(200);

    const settings = await client.call('GET /api/v1/settings', { query: { env: 'traced' } });
    expect(settings).toMatchObject({ otlp_endpoint: 'http://localhost:4318', otlp_headers: [{ name: 'x-team' }] });
    expect(await reveal('x-team', 'traced')).toEqual({ value: 'blue' });
    const own = await api.refusal('POST /environments', { body: { name: 'own', otlp_endpoint: hub.url } });
    expect(own).toEqual({ status: 400, code: 'invalid_body', issues: ['custom otlp_endpoint'] });
  });

  it('is not the hub itself', async () => {
    const response = await client.send(CHANGE, { body: { otlp_endpoint: hub.url } });

    expect(await response.json()).toMatchObject({
      error: { errors: [{ path: ['otlp_endpoint'], message: expect.stringContaining('Homeport itself') }] },
    });
  });

  it('shows the values of headers to keys that may read variables, to others the names', async () => {
    const scopes = ['environment:settings:read'];
    const { body } = await api.send('POST /environment/api-keys', { body: { display_name: 'narrow', scopes } });
    const { secret } = (body as { data: { secret: string } }).data;

    expect(await settingsOf(hub.secretKey)).toMatchObject({ otlp_headers: [{ name: 'X-Api-Key', value: VALUE }] });
    expect((await settingsOf(secret)).otlp_headers).toEqual([{ name: 'X-Api-Key' }]);
  });

  it('hides the values of headers in the dashboard, shows them one by one and writes that down', async () => {
    const text = JSON.stringify(await client.call('GET /api/v1/settings'));
    expect(text).toContain('"otlp_headers":[{"name":"X-Api-Key"}]');
    expect(text).not.toContain(VALUE);

    expect(await reveal('X-Api-Key')).toEqual({ value: VALUE });
    expect(await client.refusal('POST /api/v1/reveal', { body: { kind: 'otlp_header', name: 'none' } })).toMatchObject({
      status: 404,
    });
    const { data } = await client.call('GET /api/v1/audit', { query: { actions: 'secret_revealed' } });
    expect(data[0]).toMatchObject({ subject: 'otlp_header X-Api-Key' });
  });

  it('keeps the headers that the dashboard sends without a value', async () => {
    const headers = [{ name: 'x-api-key' }, { name: 'x-new', value: '1' }];
    const { otlp_headers } = await client.call(CHANGE, { body: { otlp_headers: headers } });

    expect(otlp_headers).toEqual([{ name: 'x-api-key' }, { name: 'x-new' }]);
    expect(await reveal('x-api-key')).toEqual({ value: VALUE });
    expect(
      await client.send(CHANGE, { body: { otlp_headers: [{ name: 'other' }] } }).then((one) => one.json()),
    ).toMatchObject({
      error: { errors: [{ path: ['otlp_headers', '0', 'value'], message: 'A new header needs a value.' }] },
    });
  });

  it('gives the headers of one collector to no other one', async () => {
    expect(await patch({ otlp_endpoint: 'https://collector.test/other' })).toMatchObject({
      otlp_headers: [{ name: 'X-Api-Key', value: VALUE }],
    });
    expect(await patch({ otlp_endpoint: 'https://elsewhere.test' })).toMatchObject({
      otlp_endpoint: 'https://elsewhere.test',
      otlp_headers: [],
    });
  });

  it('lies sealed on the disk, and is not in clear in an export', async () => {
    const files = (await readdir(hub.home)).filter((name) => name.startsWith('homeport.db'));
    expect(files.length).toBeGreaterThan(0);
    for (const name of files) expect((await readFile(join(hub.home, name))).includes(VALUE)).toBe(false);

    const parts = ['settings'];
    const plain = (await client.call('POST /api/v1/transfer/export', { body: { parts } })).file;
    expect(plain).toMatchObject({ settings: { otlp_endpoint: ENDPOINT }, left_out: ['settings: otlp_headers'] });
    expect(JSON.stringify(plain)).not.toContain(VALUE);
  });

  it('comes back from an export with a passphrase, which says where traces will go', async () => {
    const passphrase = 'correct horse battery';
    const parts = ['settings'];
    const { file } = await client.call('POST /api/v1/transfer/export', { body: { parts, passphrase } });
    await client.call('POST /api/v1/environments', { body: { name: 'target' } });
    const target = { query: { env: 'target' } };
    const source = { kind: 'file', file, passphrase };

    const { effects } = await client.call('POST /api/v1/transfer/preview', { ...target, body: { source } });
    expect(effects).toContain(`traces of all operations go to ${ENDPOINT}`);
    await client.call('POST /api/v1/transfer/import', { ...target, body: { source, conflict: 'skip', parts } });
    expect(await reveal('X-Api-Key', 'target')).toEqual({ value: VALUE });
  });

  it('is copied with the settings of another environment', async () => {
    await client.call('POST /api/v1/environments', {
      body: { name: 'twin', copy: { from: 'dev', parts: ['settings'] } },
    });

    expect(await client.call('GET /api/v1/settings', { query: { env: 'twin' } })).toMatchObject({
      otlp_endpoint: ENDPOINT,
    });
    expect(await reveal('X-Api-Key', 'twin')).toEqual({ value: VALUE });
  });
});
