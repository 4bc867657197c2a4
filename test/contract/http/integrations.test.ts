import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importConnection } from '../../support/import-practice-connection.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { ApiCaller } from './api-caller.ts';
import { providersOfEveryMode, startWithProviders } from './workspace-providers.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----';
const OAUTH2 = { type: 'OAUTH2', client_id: 'id', client_secret: 'secret' };

interface Integration extends Record<string, unknown> {
  unique_key: string;
  updated_at: string;
}

let server: InProcessServer;
let api: ApiCaller;
let number = 0;
let key: string;

beforeAll(async () => {
  server = await startWithProviders(providersOfEveryMode('http://127.0.0.1:9'));
  api = new ApiCaller(server);
});
afterAll(() => server?.stop());
beforeEach(() => {
  number += 1;
  key = `integration-${number}`;
});

async function create(body: Record<string, unknown> = {}): Promise<Integration> {
  const response = await api.send('POST /integrations', { body: { provider: 'practice', unique_key: key, ...body } });
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  return (response.body as { data: Integration }).data;
}

async function read(query = ''): Promise<Integration> {
  const response = await api.send(`GET /integrations/${key}${query}`);
  expect(response.status).toBe(200);
  return (response.body as { data: Integration }).data;
}

const creationRefusal = (body: unknown, path = '/integrations') => api.refusal(`POST ${path}`, { body });
const invalid = (...issues: string[]) => ({ status: 400, code: 'invalid_body', issues });
const invalidMessage = { status: 400, code: 'invalid_body' };

