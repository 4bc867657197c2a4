import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GuestHttpRequest } from '../../../functions/runtime/bridge.ts';
import { HostCallError } from '../../../server/platform/sandbox/host-call-error.ts';
import type { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import { actionCode, outputOf, runCode, startSandbox } from './sandbox-fixture.ts';

const CONFIG = { method: 'GET', url: 'https://api.acme.test/x', headers: {} };
const respond = (body: string | Uint8Array, headers = {}, status = 200) => ({
  status,
  statusText: 'OK',
  headers,
  body,
  config: CONFIG,
});

describe('requests of a function', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.stop());

  const sent = async (call: string): Promise<GuestHttpRequest> => {
    const { calls, outcome } = await runCode(sandbox, actionCode(`await ${call}`), {
      host: { 'http.request': () => respond('{}') },
    });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
    return calls[0]?.args as unknown as GuestHttpRequest;
  };
  const data = (body: string | Uint8Array, call = 'nango.get({ endpoint: "/x" })', expression = 'r.data') =>
    outputOf(sandbox, `const r = await ${call}; return ${expression}`, {
      host: { 'http.request': () => respond(body) },
    });

  it.each(['get', 'post', 'put', 'patch', 'delete'])('%s forces its method', async (method) => {
    expect((await sent(`nango.${method}({ endpoint: "/x", method: "GET" })`)).method).toBe(method.toUpperCase());
  });

  it('says which addresses come from a response', async () => {
    const page = (link?: string) => ({
      status: 200,
      statusText: '',
      headers: link ? { link: `<${link}>; rel="next"` } : {},
      body: '[1]',
      config: { method: 'GET', url: '', headers: {} },
    });
    const links = ['https://other.test/b?p=2', '/c', 'https://author.test/d'];
    const body = `for await (const page of nango.paginate({ endpoint: '/a', baseUrlOverride: 'https://author.test/v1', paginate: { type: 'link', link_rel_in_response_header: 'next' } }));`;
    const { calls } = await runCode(sandbox, actionCode(body), { host: { 'http.request': () => page(links.shift()) } });

    expect(calls.map(({ args }) => [args['baseUrlOverride'], args['endpoint'], args['followsLink']])).toEqual([
      ['https://author.test/v1', '/a', undefined],
      ['https://other.test', '/b?p=2', true],
      ['https://other.test', '/c', true],
      ['https://author.test', '/d', undefined],
    ]);
  });

  it('proxy takes any method in any case and is GET by default', async () => {
    expect((await sent('nango.proxy({ endpoint: "/x" })')).method).toBe('GET');
    expect((await sent('nango.proxy({ endpoint: "/x", method: "pAtCh" })')).method).toBe('PATCH');
  });

  it('lower-cases headers and resolves params', async () => {
    const request = await sent(
      'nango.get({ endpoint: "/x", headers: { "X-A": 1, drop: undefined }, params: { a: [1, 2], b: undefined, c: null, d: 0 }, data: { never: 1 } })',
    );

    expect(request).toEqual({
      method: 'GET',
      endpoint: '/x',
      headers: { 'x-a': '1' },
      params: { a: '1,2', c: 'null', d: '0' },
      expect: 'text',
    });
  });

  it('hands on everything that steers retries and target', async () => {
    const request = await sent(
      'nango.get({ endpoint: "/x", retries: 3, retryOn: [404], retryHeader: { at: "x-at" }, baseUrlOverride: "https://b.test", decompress: "true", forwardHeadersOnRedirect: true, providerConfigKey: "k", connectionId: "c" })',
    );

    expect(request).toMatchObject({
      retries: 3,
      retryOn: [404],
      retryHeader: { at: 'x-at' },
      baseUrlOverride: 'https://b.test',
      decompress: true,
      forwardHeadersOnRedirect: true,
      providerConfigKey: 'k',
      connectionId: 'c',
    });
  });

  it.each([
    ['{ a: 1, b: undefined }', '', { kind: 'json', text: '{"a":1}' }],
    ['[1]', '', { kind: 'json', text: '[1]' }],
    ['"a=1"', '', { kind: 'form', text: 'a=1' }],
    ['"plain"', 'application/json', { kind: 'json', text: '"plain"' }],
    ['\'{"a":1}\'', 'application/json', { kind: 'json', text: '{"a":1}' }],
    ['"plain"', 'text/plain', { kind: 'text', text: 'plain' }],
    ['new URLSearchParams({ a: "b c" })', '', { kind: 'form', text: 'a=b+c' }],
    [
      '{ a: "b c", n: { m: 1 }, l: [1, 2] }',
      'application/x-www-form-urlencoded',
      { kind: 'form', text: 'a=b+c&n%5Bm%5D=1&l%5B%5D=1&l%5B%5D=2' },
    ],
    ['Buffer.from([1, 2, 255])', '', { kind: 'bytes', bytes: new Uint8Array([1, 2, 255]) }],
    ['new Uint8Array([0, 1, 2]).subarray(1)', '', { kind: 'bytes', bytes: new Uint8Array([1, 2]) }],
    ['""', '', undefined],
  ])('encodes the body %s with content type "%s"', async (value, type, expected) => {
    const request = await sent(
      `nango.post({ endpoint: "/x", data: ${value}, headers: ${type ? JSON.stringify({ 'Content-Type': type }) : '{}'} })`,
    );

    expect(request.body).toEqual(expected);
  });

  it('makes a part of each member of a multipart body and leaves the header to the host', async () => {
    const request = await sent(
      'nango.post({ endpoint: "/x", data: { a: "t", f: Buffer.from("b") }, headers: { "content-type": "multipart/form-data" } })',
    );

    expect(request.headers).toEqual({});
    expect(request.body).toEqual({
      kind: 'multipart',
      parts: [
        { name: 'a', text: 't' },
        { name: 'f', bytes: new Uint8Array([98]) },
      ],
    });
  });

  it('reads an answer as JSON when it is JSON, as text otherwise, as asked when asked', async () => {
    expect(await data('{"a":[1]}')).toEqual({ a: [1] });
    expect(await data('plain')).toBe('plain');
    expect(await data('')).toBe('');
    expect(await data('{"a":1}', 'nango.get({ endpoint: "/x", responseType: "text" })')).toBe('{"a":1}');
    expect(await data('{}', undefined, '[r.status, r.statusText, r.config.url, typeof r.request]')).toEqual([
      200,
      'OK',
      CONFIG.url,
      'object',
    ]);
  });

  it('keeps bytes as bytes both ways', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const call = 'nango.get({ endpoint: "/x", responseType: "arraybuffer" })';

    expect(await data(bytes, call, '[Buffer.isBuffer(r.data), r.data.length, r.data.toString("base64")]')).toEqual([
      true,
      256,
      Buffer.from(bytes).toString('base64'),
    ]);
  });

  it('refuses a stream', async () => {
    await expect(data('', 'nango.get({ endpoint: "/x", responseType: "stream" })')).rejects.toThrow('arraybuffer');
  });

  const rejecting = (wire: object) => ({
    host: {
      'http.request': () =>
        Promise.reject(
          new HostCallError({
            name: 'AxiosError',
            message: 'Request failed with status code 404',
            isAxiosError: true,
            ...wire,
          }),
        ),
    },
  });
  const notFound = {
    status: 404,
    code: 'ERR_BAD_REQUEST',
    config: CONFIG,
    response: { status: 404, statusText: 'Not Found', headers: { 'x-a': '1' }, body: '{"why":"gone"}' },
  };

  it('throws an axios-like error when the provider refused', async () => {
    const body = `try { await nango.get({ endpoint: "/x" }) } catch (e) {
      return { own: ['status' in e, 'response' in e], isError: e instanceof Error, name: e.name, message: e.message, code: e.code,
        status: e.status, axios: e.isAxiosError, data: e.response.data, headers: e.response.headers, url: e.config.url } }`;

    expect(await outputOf(sandbox, body, rejecting(notFound))).toEqual({
      own: [true, true],
      isError: true,
      name: 'AxiosError',
      message: 'Request failed with status code 404',
      code: 'ERR_BAD_REQUEST',
      status: 404,
      axios: true,
      data: { why: 'gone' },
      headers: { 'x-a': '1' },
      url: CONFIG.url,
    });
  });

  it('has no status and no response when there was no answer', async () => {
    const body =
      'try { await nango.get({ endpoint: "/x" }) } catch (e) { return ["status" in e, "response" in e, e.code] }';

    expect(await outputOf(sandbox, body, rejecting({ message: 'socket hang up', code: 'ECONNRESET' }))).toEqual([
      false,
      false,
      'ECONNRESET',
    ]);
  });

  it('carries an uncaught error back to the host, response included', async () => {
    const { outcome } = await runCode(sandbox, actionCode('await nango.get({ endpoint: "/x" })'), rejecting(notFound));

    expect(outcome).toMatchObject({
      ok: false,
      failure: {
        kind: 'thrown',
        error: {
          name: 'AxiosError',
          isAxiosError: true,
          status: 404,
          code: 'ERR_BAD_REQUEST',
          response: { status: 404, headers: { 'x-a': '1' }, body: '{"why":"gone"}' },
          stack: expect.stringMatching(/^ +at .*probe-acme\.cjs:1:\d+/),
        },
      },
    });
  });

  it.each([
    'await null; await Promise.all([nango.get({ endpoint: "/x" })])',
    'const ask = async () => {\n await nango.getConnection();\n await nango.post({ endpoint: "/x" }) }; await ask()',
    'for await (const page of nango.paginate({ endpoint: "/x", paginate: { type: "offset", offset_name_in_request: "o" } })) {}',
  ])('points at the line that asked: %s', async (body) => {
    const { host } = rejecting(notFound);
    const options = { host: { ...host, 'connection.get': () => ({}) } };
    const { outcome } = await runCode(sandbox, actionCode(body), options);

    expect(outcome).toMatchObject({ failure: { error: { stack: expect.stringContaining('probe-acme.cjs:') } } });
  });

  it('has many calls under way at once', async () => {
    // The first is answered when another one has come.
    const second = Promise.withResolvers<void>();
    let count = 0;
    const host = {
      'http.request': async () => {
        if (++count > 1) second.resolve();
        await second.promise;
        return respond('1');
      },
    };

    const body =
      'const all = await Promise.all(Array.from({ length: 300 }, () => nango.get({ endpoint: "/x" }))); return all.length';

    expect(await outputOf(sandbox, body, { host })).toBe(300);
  });

  it('offers a Response for an uncontrolled fetch', async () => {
    const host = {
      'http.uncontrolledFetch': () => ({
        status: 201,
        statusText: 'Created',
        headers: { 'content-type': 'text/x' },
        body: '{"a":1}',
        url: 'https://x.test/',
      }),
    };
    const body = `const fetch = () => nango.uncontrolledFetch({ url: new URL('https://x.test'), headers: { a: 'b' } });
      const r = await fetch(); const blob = await (await fetch()).blob(); const text = await r.text();
      return [r.ok, r.status, r.headers.get('Content-Type'), text, r.bodyUsed, await (await fetch()).json(), (await (await fetch()).arrayBuffer()).byteLength, blob.size, r.url]`;

    const { outcome, calls } = await runCode(sandbox, actionCode(body), { host });

    expect(outcome).toMatchObject({
      ok: true,
      output: JSON.stringify([true, 201, 'text/x', '{"a":1}', true, { a: 1 }, 7, 7, 'https://x.test/']),
    });
    expect(calls[0]?.args).toEqual({ url: 'https://x.test/', method: 'GET', headers: { a: 'b' }, body: null });
  });

  it('turns a refused uncontrolled fetch into an ActionError', async () => {
    const refusal = new HostCallError({ name: 'Error', message: 'not allowed', code: 'url_not_allowed' });
    const body =
      'try { await nango.uncontrolledFetch({ url: "http://10.0.0.1" }) } catch (e) { return [e instanceof nango.ActionError, e.payload] }';

    expect(
      await outputOf(sandbox, body, { host: { 'http.uncontrolledFetch': () => Promise.reject(refusal) } }),
    ).toEqual([true, { code: 'url_not_allowed', message: 'not allowed' }]);
  });
});
