import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { actionSource, syncSource } from '../../support/server-workspace.ts';
import { ApiCaller } from './api-caller.ts';

const ON_EVENT = `import { createOnEvent } from 'homeport';

export default createOnEvent({
  description: 'Written by a test',
  version: '1.0.0',
  event: 'pre-connection-deletion',
  exec: async () => {},
});
`;

let hub: FunctionHub;
let api: ApiCaller;

beforeAll(async () => {
  hub = await startFunctionHub({
    'actions/greet.ts': actionSource('return input;'),
    'actions/shared.ts': actionSource('return 1;'),
    'syncs/items.ts': syncSource('await nango.log(1);'),
    'on-events/shared.ts': ON_EVENT,
  });
  api = new ApiCaller(hub.server);
});
afterAll(() => hub?.stop());

interface Listed {
  data: Array<Record<string, unknown>>;
  pagination: unknown;
}

async function list(query = ''): Promise<Listed> {
  const { status, body } = await api.send(`GET /integrations/acme/functions${query}`);
  expect(status).toBe(200);
  return body as Listed;
}

const names = async (query: string): Promise<unknown[]> =>
  (await list(query)).data.map((one) => `${one['type']}/${one['name']}`);

const deployed = {
  id: expect.any(Number),
  enabled: true,
  last_deployed: expect.stringMatching(/^\d{4}-.*Z$/),
  source: 'repo',
};

describe('GET /integrations/{k}/functions', () => {
  it('lists live functions, with the whole description of each', async () => {
    const { data, pagination } = await list();

    expect(pagination).toEqual({ total: 4, page: 0, limit: 20 });
    expect(data.find((one) => one['name'] === 'greet')).toEqual({
      ...deployed,
      name: 'greet',
      description: 'Written by a test',
      type: 'action',
      input: expect.any(String),
      returns: [expect.any(String)],
      json_schema: expect.any(Object),
    });
    expect(data.find((one) => one['name'] === 'items')).toEqual({
      ...deployed,
      name: 'items',
      description: 'Written by a test',
      type: 'sync',
      returns: ['Item'],
      json_schema: expect.any(Object),
      runs: 'every day',
      auto_start: false,
      track_deletes: false,
    });
    expect(data.find((one) => one['type'] === 'on-event')).toEqual({
      ...deployed,
      name: 'shared',
      description: 'Written by a test',
      type: 'on-event',
      event: 'pre-connection-deletion',
    });
  });

  it.each([
    ['?type=action', ['action/greet', 'action/shared']],
    ['?type=on-event', ['on-event/shared']],
    ['?search=%20GREE%20', ['action/greet']],
    ['?search=nothing', []],
    ['?type=action&limit=1', ['action/greet']],
    ['?type=action&limit=1&page=1', ['action/shared']],
    ['?page=9', []],
  ])('answers %s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it('counts all of what it pages', async () => {
    expect((await list('?type=action&limit=1&page=1')).pagination).toEqual({ total: 2, page: 1, limit: 1 });
  });

  it.each(['?type=other', '?search=', '?search=%20', '?page=-1', '?limit=0', '?limit=101', '?other=1'])(
    'refuses %s',
    async (query) => {
      expect(await api.refusal(`GET /integrations/acme/functions${query}`)).toMatchObject({
        status: 400,
        code: 'invalid_query_params',
      });
    },
  );
});

describe('GET /integrations/{k}/functions/{name}', () => {
  it('answers with one function', async () => {
    const { status, body } = await api.send('GET /integrations/acme/functions/items');

    expect([status, body]).toEqual([
      200,
      { data: expect.objectContaining({ ...deployed, name: 'items', type: 'sync' }) },
    ]);
  });

  it('tells functions of one name apart by type', async () => {
    const { body } = await api.send('GET /integrations/acme/functions/shared?type=on-event');

    expect(body).toMatchObject({ data: { type: 'on-event' } });
  });
});