describe('POST /integrations', () => {
  it('answers 200 with one integration', async () => {
    expect(await create()).toEqual({
      unique_key: key,
      provider: 'practice',
      display_name: 'Practice tracker',
      logo: expect.stringMatching(/^http:\/\/localhost:\d+\/images\/template-logos\/practice\.svg$/),
      forward_webhooks: true,
      created_at: expect.stringMatching(ISO),
      updated_at: expect.stringMatching(ISO),
    });
  });

  it('takes every optional field', async () => {
    const made = await create({ display_name: 'Mine', forward_webhooks: false, custom: { a: 'b' } });

    expect(made).toMatchObject({ display_name: 'Mine', forward_webhooks: false });
    expect(made).not.toHaveProperty('credentials');
  });

  it.each([
    [{ provider: 'practice' }, ['invalid_type unique_key']],
    [{ unique_key: 'x' }, ['invalid_type provider']],
    [{ provider: 'pr actice', unique_key: 'x' }, ['invalid_format provider']],
    [{ provider: 'practice', unique_key: 'x/y' }, ['invalid_format unique_key']],
    [{ provider: 'practice', unique_key: 'x'.repeat(256) }, ['too_big unique_key']],
    [{ provider: 'practice', unique_key: 'x', display_name: '' }, ['too_small display_name']],
    [{ provider: 'practice', unique_key: 'x', display_name: 'x'.repeat(256) }, ['too_big display_name']],
    [{ provider: 'practice', unique_key: 'x', logo: 'x' }, ['unrecognized_keys']],
    [{ provider: 'practice', unique_key: 'x', forward_webhooks: 'yes' }, ['invalid_type forward_webhooks']],
    [{ provider: 'practice', unique_key: 'x', custom: { a: 1 } }, ['invalid_type custom.a']],
    [
      { provider: 'private-api-generic', unique_key: 'x', integration_config: { a: 'x'.repeat(8193) } },
      ['too_big integration_config.a'],
    ],
    [{ provider: 'own-oauth2', unique_key: 'x', credentials: {} }, ['invalid_union credentials.type']],
    [{ provider: 'own-oauth2', unique_key: 'x', credentials: { type: 'API_KEY' } }, ['invalid_union credentials.type']],
    [
      { provider: 'own-oauth2', unique_key: 'x', credentials: { ...OAUTH2, client_id: '' } },
      ['too_small credentials.client_id'],
    ],
    [
      { provider: 'own-oauth2', unique_key: 'x', credentials: { ...OAUTH2, scopes: 'a, b' } },
      ['invalid_format credentials.scopes'],
    ],
    [
      { provider: 'own-oauth2', unique_key: 'x', credentials: { ...OAUTH2, app_id: 'x' } },
      ['unrecognized_keys credentials'],
    ],
    [
      {
        provider: 'own-app',
        unique_key: 'x',
        credentials: { type: 'APP', app_id: '1', app_link: 'x', private_key: 'x' },
      },
      ['invalid_format credentials.private_key', 'invalid_format credentials.private_key'],
    ],
    [[], ['invalid_type']],
  ])('refuses %j', async (body, issues) => {
    expect(await creationRefusal(body)).toEqual(invalid(...issues));
  });

  it('names an unknown provider and a taken key as the reference does', async () => {
    expect(await creationRefusal({ provider: 'no-such', unique_key: key })).toEqual(invalid('invalid_string provider'));
    await create();

    expect(await creationRefusal({ provider: 'practice', unique_key: key })).toEqual(
      invalid('invalid_string unique_key'),
    );
  });

  it('tells the query before the body', async () => {
    expect(await creationRefusal({}, '/integrations?a=1')).toEqual({
      status: 400,
      code: 'invalid_query_params',
      issues: ['unrecognized_keys'],
    });
  });

  it.each(['own-oauth2', 'own-oauth1', 'own-app', 'own-custom'])('asks for the credentials of %s', async (provider) => {
    expect(await creationRefusal({ provider, unique_key: key })).toEqual(invalidMessage);
  });

  it.each(['own-basic', 'own-none', 'own-cc', 'own-tba', 'own-two-step', 'practice'])(
    'asks none for %s',
    async (provider) => {
      expect(await create({ provider })).toMatchObject({ provider });
    },
  );

  it('refuses credentials of another type than the provider', async () => {
    expect(await creationRefusal({ provider: 'own-oauth1', unique_key: key, credentials: OAUTH2 })).toEqual(
      invalidMessage,
    );
    expect(await creationRefusal({ provider: 'practice', unique_key: key, credentials: OAUTH2 })).toEqual(
      invalidMessage,
    );
  });

  it.each([
    ['practice', { integration_config: { a: 'b' } }],
    ['private-api-generic', { custom: { a: 'b' } }],
    ['private-api-generic', { integration_config: { other: 'b' } }],
    ['private-api-generic', { integration_config: { baseUrl: 'ftp://x.test', keyName: 'x-key' } }],
    [
      'private-api-generic',
      { integration_config: { baseUrl: 'https://x.test', keyName: 'x-key', keyPlacement: 'body' } },
    ],
    ['private-api-generic', { integration_config: { baseUrl: 'https://x.test' } }],
  ])('refuses a configuration that %s does not declare: %j', async (provider, parts) => {
    expect(await creationRefusal({ provider, unique_key: key, ...parts })).toEqual(invalidMessage);
  });

  it('takes a declared configuration and labels the key of its connections', async () => {
    const made = await create({
      provider: 'private-api-generic',
      integration_config: { baseUrl: 'https://x.test', keyName: 'x-key', keyLabel: 'Your token' },
    });

    expect(made['credentials_label']).toEqual({ apiKey: 'Your token' });
    expect(await read()).toMatchObject({ credentials_label: { apiKey: 'Your token' } });
  });

  it('names the preconfigured credentials of a two-step provider', async () => {
    const made = await create({ provider: 'own-two-step', integration_config: { partner_key: 'k' } });

    expect(made['preconfigured_credentials']).toEqual(['partner_key']);
    expect(made).not.toHaveProperty('preconfigured_connection_config');
  });

  it('names the preconfigured connection config, which replaces what connections bring', async () => {
    const made = await create({ provider: 'own-hosted', custom: { subdomain: 'acme', other: 'x' } });
    expect(made['preconfigured_connection_config']).toEqual(['subdomain']);
    expect(await read()).toMatchObject({ preconfigured_connection_config: ['subdomain'] });

    const imported = await api.send('POST /connections', {
      body: {
        provider_config_key: key,
        connection_id: 'preset',
        credentials: { type: 'API_KEY', apiKey: 'k' },
        connection_config: { subdomain: 'mine', zone: 'z' },
      },
    });
    expect([imported.status, imported.body]).toMatchObject([
      201,
      { connection_config: { subdomain: 'acme', zone: 'z' } },
    ]);
  });

  it.each(['https://acme.test', 'acme.test/#', '${connectionConfig.x}'])(
    'refuses a preconfigured connection config that connections could not have: %s',
    async (subdomain) => {
      expect(await creationRefusal({ provider: 'own-hosted', unique_key: key, custom: { subdomain } })).toEqual(
        invalid('invalid_string custom.subdomain'),
      );
      await create({ provider: 'own-hosted', custom: { subdomain: 'acme' } });
      expect(await api.refusal(`PATCH /integrations/${key}`, { body: { custom: { subdomain } } })).toEqual(
        invalid('invalid_string custom.subdomain'),
      );
      expect(await read()).toMatchObject({ preconfigured_connection_config: ['subdomain'] });
    },
  );
});

