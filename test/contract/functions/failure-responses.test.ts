import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, type HubResponse, startFunctionHub } from '../../support/function-hub.ts';
import { actionSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';

const FILES = {
  'actions/echo.ts': actionSource(`return input;`),
  'actions/nothing.ts': actionSource(``),
  'actions/action-error.ts': actionSource(`throw new nango.ActionError(...input.args);`),
  'actions/unwritable.ts': actionSource(`
    const payload = { reason: 'kept', id: 12345678901234567890n };
    payload.own = payload;
    throw input.plain ? payload : new nango.ActionError(payload);`),
  'actions/throws.ts': actionSource(`
    const thrown = {
      error: () => Object.assign(new TypeError('went wrong\\nsecond line'), { code: 'E_MINE' }),
      text: () => 'just text', number: () => 7, object: () => ({ reason: 'x' }), named: () => ({ name: 'Odd', message: 'm', code: 'c' }),
      nothing: () => undefined,
    };
    throw thrown[input.kind]();`),
  'helpers/calculator.ts': `/** Nothing of these lines is in the bundle. */
interface Numbers { a: number; b: number }

export class Calculator {
  divide({ b }: Numbers): number {
    throw new RangeError('no ' + b);
  }
}

// Compiling removes comments and types and moves lines.
export const half = (a: number): number => new Calculator().divide({ a, b: 2 });
`,
  'actions/deep.ts': `import { half } from '../helpers/calculator.js';\n${actionSource('return half(1);')}`,
  'actions/deep-request.ts': actionSource(`await nango.post({ endpoint: '/cut' });`),
  'actions/ask.ts': actionSource(`return (await nango.get(input)).data;`),
  'actions/large.ts': actionSource(`return 'x'.repeat(input.length);`),
  'actions/outputs.ts': actionSource(`
    const circle = {}; circle.own = circle;
    return { circle, big: 1n, bad: { toJSON() { throw new RangeError('no JSON of me'); } }, date: new Date(0), fn: () => 1,
      symbol: Symbol('x'), nan: Number.NaN, map: new Map([[1, 2]]), buffer: Buffer.from('hi'), error: new TypeError('lost') }[input];`),
  'actions/unseen.ts': actionSource(`
    void Promise.reject(new Error('nobody waits'));
    setTimeout(() => { throw new Error('later'); }, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return 'fine';`),
  'actions/typed.ts': actionSource(`return { input, more: true };`)
    .replace('input: z.any()', 'input: z.object({ n: z.number(), kind: z.string().default("a") })')
    .replace('output: z.any()', 'output: z.object({ done: z.boolean() })'),
  'actions/module.ts': actionSource(`return require(input.name);`),
  'actions/starved.ts': actionSource(`const all = []; for (;;) all.push(new Array(100000).fill(Math.random()));`),
};

let hub: FunctionHub;

beforeAll(async () => {
  hub = await startFunctionHub(FILES);
  hub.provider
    .on('GET /teapot', {
      status: 418,
      body: { reason: 'tea' },
      headers: { 'x-ratelimit-left': '0', 'x-rate-limit': '5', 'x-other': 'no' },
    })
    .on('GET /wrapped', { status: 422, body: { payload: { field: 'a' }, more: 1 } })
    .on('GET /plain', { status: 500, body: 'down', headers: { 'content-type': 'text/plain' } })
    .on('GET /list', { status: 400, body: [1, 2] })
    .on('GET /busy', { status: 429, body: { slow: true } })
    .on('POST /cut', { drop: true })
    .on('GET /cut', { drop: true });
});
afterAll(() => hub?.stop());

function short({ status, body }: HubResponse): unknown {
  return { status, body };
}

describe('input and output', () => {
  it.each([[undefined], [null], [0], [''], [false]])('gives {} for the input %j', async (input) => {
    expect(short(await hub.action('echo', input))).toEqual({ status: 200, body: {} });
  });

  it.each([['text'], [7], [[1, null]], [true], [{ a: { b: null } }]])('passes %j through', async (input) => {
    expect(short(await hub.action('echo', input))).toEqual({ status: 200, body: input });
  });

  it('checks neither against the schemas, and applies no defaults', async () => {
    expect(short(await hub.action('typed', { n: 'not a number', extra: 1 }))).toEqual({
      status: 200,
      body: { input: { n: 'not a number', extra: 1 }, more: true },
    });
  });

  it('answers null for no output, as JSON', async () => {
    const response = await hub.action('nothing');

    expect(short(response)).toEqual({ status: 200, body: null });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it.each([
    ['date', '1970-01-01T00:00:00.000Z'],
    ['fn', null],
    ['symbol', null],
    ['nan', null],
    ['map', {}],
    ['error', {}],
    ['buffer', { type: 'Buffer', data: [104, 105] }],
  ])('answers an output of another kind as JSON does: %s', async (kind, body) => {
    expect(short(await hub.action('outputs', kind))).toEqual({ status: 200, body });
  });

  it.each([
    ['circle', 'TypeError'],
    ['big', 'TypeError'],
    ['bad', 'RangeError'],
  ])('fails for an output that is no JSON: %s', async (kind, name) => {
    expect(await hub.action('outputs', kind)).toMatchObject({
      status: 500,
      body: { error: { code: 'script_internal_error', payload: { name, message: expect.any(String) } } },
    });
  });

  it('is not affected by errors that are not awaited', async () => {
    expect(short(await hub.action('unseen'))).toEqual({ status: 200, body: 'fine' });
  });

  it('accepts an output of exactly 2 MB and refuses one more byte', async () => {
    const most = 2 * 1024 * 1024 - 2;

    expect((await hub.action('large', { length: most })).status).toBe(200);
    const { status, body } = await hub.action('large', { length: most + 1 });
    expect({ status, code: body.error.code, name: body.error.payload.name }).toEqual({
      status: 500,
      code: 'script_internal_error',
      name: 'Error',
    });
  });
});

describe('ActionError', () => {
  it.each([
    ['an object', [{ field: 'a', list: [1] }], { field: 'a', list: [1] }],
    ['a text', ['why'], { message: 'why' }],
    ['a list', [[1, 2]], { message: [1, 2] }],
    ['nothing', [], {}],
  ])('with %s answers both envelopes', async (_what, args, payload) => {
    expect(short(await hub.action('action-error', { args }))).toEqual({
      status: 500,
      body: {
        error_type: 'action_script_failure',
        payload,
        error: { message: expect.any(String), code: 'action_script_runtime_error', payload, docs: expect.any(String) },
      },
    });
  });

  it('keeps what stands beside a cycle and a BigInt, thrown as an ActionError or not', async () => {
    const payload = { reason: 'kept', id: '12345678901234567890', own: '[Circular]' };

    expect((await hub.action('unwritable')).body).toMatchObject({ error_type: 'action_script_failure', payload });
    const { error } = (await hub.action('unwritable', { plain: true })).body;
    expect(JSON.parse(error.payload.message)).toEqual(payload);
  });

  it('hides an Authorization in the payload', async () => {
    const { body } = await hub.action('action-error', { args: [{ headers: { Authorization: 'Bearer top-secret' } }] });

    expect(JSON.stringify(body)).not.toContain('top-secret');
  });
});

describe('what a function throws', () => {
  it('an Error is described with the lines of its own file', async () => {
    const { status, body } = await hub.action('throws', { kind: 'error' });

    expect({ status, code: body.error.code, message: typeof body.error.message }).toEqual({
      status: 500,
      code: 'script_internal_error',
      message: 'string',
    });
    expect(body.error.payload).toEqual({
      name: 'TypeError',
      message: 'went wrong\nsecond line',
      code: 'E_MINE',
      stacktrace: expect.any(Array),
    });
    const [first, ...rest] = body.error.payload.stacktrace;
    expect(first).toBe('TypeError: went wrong');
    expect(rest.length).toBeGreaterThan(0);
    expect(rest.length).toBeLessThan(10);
    for (const line of rest) expect(line).toMatch(/^ +at .*acme\/actions\/throws\.ts:\d+:\d+\)?$/);
  });

  it('an Error points at its line of the source, through helpers and requests too', async () => {
    const { body } = await hub.action('deep');
    const answered = await hub.action('deep-request');

    const lines = body.error.payload.stacktrace.slice(1).map((line: string) => line.trim());
    expect(lines[0]).toBe('at Calculator.divide (acme/helpers/calculator.ts:6:11)');
    expect(lines[1]).toBe('at half (acme/helpers/calculator.ts:11:61)');
    expect(lines[2]).toMatch(/^at (Object\.)?exec \(acme\/actions\/deep\.ts:11:\d+\)$/);
    expect(answered.body.error.payload.stacktrace[1]).toMatch(/at .*exec \(acme\/actions\/deep-request\.ts:10:\d+\)$/);
  });

  it.each([
    ['text', { name: 'Error', message: '"just text"' }],
    ['number', { name: 'Error', message: '7' }],
    ['object', { name: 'Error', message: '{"reason":"x"}' }],
    ['named', { name: 'Odd', message: 'm', code: 'c' }],
  ])('something else (%s) too', async (kind, payload) => {
    const { status, body } = await hub.action('throws', { kind });

    expect({ status, code: body.error.code, payload: body.error.payload }).toEqual({
      status: 500,
      code: 'script_internal_error',
      payload,
    });
  });

  it('undefined too', async () => {
    expect(await hub.action('throws', { kind: 'nothing' })).toMatchObject({
      status: 500,
      body: { error: { code: 'script_internal_error', payload: { name: 'Error' } } },
    });
  });

  it('a module that is not allowed is named', async () => {
    expect(await hub.action('module', { name: 'fs' })).toMatchObject({
      status: 500,
      body: { error: { code: 'script_internal_error', payload: { message: "Module 'fs' is not allowed" } } },
    });
  });
});

describe('a provider that refuses, uncaught', () => {
  it('answers 424 with what the provider said', async () => {
    expect(short(await hub.action('ask', { endpoint: '/teapot' }))).toEqual({
      status: 424,
      body: {
        error: {
          code: 'script_http_error',
          docs: expect.any(String),
          payload: { reason: 'tea' },
          upstream: {
            status: 418,
            headers: { 'content-type': 'application/json', 'x-ratelimit-left': '0', 'x-rate-limit': '5' },
            body: { reason: 'tea' },
          },
        },
      },
    });
  });

  it.each([
    ['/wrapped', 422, { field: 'a' }],
    ['/plain', 500, { message: 'down' }],
    ['/list', 400, { message: [1, 2] }],
    ['/busy', 429, { slow: true }],
  ])('%s keeps the body an object', async (endpoint, upstream, payload) => {
    const { status, body } = await hub.action('ask', { endpoint });

    expect({
      status,
      code: body.error.code,
      payload: body.error.payload,
      upstream: body.error.upstream.status,
      body: body.error.upstream.body,
    }).toEqual({
      status: 424,
      code: 'script_http_error',
      payload,
      upstream,
      body: payload,
    });
  });

  it('answers 500 when there was no answer', async () => {
    const { status, body } = await hub.action('ask', { endpoint: '/cut' });

    expect({ status, code: body.error.code, message: typeof body.error.message }).toEqual({
      status: 500,
      code: 'script_network_error',
      message: 'string',
    });
    expect(body.error.payload).toMatchObject({
      name: expect.any(String),
      code: expect.any(String),
      message: expect.any(String),
    });
  });

  it.each([
    ['a refused override', { endpoint: '/x', baseUrlOverride: 'http://10.0.0.1' }, 'base_url_override_not_allowed'],
    ['no endpoint', {}, 'missing_api_url'],
  ])('answers 500 when the request could not be built: %s', async (_what, config, code) => {
    const { status, body } = await hub.action('ask', config);

    expect({ status, code: body.error.code, payload: body.error.payload }).toMatchObject({
      status: 500,
      code: 'script_internal_error',
      payload: { name: expect.any(String), code, message: expect.any(String) },
    });
  });
});

describe('a run that exhausts its memory', () => {
  it('fails at once', async () => {
    const { status, body } = await hub.action('starved');

    expect({ status, code: body.error.code, payload: body.error.payload }).toEqual({
      status: 500,
      code: 'function_runtime_out_of_memory',
      payload: {},
    });
  });
});

describe('POST /action/trigger', () => {
  const headers = { 'provider-config-key': 'acme', 'connection-id': 'c1' };

  it.each([
    ['no headers', { body: { action_name: 'echo' } }, 400, 'invalid_headers'],
    ['headers before query', { path: '/action/trigger?x=1', body: {} }, 400, 'invalid_headers'],
    ['a query', { path: '/action/trigger?x=1', headers, body: {} }, 400, 'invalid_query_params'],
    ['no body', { headers }, 400, 'invalid_body'],
    ['a bad name', { headers, body: { action_name: 'a b' } }, 400, 'invalid_body'],
    [
      'bad retries',
      { headers: { ...headers, 'x-max-retries': '6' }, body: { action_name: 'echo' } },
      400,
      'invalid_headers',
    ],
    [
      'a bad x-async',
      { headers: { ...headers, 'x-async': 'maybe' }, body: { action_name: 'echo' } },
      400,
      'invalid_headers',
    ],
    [
      'an unknown integration',
      { headers: { ...headers, 'provider-config-key': 'none' }, body: { action_name: 'echo' } },
      400,
      'unknown_provider',
    ],
    [
      'a connection that no integration has',
      { headers: { 'provider-config-key': 'none', 'connection-id': 'none' }, body: { action_name: 'echo' } },
      400,
      'unknown_connection',
    ],
    [
      'an unknown connection',
      { headers: { ...headers, 'connection-id': 'none' }, body: { action_name: 'echo' } },
      400,
      'unknown_connection',
    ],
    ['an unknown action', { headers, body: { action_name: 'none' } }, 404, 'not_found'],
  ])(
    'refuses %s',
    async (_what, request: { path?: string; headers?: Record<string, string>; body?: unknown }, status, code) => {
      const response = await hub.call('POST', request.path ?? '/action/trigger', request);

      expect({ status: response.status, code: response.body.error.code }).toEqual({
        status,
        code: expect.stringMatching(`^(${code})$`),
      });
    },
  );

  it('lets further members of the body pass', async () => {
    const { status } = await hub.call('POST', '/action/trigger', {
      headers,
      body: { action_name: 'echo', input: {}, more: 1 },
    });

    expect(status).toBe(200);
  });
});

describe('asynchronous actions', () => {
  async function responseOf(id: string): Promise<HubResponse> {
    return waitFor(async () => {
      const response = await hub.call('GET', `/action/${id}`);
      return response.body?.error?.code === 'not_found' ? undefined : response;
    });
  }

  it('answers 202 with an id and a relative address, then the output', async () => {
    const { status, body, headers } = await hub.action('echo', { a: 1 }, { 'x-async': 'TRUE' });

    expect({ status, body }).toEqual({
      status: 202,
      body: { id: expect.any(String), statusUrl: `/action/${body.id}` },
    });
    expect(headers.get('location')).toBe(`/action/${body.id}`);
    expect(short(await responseOf(body.id))).toEqual({ status: 200, body: { a: 1 } });
    expect(short(await responseOf(body.id))).toEqual({ status: 200, body: { a: 1 } });
  });

  it('answers a failure as a synchronous call would', async () => {
    const { body } = await hub.action('ask', { endpoint: '/teapot' }, { 'x-async': '1' });
    const failed = await responseOf(body.id);
    const direct = await hub.action('ask', { endpoint: '/teapot' });

    expect(short(failed)).toEqual(short(direct));
  });

  it('runs again as often as X-Max-Retries says, after any failure', async () => {
    let calls = 0;
    hub.provider.on('GET /third-time', () => (++calls < 3 ? { status: 400, body: {} } : { body: { calls } }));

    const { body } = await hub.action('ask', { endpoint: '/third-time' }, { 'x-async': 'true', 'x-max-retries': '5' });

    expect(short(await responseOf(body.id))).toEqual({ status: 200, body: { calls: 3 } });
    expect(hub.provider.requestsTo('/third-time')).toHaveLength(3);
  });

  it('refuses at once what a synchronous call would refuse', async () => {
    expect(await hub.action('none', {}, { 'x-async': 'true' })).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  });

  it('runs one at a time, in order', async () => {
    const order: string[] = [];
    let running = 0;
    hub.provider.on('GET /order', async ({ url }) => {
      order.push(url.slice(-1));
      expect(++running).toBe(1);
      await new Promise(setImmediate);
      running -= 1;
      return { body: {} };
    });

    const ids = [];
    for (const n of [1, 2, 3, 4])
      ids.push((await hub.action('ask', { endpoint: `/order?n=${n}` }, { 'x-async': 'true' })).body.id);
    for (const id of ids) await responseOf(id);

    expect(order).toEqual(['1', '2', '3', '4']);
  });

  it('finds neither a foreign id nor an invalid one', async () => {
    expect(await hub.call('GET', '/action/0b0f1f5e-7c0a-4c4e-8f43-2b7e5a0a9d11')).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
    expect(await hub.call('GET', '/action/nonsense')).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_uri_params' } },
    });
    expect(await hub.call('GET', '/action/0b0f1f5e-7c0a-4c4e-8f43-2b7e5a0a9d11?x=1')).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_query_params' } },
    });
  });
});
