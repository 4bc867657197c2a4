import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GuestHttpRequest } from '../../../functions/runtime/bridge.ts';
import type { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import { actionCode, outputOf, runCode, startSandbox } from './sandbox-fixture.ts';

interface Page {
  body: unknown;
  headers?: Record<string, string>;
}

describe('pagination', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.stop());

  /** Collects every page, the calls of on_page, and the requests; `config` is source text. */
  const walk = async (config: string, pages: Page[], paginateDefaults: Record<string, unknown> | null = null) => {
    const body = `const config = ${config}; const events = [];
      config.paginate = config.paginate && { on_page: async ({ nextPageParam, response }) => { events.push(['on', nextPageParam ?? null, response.status]) }, ...config.paginate };
      for await (const page of nango.paginate(config)) events.push(['page', page ?? null]);
      return { events, params: config.params ?? null, data: config.data ?? null };`;
    const left = [...pages];
    const { outcome, calls, logs } = await runCode(sandbox, actionCode(body), {
      context: { paginateDefaults },
      host: {
        'http.request': () => {
          const page = left.shift();
          if (!page) throw new Error('one page too many');
          return {
            status: 200,
            statusText: 'OK',
            headers: page.headers ?? {},
            body: JSON.stringify(page.body),
            config: { method: 'GET', url: '', headers: {} },
          };
        },
      },
    });
    if (!outcome.ok)
      throw new Error(outcome.failure.kind === 'thrown' ? outcome.failure.error.message : outcome.failure.kind);
    const requests = calls.map(({ args }) => args as GuestHttpRequest);
    return { ...JSON.parse(outcome.output), hints: logs.map((entry) => JSON.stringify(entry)), requests };
  };

  const cursor = `paginate: { type: 'cursor', cursor_path_in_response: 'meta.next', cursor_name_in_request: 'cursor', response_path: 'items', limit: 2, limit_name_in_request: 'limit' }`;

  it('follows a cursor, keeps 0, trims text and ends at an empty one', async () => {
    const { events, requests, params } = await walk(`{ endpoint: '/x', params: { a: 1 }, ${cursor} }`, [
      { body: { items: [1, 2], meta: { next: 0 } } },
      { body: { items: [3], meta: { next: ' c ' } } },
      { body: { items: [4], meta: { next: ' ' } } },
    ]);

    expect(events).toEqual([
      ['page', [1, 2]],
      ['on', 0, 200],
      ['page', [3]],
      ['on', 'c', 200],
      ['page', [4]],
      ['on', null, 200],
    ]);
    expect(requests.map((request: GuestHttpRequest) => request.params)).toEqual([
      { a: '1', limit: '2' },
      { a: '1', limit: '2', cursor: '0' },
      { a: '1', limit: '2', cursor: 'c' },
    ]);
    expect(params).toEqual({ a: 1, limit: 2, cursor: 'c' });
  });

  it('ends a cursor at an empty page without telling on_page', async () => {
    const { events } = await walk(`{ endpoint: '/x', ${cursor} }`, [
      { body: { items: [1], meta: { next: 'n' } } },
      { body: { items: [], meta: { next: 'm' } } },
    ]);

    expect(events).toEqual([
      ['page', [1]],
      ['on', 'n', 200],
    ]);
  });

  it('says in the log when the answer has nothing at response_path, which would look like no data', async () => {
    const labels = { body: { labels: [{ id: 1 }], page: 1 } };
    const offset = `paginate: { type: 'offset', offset_name_in_request: 'offset', response_path: 'items' }`;

    for (const settings of [cursor, offset]) {
      const { events, hints } = await walk(`{ endpoint: '/x', ${settings} }`, [labels]);
      expect(events).toEqual([]);
      expect(hints).toEqual([
        expect.stringContaining("no list at response_path 'items'; the answer has: labels, page"),
      ]);
      expect((await walk(`{ endpoint: '/x', ${settings} }`, [{ body: { items: [] } }])).hints).toEqual([]);
    }
  });

  it('writes into the body of a POST, expanding names with dots', async () => {
    const { requests, data } = await walk(
      `{ endpoint: '/x', method: 'POST', data: { q: 1 }, paginate: { type: 'cursor', cursor_path_in_response: 'next', cursor_name_in_request: 'page.cursor', limit: 5, limit_name_in_request: 'page.size', response_path: 'd[0].items' } }`,
      [{ body: { d: [{ items: [1] }], next: 7 } }, { body: { d: [{ items: [2] }] } }],
    );

    expect(
      requests.map((request: GuestHttpRequest) =>
        request.body?.kind === 'json' ? JSON.parse(request.body.text) : undefined,
      ),
    ).toEqual([
      { q: 1, page: { size: 5 } },
      { q: 1, page: { size: 5, cursor: 7 } },
    ]);
    expect(data).toEqual({ q: 1, 'page.size': 5, 'page.cursor': 7 });
  });

  it('puts parameters where in_body of the call says', async () => {
    const { requests } = await walk(
      `{ endpoint: '/x', method: 'POST', paginate: { type: 'offset', offset_name_in_request: 'o', in_body: false } }`,
      [{ body: [] }],
    );

    expect(requests[0]).toMatchObject({ params: { o: '0' } });
    expect(requests[0]?.body).toBeUndefined();
  });

  it('follows the link header, then the body, and drops params once it has a link', async () => {
    const config = `{ endpoint: '/x', params: { a: 1 }, paginate: { type: 'link', link_rel_in_response_header: 'next', link_path_in_response_body: 'links.next', response_path: 'items' } }`;
    const { events, requests } = await walk(config, [
      {
        body: { items: [1] },
        headers: { link: '<https://api.acme.test/v1/x?p=2>; rel="next", <https://api.acme.test/x>; rel="prev"' },
      },
      { body: { items: [], links: { next: '/x?p=3' } } },
      { body: { other: 1, links: { next: '/x?p=3' } } },
    ]);

    expect(events).toEqual([
      ['page', [1]],
      ['on', 'https://api.acme.test/v1/x?p=2', 200],
      ['page', []],
      ['on', '/x?p=3', 200],
      ['page', null],
      ['on', '/x?p=3', 200],
    ]);
    expect(
      requests.map(({ endpoint, baseUrlOverride, params }: GuestHttpRequest) => [endpoint, baseUrlOverride, params]),
    ).toEqual([
      ['/x', undefined, { a: '1' }],
      ['/v1/x?p=2', 'https://api.acme.test', undefined],
      ['/x?p=3', 'https://api.acme.test', undefined],
    ]);
  });

  it.each([
    ['by-response-size', ['5', '7', '9']],
    ['per-page', ['5', '6', '7']],
  ])('counts offsets %s', async (method, offsets) => {
    const { events, requests } = await walk(
      `{ endpoint: '/x', paginate: { type: 'offset', offset_name_in_request: 'o', offset_start_value: 5, offset_calculation_method: '${method}', limit: '2', limit_name_in_request: 'n' } }`,
      [{ body: [1, 2] }, { body: [3, 4] }, { body: [5] }],
    );

    expect(requests.map((request: GuestHttpRequest) => (request.params as Record<string, string>)['o'])).toEqual(
      offsets,
    );
    expect(
      events.filter(([kind]: [string]) => kind === 'on').map(([, offset]: [string, number]) => String(offset)),
    ).toEqual(offsets.slice(0, 2));
    expect(events.at(-1)).toEqual(['page', [5]]);
  });

  it('takes the settings of the provider, key by key under those of the call', async () => {
    const defaults = {
      type: 'offset',
      offset_name_in_request: 'skip',
      response_path: 'rows',
      limit: 1,
      limit_name_in_request: 'top',
    };
    const { requests } = await walk(`{ endpoint: '/x', paginate: { limit: 3 } }`, [{ body: { rows: [1] } }], defaults);

    expect(requests[0]?.params).toEqual({ top: '3', skip: '0' });
  });

  it('refuses to begin for a provider that is not in the catalogue', async () => {
    const body = `try { for await (const page of nango.paginate({ endpoint: '/x', paginate: { type: 'offset', offset_name_in_request: 'o' } })) return page }
      catch (error) { return [error instanceof Error, error.code] }`;

    expect(await outputOf(sandbox, body, { isProviderUnknown: true })).toEqual([
      true,
      'unknown_provider_template_in_config',
    ]);
  });

  it('skips on_page of the page at which the consumer leaves', async () => {
    const body = `let heard = 0; for await (const page of nango.paginate({ endpoint: '/x', paginate: { type: 'offset', offset_name_in_request: 'o', on_page: () => { heard++ } } })) break; return heard`;
    const { outcome } = await runCode(sandbox, actionCode(body), {
      host: { 'http.request': () => ({ status: 200, statusText: '', headers: {}, body: '[1]', config: {} }) },
    });

    expect(outcome).toMatchObject({ output: '0' });
  });

  it.each([
    [`{ endpoint: '/x' }`, 'not configured'],
    [`{ endpoint: '/x', paginate: { type: 'page' } }`, "type 'page'"],
    [`{ endpoint: '/x', paginate: { type: 'cursor', cursor_name_in_request: 'c' } }`, 'cursor_path_in_response'],
    [
      `{ endpoint: '/x', paginate: { type: 'cursor', cursor_name_in_request: 'c', cursor_path_in_response: 'p', limit: 1 } }`,
      'limit_name_in_request',
    ],
    [`{ endpoint: '/x', paginate: { type: 'link' } }`, 'link_rel_in_response_header'],
    [`{ endpoint: '/x', paginate: { type: 'offset' } }`, 'offset_name_in_request'],
  ])('refuses %s', async (config, reason) => {
    await expect(walk(config, [])).rejects.toThrow(reason);
  });
});
