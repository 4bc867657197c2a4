import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { actionSource } from '../../support/server-workspace.ts';

const FILES = {
  // Sends the requests in the input and returns the responses.
  'actions/send.ts': actionSource(`
    const { data, status, statusText, headers } = await nango[input.verb](input.config);
    return { data, status, statusText, headers };`),
  'actions/caught.ts': actionSource(`
    try {
      await nango.proxy(input.config);
    } catch (error) {
      return {
        isError: error instanceof Error, name: error.name, message: error.message, code: error.code,
        own: Object.keys(error).sort(), hasResponse: 'response' in error, hasStatus: 'status' in error,
        status: error.status, response: error.response && { status: error.response.status, data: error.response.data,
          type: error.response.headers['content-type'] },
        method: error.config?.method, url: error.config?.url, sent: error.config?.data ?? null,
        again: error.response?.config === error.config,
      };
    }`),
  'actions/bytes.ts': actionSource(`
    const { data } = await nango.get({ endpoint: '/bytes', responseType: 'arraybuffer' });
    await nango.post({ endpoint: '/upload', data: Buffer.concat([data, Buffer.from([0, 255])]),
      headers: { 'Content-Type': 'application/octet-stream' } });
    return { isBuffer: Buffer.isBuffer(data), hex: data.toString('hex'), base64: data.toString('base64') };`),
  'actions/forms.ts': actionSource(`
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    await nango.post({ endpoint: '/form', data: new URLSearchParams({ a: '1 2', b: 'ä&' }).toString(), headers: form });
    await nango.post({ endpoint: '/form', data: new URLSearchParams([['a', '1'], ['a', '2']]) });
    await nango.post({ endpoint: '/form', data: { a: 1, b: 'x y' }, headers: form });
    await nango.post({ endpoint: '/form', data: { file: Buffer.from('abc'), note: 'hi' }, headers: { 'Content-Type': 'multipart/form-data' } });
    await nango.post({ endpoint: '/form', data: 'plain', headers: { 'Content-Type': 'text/plain' } });
    await nango.post({ endpoint: '/form', data: [1, { a: null }] });`),
};

let hub: FunctionHub;

beforeAll(async () => {
  hub = await startFunctionHub(FILES);
  hub.provider
    .on('GET /bytes', { body: Buffer.from([0, 1, 128, 255]), headers: { 'content-type': 'application/octet-stream' } })
    .on('POST /upload', { body: {} })
    .on('POST /form', { body: {} })
    .on('GET /nothing', { status: 204 })
    .on('GET /text', { body: 'no JSON', headers: { 'content-type': 'application/json' } })
    .on('GET /json-as-text', { body: '{"a":1}', headers: { 'content-type': 'text/plain', 'X-Next-Page': '2' } })
    .on('GET /missing', { status: 404, body: { reason: 'gone' } })
    .on('GET /cut', { drop: true });
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    hub.provider.on(`${method} /mirror`, (request) => ({
      body: { method: request.method, url: request.url, headers: request.headers, text: request.body.toString() },
    }));
  }
});
afterAll(() => hub?.stop());

// biome-ignore lint/suspicious/noExplicitAny: the response of the mirror
async function mirrored(verb: string, config: Record<string, unknown>): Promise<any> {
  const { status, body } = await hub.action('send', { verb, config: { endpoint: '/mirror', ...config } });
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 200, statusText: 'OK' } });
  return body.data;
}