describe('GET /integrations', () => {
  it('lists by provider and age, without credentials', async () => {
    await create({ provider: 'own-oauth2', credentials: OAUTH2 });

    const { status, body } = await api.send('GET /integrations');

    const { data } = body as { data: Integration[] };
    expect(status).toBe(200);
    const order = data.map((one) => `${one['provider']} ${one['created_at']}`);
    expect(order).toEqual([...order].sort());
    for (const one of data) {
      expect(one).not.toHaveProperty('credentials');
      expect(one).not.toHaveProperty('webhook_url');
    }
  });

  it('takes no query', async () => {
    expect(await api.refusal('GET /integrations?page=1')).toMatchObject({ code: 'invalid_query_params' });
  });
});

describe('GET /integrations/{uniqueKey}', () => {
  it('adds the requested values, each alone or both', async () => {
    await create({ provider: 'own-oauth2', credentials: { ...OAUTH2, webhook_secret: 'hook' } });

    expect(await read()).not.toHaveProperty('credentials');
    expect(await read('?include=webhook')).toMatchObject({ webhook_url: expect.stringContaining('/webhook/') });
    expect((await read('?include=webhook&include=credentials'))['credentials']).toEqual({
      ...OAUTH2,
      scopes: 'read,write',
      webhook_secret: 'hook',
    });
    expect(await read('?include[]=webhook')).not.toHaveProperty('credentials');
  });

  it('has no credentials when the mode has none', async () => {
    await create();

    expect((await read('?include=credentials'))['credentials']).toBeNull();
  });

  it('writes the webhook address', async () => {
    key = `hook ${number}`;
    await create({ provider: 'unauthenticated' });

    const response = await api.send(`GET /integrations/hook%20${number}?include=webhook`);

    expect((response.body as { data: Integration }).data['webhook_url']).toMatch(
      new RegExp(`^http://localhost:\\d+/webhook/[0-9a-f-]{36}/hook%20${number}$`),
    );
  });

  it.each([
    ['APP', 'own-app', { app_id: '1', app_link: 'https://x.test', private_key: PEM }],
    [
      'CUSTOM',
      'own-custom',
      { client_id: 'i', client_secret: 's', app_id: '1', app_link: 'https://x.test', private_key: PEM },
    ],
    ['TBA', 'own-tba', { client_id: 'i', client_secret: 's', scopes: null, webhook_secret: null }],
    ['OAUTH1', 'own-oauth1', { client_id: 'i', client_secret: 's', scopes: null, webhook_secret: null }],
  ])('shows the credentials of %s', async (type, provider, fields) => {
    const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
    await create({ provider, credentials: { type, ...sent } });

    expect((await read('?include=credentials'))['credentials']).toEqual({ type, ...fields });
  });

  it('checks the query, then the path, then looks', async () => {
    expect(await api.refusal('GET /integrations/a%2Fb?include=all')).toMatchObject({ code: 'invalid_query_params' });
    expect(await api.refusal('GET /integrations/a%2Fb')).toEqual({
      status: 400,
      code: 'invalid_uri_params',
      issues: ['invalid_format uniqueKey'],
    });
    expect(await api.refusal('GET /integrations/none')).toEqual({ status: 404, code: 'not_found' });
  });
});