describe('GET /integrations/{k}/functions/{name}/code', () => {
  it('answers with the TypeScript that is live', async () => {
    const { status, body } = await api.send('GET /integrations/acme/functions/greet/code');

    expect([status, body]).toEqual([200, { type: 'action', code: actionSource('return input;') }]);
  });

  it('asks which one is meant', async () => {
    const { status, body } = await api.send('GET /integrations/acme/functions/shared/code');

    expect(status).toBe(409);
    expect(body).toMatchObject({
      error: {
        code: 'ambiguous_function',
        payload: {
          matches: expect.arrayContaining([
            { type: 'action', name: 'shared' },
            { type: 'on-event', name: 'shared' },
          ]),
        },
      },
    });
    const { body: named } = await api.send('GET /integrations/acme/functions/shared/code?type=on-event');
    expect(named).toEqual({ type: 'on-event', code: ON_EVENT });
  });
});

describe('DELETE /integrations/{k}/functions/{name}', () => {
  it('leaves files of the workspace to their author', async () => {
    expect(await api.refusal('DELETE /integrations/acme/functions/greet?type=action')).toEqual({
      status: 400,
      code: 'function_managed_by_deploy',
    });
    expect(await names('?search=greet')).toEqual(['action/greet']);
  });

  it('wants the type', async () => {
    for (const query of ['', '?type=on-event']) {
      expect(await api.refusal(`DELETE /integrations/acme/functions/greet${query}`)).toMatchObject({
        code: 'invalid_query_params',
      });
    }
  });
});

it.each([
  'GET /integrations/none/functions',
  'GET /integrations/none/functions/greet',
  'GET /integrations/acme/functions/none',
  'GET /integrations/acme/functions/greet?type=sync',
  'GET /integrations/acme/functions/none/code',
  'DELETE /integrations/acme/functions/greet?type=sync',
])('%s is not found', async (route) => {
  expect(await api.refusal(route)).toEqual({ status: 404, code: 'not_found' });
});

it('checks the path', async () => {
  expect(await api.refusal('GET /integrations/acme/functions/a.b')).toEqual({
    status: 400,
    code: 'invalid_uri_params',
    issues: ['invalid_format name'],
  });
});

describe('GET /providers/{provider}/templates', () => {
  it('describes the shipped functions, actions first', async () => {
    const { status, body } = await api.send('GET /providers/practice/templates');

    const { data } = body as { data: Array<Record<string, unknown>> };
    expect(status).toBe(200);
    expect(data.map((one) => `${one['type']}/${one['name']}`)).toEqual([
      'action/close-issue',
      'action/create-issue',
      'sync/fetch-issues',
      'sync/fetch-users',
    ]);
    expect(data[2]).toEqual({
      name: 'fetch-issues',
      description: expect.any(String),
      type: 'sync',
      returns: ['Issue'],
      json_schema: { definitions: expect.objectContaining({ Issue: expect.any(Object) }) },
      runs: 'every hour',
      auto_start: true,
      track_deletes: false,
    });
  });

  it('has those of the practice provider for each way of signing in to it', async () => {
    const namesOf = async (provider: string): Promise<unknown[]> => {
      const { body } = await api.send(`GET /providers/${provider}/templates`);
      return (body as { data: Array<{ name: string }> }).data.map(({ name }) => name);
    };

    const known = await namesOf('practice');
    expect(known).toContain('fetch-issues');
    for (const provider of ['practice-oauth2', 'practice-oauth1', 'practice-client-credentials'])
      expect(await namesOf(provider), provider).toEqual(known);
  });

  it('has none for other functions, known or not', async () => {
    for (const provider of ['anthropic', 'none']) {
      const { status, body } = await api.send(`GET /providers/${provider}/templates`);
      expect([status, body]).toEqual([200, { data: [] }]);
    }
  });

  it('checks query and path', async () => {
    expect(await api.refusal('GET /providers/practice/templates?a=1')).toMatchObject({ code: 'invalid_query_params' });
    expect(await api.refusal('GET /providers/a%20b/templates')).toMatchObject({ code: 'invalid_uri_params' });
  });
});

describe('POST /integrations/quickstart', () => {
  it('says that there are no shared apps', async () => {
    const { status, body } = await api.send('POST /integrations/quickstart', {
      body: { provider: 'github', unique_key: 'github' },
    });

    expect([status, body]).toEqual([
      400,
      { error: { code: 'invalid_body', message: expect.any(String), docs: expect.any(String) } },
    ]);
  });
});