describe('requests of a function', () => {
  it.each([
    ['get', 'GET'],
    ['post', 'POST'],
    ['put', 'PUT'],
    ['patch', 'PATCH'],
    ['delete', 'DELETE'],
  ])('nango.%s sends %s with the credentials', async (verb, method) => {
    const seen = await mirrored(verb, { data: { a: 1 }, method: 'PURGE' });

    expect(seen).toMatchObject({ method, headers: { authorization: 'Bearer acme-key' } });
    expect(seen.text).toBe(method === 'GET' ? '' : '{"a":1}');
    if (method !== 'GET') expect(seen.headers['content-type']).toMatch(/^application\/json/);
  });

  it('nango.proxy takes the method of the configuration, in any case', async () => {
    expect(await mirrored('proxy', {})).toMatchObject({ method: 'GET' });
    expect(await mirrored('proxy', { method: 'patch' })).toMatchObject({ method: 'PATCH' });
  });

  it('writes params over the query of the endpoint, joins arrays, keeps null as a word', async () => {
    const seen = await mirrored('get', {
      endpoint: '/mirror?a=1&keep=yes',
      params: { a: 2, list: ['x', 'y'], nothing: null, flag: false },
    });

    const query = new URL(seen.url, 'http://x').searchParams;
    expect(Object.fromEntries(query)).toEqual({ a: '2', keep: 'yes', list: 'x,y', nothing: 'null', flag: 'false' });
  });

  it('appends params that are a text', async () => {
    expect(await mirrored('get', { params: '?a=1&a=2' })).toMatchObject({ url: '/mirror?a=1&a=2' });
  });

  it('refuses text params on an endpoint with a query', async () => {
    const { status, body } = await hub.action('send', {
      verb: 'get',
      config: { endpoint: '/mirror?x=1', params: 'a=1' },
    });

    expect(status).toBe(500);
    expect(body.error).toMatchObject({ code: 'script_internal_error', payload: { code: 'invalid_query_params' } });
  });

  it('lower-cases headers and lets them override those of the provider', async () => {
    const seen = await mirrored('get', { headers: { Authorization: 'Mine', 'X-Own': 'a', 'X-None': undefined } });

    expect(seen.headers).toMatchObject({ authorization: 'Mine', 'x-own': 'a' });
    expect(seen.headers).not.toHaveProperty('x-none');
  });

  it('reads an empty answer as an empty text, JSON of any type as data, other text as it is', async () => {
    const read = async (config: Record<string, unknown>): Promise<unknown> =>
      (await hub.action('send', { verb: 'get', config })).body.data;

    expect(await read({ endpoint: '/nothing' })).toBe('');
    expect(await read({ endpoint: '/text' })).toBe('no JSON');
    expect(await read({ endpoint: '/json-as-text' })).toEqual({ a: 1 });
    for (const responseType of ['text', 'blob', 'document'])
      expect(await read({ endpoint: '/json-as-text', responseType })).toBe('{"a":1}');
    expect(await read({ endpoint: '/json-as-text', responseType: 'json' })).toEqual({ a: 1 });
    expect(await read({ endpoint: '/text', responseType: 'json' })).toBe('no JSON');
  });

  it('gives headers as a plain object with lower-case names', async () => {
    const { body } = await hub.action('send', { verb: 'get', config: { endpoint: '/json-as-text' } });

    expect(body.headers).toMatchObject({ 'x-next-page': '2', 'content-type': 'text/plain' });
  });

  it('throws an axios-like error for an answer outside 2xx', async () => {
    const { body } = await hub.action('caught', { config: { endpoint: '/missing' } });

    expect(body).toMatchObject({
      isError: true,
      name: 'AxiosError',
      message: 'Request failed with status code 404',
      code: 'ERR_BAD_REQUEST',
      hasResponse: true,
      hasStatus: true,
      status: 404,
      method: 'GET',
      response: { status: 404, data: { reason: 'gone' }, type: 'application/json' },
      sent: null,
      again: true,
    });
    expect(body.url).toContain('/missing');
    expect(body.own).toEqual(['code', 'config', 'isAxiosError', 'response', 'status']);
  });

  it.each([
    ['GET', 500, 'ERR_BAD_RESPONSE'],
    ['POST', 422, 'ERR_BAD_REQUEST'],
    ['PATCH', 304, 'ERR_BAD_REQUEST'],
  ])('names the error of a %s answered %d, and repeats what was sent', async (method, status, code) => {
    hub.provider.on(`${method} /refused`, { status, body: status === 304 ? undefined : { ok: false } });

    const { body } = await hub.action('caught', { config: { method, endpoint: '/refused', data: { a: [1] } } });

    expect(body).toMatchObject({ code, status, sent: method === 'GET' ? null : '{"a":[1]}' });
  });

  it('gives the refusal of a request for bytes as bytes', async () => {
    const { body } = await hub.action('caught', { config: { endpoint: '/missing', responseType: 'arraybuffer' } });

    expect(Buffer.from(body.response.data.data).toString()).toBe('{"reason":"gone"}');
    expect(
      await hub.action('send', { verb: 'get', config: { endpoint: '/missing', responseType: 'arraybuffer' } }),
    ).toMatchObject({
      status: 424,
      body: { error: { code: 'script_http_error', payload: { reason: 'gone' } } },
    });
  });

  it('refuses a stream, and says what to ask for instead', async () => {
    const { status, body } = await hub.action('send', {
      verb: 'get',
      config: { endpoint: '/x', responseType: 'stream' },
    });

    expect([status, body.error.payload.message]).toEqual([500, expect.stringContaining("'arraybuffer'")]);
  });

  it('throws an error without a response when the provider cuts the connection', async () => {
    const { body } = await hub.action('caught', { config: { endpoint: '/cut' } });

    expect(body).toMatchObject({ isError: true, name: 'AxiosError', hasResponse: false, hasStatus: false });
    expect(body.code).toBe('ECONNRESET');
  });

  it('retries the requested number of times and waits as long as the provider says', async () => {
    let left = 2;
    hub.provider.on('GET /flaky', () =>
      left-- > 0 ? { status: 503, headers: { 'retry-after': '1' } } : { body: 'fine' },
    );

    const { body } = await hub.action('send', { verb: 'get', config: { endpoint: '/flaky', retries: 2 } });

    expect(body.data).toBe('fine');
    expect(hub.provider.requestsTo('/flaky')).toHaveLength(3);
  });

  it('does not retry by itself, and retryOn adds statuses', async () => {
    hub.provider.on('GET /never', { status: 500 });
    let isFirst = true;
    hub.provider.on('GET /eventually', () => {
      const status = isFirst ? 404 : 200;
      isFirst = false;
      return { status, headers: { 'retry-after': '1' } };
    });

    await hub.action('caught', { config: { endpoint: '/never' } });
    const { body } = await hub.action('send', {
      verb: 'get',
      config: { endpoint: '/eventually', retries: 1, retryOn: [404] },
    });

    expect(hub.provider.requestsTo('/never')).toHaveLength(1);
    expect(body.status).toBe(200);
  });
});