describe('PATCH /integrations/{uniqueKey}', () => {
  const patch = (body: unknown) => api.send(`PATCH /integrations/${key}`, { body });
  const refusal = (body: unknown, path = `/integrations/${key}`) => api.refusal(`PATCH ${path}`, { body });

  it('accepts an empty body and its own key, and moves updated_at every time', async () => {
    const first = await create();

    const second = ((await patch({})).body as { data: Integration }).data;
    const third = ((await patch({ unique_key: key })).body as { data: Integration }).data;

    expect(second.updated_at > first.updated_at).toBe(true);
    expect(third.updated_at > second.updated_at).toBe(true);
    expect(third).toMatchObject({ unique_key: key, created_at: first['created_at'] });
  });

  it('changes single fields', async () => {
    await create({ display_name: 'Before' });

    expect((await patch({ display_name: 'After', forward_webhooks: false })).body).toMatchObject({
      data: { display_name: 'After', forward_webhooks: false },
    });
  });

  it('keeps omitted scopes and webhook secrets; empty ones are removed', async () => {
    await create({ provider: 'own-oauth2', credentials: { ...OAUTH2, scopes: 'a,b', webhook_secret: 'hook' } });

    await patch({ credentials: { ...OAUTH2, client_secret: 'new' } });
    expect((await read('?include=credentials'))['credentials']).toMatchObject({
      client_secret: 'new',
      scopes: 'a,b',
      webhook_secret: 'hook',
    });

    await patch({ credentials: { ...OAUTH2, scopes: '', webhook_secret: '' } });
    expect((await read('?include=credentials'))['credentials']).toMatchObject({ scopes: null, webhook_secret: null });
  });

  it('merges the configuration key by key and checks it', async () => {
    await create({
      provider: 'private-api-generic',
      integration_config: { baseUrl: 'https://x.test', keyName: 'x-key', keyLabel: 'One' },
    });

    expect((await patch({ integration_config: { keyName: 'x-other' } })).body).toMatchObject({
      data: { credentials_label: { apiKey: 'One' } },
    });
    expect(await refusal({ integration_config: { keyPlacement: 'body' } })).toEqual(invalidMessage);
    expect(await refusal({ custom: { a: 'b' } })).toEqual(invalidMessage);
  });

  it('renames a key without connections only, and never onto another', async () => {
    await create();
    const before = key;
    expect((await patch({ unique_key: `${key}-renamed` })).status).toBe(200);
    expect(await api.refusal(`GET /integrations/${before}`)).toMatchObject({ status: 404 });
    key = `${key}-renamed`;
    expect(await read()).toMatchObject({ unique_key: key });

    await create({ unique_key: `${key}-taken` });
    expect(await refusal({ unique_key: `${key}-taken` })).toEqual(invalidMessage);
    expect((await importConnection(server, { provider_config_key: key })).status).toBe(201);
    expect(await refusal({ unique_key: `${key}-again` })).toEqual(invalidMessage);
  });

  it('refuses foreign keys and types', async () => {
    await create();

    expect(await refusal({ provider: 'practice' })).toEqual(invalid('unrecognized_keys'));
    expect(await refusal({ credentials: OAUTH2 })).toEqual(invalidMessage);
    expect(await refusal({ credentials: { type: 'NOPE' } })).toEqual(invalid('invalid_union credentials.type'));
  });

  it('checks query, then body, then path', async () => {
    expect(await refusal({ nope: 1 }, '/integrations/a%2Fb?x=1')).toMatchObject({ code: 'invalid_query_params' });
    expect(await refusal({ nope: 1 }, '/integrations/a%2Fb')).toMatchObject({ code: 'invalid_body' });
    expect(await refusal({}, '/integrations/a%2Fb')).toMatchObject({ code: 'invalid_uri_params' });
    expect(await refusal({}, '/integrations/none')).toEqual({ status: 404, code: 'not_found' });
  });

  it('loses neither of two changes sent at once', async () => {
    await create({ provider: 'own-oauth2', credentials: OAUTH2 });

    await Promise.all([
      patch({ credentials: { ...OAUTH2, client_secret: 'rotated' } }),
      ...['One', 'Two', 'Three'].map((name) => patch({ display_name: name })),
    ]);

    expect(await read('?include=credentials')).toMatchObject({ credentials: { client_secret: 'rotated' } });
  });
});

describe('DELETE /integrations/{uniqueKey}', () => {
  it('removes it with its connections and frees the key', async () => {
    await create();
    await importConnection(server, { provider_config_key: key, connection_id: `of-${key}` });

    const { status, body } = await api.send(`DELETE /integrations/${key}`);

    expect([status, body]).toEqual([200, { success: true }]);
    expect(await api.refusal(`GET /integrations/${key}`)).toMatchObject({ status: 404 });
    expect((await api.send(`GET /connections?connectionId=of-${key}`)).body).toEqual({ connections: [] });
    await create();
    expect((await api.send(`GET /connections?integrationId=${key}`)).body).toEqual({ connections: [] });
  });

  it('leaves no connection behind that was imported at the same moment', async () => {
    await create();

    const [, ...imports] = await Promise.all([
      api.send(`DELETE /integrations/${key}`),
      ...Array.from({ length: 6 }, (_, at) =>
        importConnection(server, { provider_config_key: key, connection_id: `late-${at}` }),
      ),
    ]);

    for (const { status } of imports) expect([201, 404]).toContain(status);
    expect((await api.send('GET /connections?search=late-')).body).toEqual({ connections: [] });
  });

  it('is done by one of several calls at once; the others find nothing', async () => {
    await create();

    const responses = await Promise.all(Array.from({ length: 4 }, () => api.send(`DELETE /integrations/${key}`)));

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
  });

  it('checks query, path and existence in that order', async () => {
    expect(await api.refusal('DELETE /integrations/a%2Fb?x=1')).toMatchObject({ code: 'invalid_query_params' });
    expect(await api.refusal('DELETE /integrations/a%2Fb')).toMatchObject({ code: 'invalid_uri_params' });
    expect(await api.refusal('DELETE /integrations/none')).toEqual({ status: 404, code: 'not_found' });
  });
});
