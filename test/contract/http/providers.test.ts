import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { ApiCaller } from './api-caller.ts';

interface Provider extends Record<string, unknown> {
  name: string;
}

let server: InProcessServer;
let api: ApiCaller;

beforeAll(async () => {
  server = await startInProcess();
  api = new ApiCaller(server);
});
afterAll(() => server?.stop());

async function names(query: string): Promise<string[]> {
  const { status, body } = await api.send(`GET /providers${query}`);
  expect(status).toBe(200);
  return (body as { data: Provider[] }).data.map((provider) => provider.name);
}

describe('GET /providers', () => {
  it('lists every entry with its name and logo', async () => {
    const { body } = await api.send('GET /providers');

    const { data } = body as { data: Provider[] };
    expect(data.length).toBeGreaterThan(10);
    for (const provider of data) {
      expect(provider).toMatchObject({
        name: expect.any(String),
        display_name: expect.any(String),
        auth_mode: expect.any(String),
        logo_url: expect.stringContaining(`/images/template-logos/${provider.name}.svg`),
      });
    }
  });

  it('searches the names with a case-insensitive expression', async () => {
    const practice = ['practice', 'practice-client-credentials', 'practice-oauth1', 'practice-oauth2'];
    expect(await names('?search=PRACTICE')).toEqual(practice);
    expect(await names('?search=pr.ctice-o')).toEqual(['practice-oauth1', 'practice-oauth2']);
    expect(await names('?search=no-such-thing')).toEqual([]);
  });

  it.each(['?search=(', '?search=', '?search=a&search=b', '?other=1', `?search=${'a'.repeat(256)}`])(
    'refuses %s',
    async (query) => {
      expect(await api.refusal(`GET /providers${query}`)).toMatchObject({ status: 400, code: 'invalid_query_params' });
    },
  );
});

describe('GET /providers/{provider}', () => {
  it('answers with the entry as stored', async () => {
    const { status, body } = await api.send('GET /providers/practice');

    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: { name: 'practice', source: 'built-in', auth_mode: 'API_KEY', credentials: { apiKey: { secret: true } } },
    });
  });

  it('checks query, path and existence in that order', async () => {
    expect(await api.refusal('GET /providers/a%20b?x=1')).toMatchObject({ code: 'invalid_query_params' });
    expect(await api.refusal('GET /providers/a%20b')).toEqual({
      status: 400,
      code: 'invalid_uri_params',
      issues: ['invalid_format provider'],
    });
    expect(await api.refusal('GET /providers/none')).toEqual({ status: 404, code: 'not_found' });
  });

  it.each(['constructor', '__proto__', 'toString'])('knows no provider called %s', async (name) => {
    expect(await api.refusal(`GET /providers/${name}`)).toEqual({ status: 404, code: 'not_found' });
  });
});

describe('GET /providers.json', () => {
  it('is the whole catalogue by key, open to functions', async () => {
    const { status, body } = await api.send('GET /providers.json', { headers: { authorization: undefined } });

    expect(status).toBe(200);
    expect(body).toMatchObject({ practice: { auth_mode: 'API_KEY' }, github: { auth_mode: 'OAUTH2' } });
  });
});

describe('GET /environment-variables', () => {
  it('answers a bare array and takes neither query nor body', async () => {
    const { status, body } = await api.send('GET /environment-variables');

    expect([status, body]).toEqual([200, []]);
    expect(await api.refusal('GET /environment-variables?a=1')).toMatchObject({ code: 'invalid_query_params' });
    expect(await api.refusal('GET /environment-variables', { body: { a: 1 } })).toMatchObject({ code: 'invalid_body' });
    expect((await api.send('GET /environment-variables', { body: {} })).status).toBe(200);
  });
});