describe('where a request goes', () => {
  it('to another connection, with its own credentials', async () => {
    await hub.addConnection('c2', { credentials: { type: 'API_KEY', apiKey: 'second-key' } });

    const seen = await mirrored('get', { providerConfigKey: 'acme', connectionId: 'c2' });
    const unknown = await hub.action('send', { verb: 'get', config: { endpoint: '/mirror', connectionId: 'none' } });

    expect(seen.headers.authorization).toBe('Bearer second-key');
    expect(unknown.body.error).toMatchObject({ code: 'script_internal_error', payload: { code: 'server_error' } });
  });

  it('to an override of the base address, or below the own one when the endpoint repeats it', async () => {
    const { address } = hub.provider;

    expect(await mirrored('get', { baseUrlOverride: `${address}/` })).toMatchObject({ url: '/mirror' });
    expect(await mirrored('get', { endpoint: `${address}/mirror?a=1` })).toMatchObject({ url: '/mirror?a=1' });
  });

  it('along redirects, with GET after a POST, and only to trusted hosts', async () => {
    hub.provider
      .on('POST /moved', { status: 302, headers: { location: '/mirror?moved=yes' } })
      .on('PUT /moved', { status: 307, headers: { location: '/mirror?kept=yes' } })
      .on('GET /away', { status: 302, headers: { location: 'http://10.0.0.1/' } })
      .on('GET /circle', { status: 302, headers: { location: '/circle' } });

    expect(await mirrored('post', { endpoint: '/moved', data: { a: 1 } })).toMatchObject({
      method: 'GET',
      url: '/mirror?moved=yes',
      text: '',
    });
    expect(await mirrored('put', { endpoint: '/moved', data: { a: 1 } })).toMatchObject({
      method: 'PUT',
      text: '{"a":1}',
    });
    const away = await hub.action('send', { verb: 'get', config: { endpoint: '/away' } });
    expect(away.body.error.payload.code).toBe('proxy_redirect_to_denied_host');
    const { body } = await hub.action('caught', { config: { endpoint: '/circle' } });
    expect(body).toMatchObject({ code: 'ERR_TOO_MANY_REDIRECTS', hasResponse: false });
    expect(hub.provider.requestsTo('/circle')).toHaveLength(6);
  });
});

describe('further attempts', () => {
  it('wait as the header says that the function names', async () => {
    let left = 1;
    hub.provider.on('GET /patience', () =>
      left-- > 0 ? { status: 429, headers: { 'x-wait': '0', 'retry-after': '600' } } : { body: 'fine' },
    );

    const config = { endpoint: '/patience', retries: 1, retryHeader: { after: 'X-Wait' } };
    expect((await hub.action('send', { verb: 'get', config })).body.data).toBe('fine');
  });

  it('follow a broken connection, and end when they are used up', async () => {
    const fast = { retries: 2, retryHeader: { after: 'x-wait' } };
    hub.provider.on('GET /broken', { status: 502, headers: { 'x-wait': '0' }, body: { n: 1 } });

    const { body } = await hub.action('caught', { config: { endpoint: '/broken', ...fast } });

    expect(body).toMatchObject({ status: 502, response: { data: { n: 1 } } });
    expect(hub.provider.requestsTo('/broken')).toHaveLength(3);
  });

  it('after a 401 are sent once with the same credentials, however many are left', async () => {
    hub.provider.on('GET /locked', { status: 401, headers: { 'x-wait': '0' }, body: {} });

    const config = { endpoint: '/locked', retries: 5, retryHeader: { after: 'x-wait' } };
    expect((await hub.action('caught', { config })).body).toMatchObject({ status: 401 });
    expect(hub.provider.requestsTo('/locked')).toHaveLength(2);
  });

  it('do not follow other refusals', async () => {
    hub.provider.on('GET /refused-once', { status: 409, body: {} });

    await hub.action('caught', { config: { endpoint: '/refused-once', retries: 3 } });

    expect(hub.provider.requestsTo('/refused-once')).toHaveLength(1);
  });
});

describe('bodies', () => {
  it('keeps bytes in both directions', async () => {
    const { body } = await hub.action('bytes');

    expect(body).toEqual({ isBuffer: true, hex: '000180ff', base64: 'AAGA/w==' });
    expect(hub.provider.requestsTo('/upload')[0]?.body.toString('hex')).toBe('000180ff00ff');
  });

  it('encodes forms, multipart, text and lists', async () => {
    const { status } = await hub.action('forms');

    const sent = hub.provider
      .requestsTo('/form')
      .map(({ body, headers }) => [headers['content-type'], body.toString()]);
    expect(status).toBe(200);
    expect(sent[0]).toEqual(['application/x-www-form-urlencoded', 'a=1+2&b=%C3%A4%26']);
    expect(sent[1]).toEqual([expect.stringMatching(/^application\/x-www-form-urlencoded/), 'a=1&a=2']);
    expect(sent[2]).toEqual(['application/x-www-form-urlencoded', 'a=1&b=x+y']);
    expect(sent[3]?.[0]).toMatch(/^multipart\/form-data; ?boundary=/);
    expect(sent[3]?.[1]).toMatch(/name="file"[\s\S]*abc[\s\S]*name="note"[\s\S]*hi/);
    expect(sent[4]).toEqual(['text/plain', 'plain']);
    expect(sent[5]).toEqual([expect.stringMatching(/^application\/json/), '[1,{"a":null}]']);
  });
});
