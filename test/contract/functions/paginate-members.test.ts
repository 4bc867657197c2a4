import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../../support/fake-provider.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { actionSource } from '../../support/server-workspace.ts';

const FILES = {
  // `on_page` is a function, so the test only says whether there is one.
  'actions/pages.ts': actionSource(`
    const heard = [];
    const config = input.config;
    if (input.listens) {
      config.paginate = { ...config.paginate, on_page: async ({ nextPageParam, response }) => {
        heard.push([nextPageParam ?? null, response.status]);
      } };
    }
    const pages = [];
    for await (const page of nango.paginate(config)) pages.push(page ?? 'undefined');
    return { pages, heard };`),
  'actions/first-page.ts': actionSource(`
    const heard = [];
    const on_page = async () => { heard.push('on_page'); };
    for await (const page of nango.paginate({ endpoint: '/cursor', paginate: { on_page } })) return { page, heard };`),
};

const ITEMS = ['a', 'b', 'c', 'd', 'e'];

let hub: FunctionHub;

beforeAll(async () => {
  hub = await startFunctionHub(FILES);
  hub.provider
    .on('GET /cursor', (request) => cursorResponse(Number(queryOf(request).get('cursor') ?? 0)))
    .on('POST /cursor', (request) => cursorResponse(JSON.parse(request.body.toString()).page?.cursor ?? 0))
    .on('GET /offset', (request) => ({ body: slice(Number(queryOf(request).get('skip')), 2) }))
    .on('GET /per-page', (request) => ({
      body: { data: { rows: slice((Number(queryOf(request).get('page')) - 1) * 2, 2) } },
    }))
    .on('POST /offset', (request) => ({ body: slice(JSON.parse(request.body.toString()).skip, 2) }))
    .on('GET /link-header', (request) => linkResponse(request, 'header'))
    .on('GET /link-body', (request) => linkResponse(request, 'body'))
    .on('GET /link-empty', { body: { items: [] } });
});
afterAll(() => hub?.stop());

function queryOf(request: RecordedRequest): URLSearchParams {
  return new URL(request.url, 'http://x').searchParams;
}

function slice(start: number, count: number): string[] {
  return ITEMS.slice(start, start + count);
}

function cursorResponse(start: number): { body: unknown } {
  const next = start + 2 < ITEMS.length ? start + 2 : '';
  return { body: { items: slice(start, 2), next } };
}

function linkResponse(
  request: RecordedRequest,
  where: 'header' | 'body',
): { body: unknown; headers?: Record<string, string> } {
  const start = Number(queryOf(request).get('start') ?? 0);
  const path = `/link-${where}?start=${start + 2}`;
  if (start + 2 >= ITEMS.length) return { body: { items: slice(start, 2) } };
  if (where === 'body') return { body: { items: slice(start, 2), links: { next: path } } };
  return {
    body: { items: slice(start, 2) },
    headers: { link: `<${hub.provider.address}${path}>; rel="next", </x>; rel="prev"` },
  };
}

async function paginate(
  config: Record<string, unknown>,
  listens = false,
): Promise<{ pages: unknown[]; heard: unknown[] }> {
  const { status, body } = await hub.action('pages', { config, listens });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

const ALL_PAGES = [['a', 'b'], ['c', 'd'], ['e']];

describe('nango.paginate by cursor', () => {
  it('uses the settings of the provider, and tells on_page after each page', async () => {
    const before = hub.provider.requestsTo('/cursor').length;
    const { pages, heard } = await paginate(
      { endpoint: '/cursor', paginate: { limit: 2, limit_name_in_request: 'size' } },
      true,
    );

    const urls = hub.provider.requestsTo('/cursor').map(({ url }) => url);
    expect(pages).toEqual(ALL_PAGES);
    expect(heard).toEqual([
      [2, 200],
      [4, 200],
      [null, 200],
    ]);
    expect(urls.slice(before)).toEqual(['/cursor?size=2', '/cursor?size=2&cursor=2', '/cursor?size=2&cursor=4']);
  });

  it('puts cursor and limit into the body of a POST, nested where the name has a dot, not stringified', async () => {
    const { pages } = await paginate({
      method: 'POST',
      endpoint: '/cursor',
      data: { kind: 'x' },
      paginate: { cursor_name_in_request: 'page.cursor', limit: 2, limit_name_in_request: 'page.size' },
    });

    const bodies = hub.provider
      .requestsTo('/cursor')
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => JSON.parse(body.toString()));
    expect(pages).toEqual(ALL_PAGES);
    expect(bodies[0]).toEqual({ kind: 'x', page: { size: 2 } });
    expect(bodies[2]).toEqual({ kind: 'x', page: { size: 2, cursor: 4 } });
  });

  it('follows in_body: false on a POST', async () => {
    hub.provider.on('POST /cursor-query', (request) => cursorResponse(Number(queryOf(request).get('cursor') ?? 0)));

    const { pages } = await paginate({ method: 'POST', endpoint: '/cursor-query', paginate: { in_body: false } });

    expect(pages).toEqual(ALL_PAGES);
  });

  it('does not tell on_page of a page the consumer stopped at', async () => {
    const { body } = await hub.action('first-page');

    expect(body).toEqual({ page: ['a', 'b'], heard: [] });
  });
});

describe('nango.paginate by offset', () => {
  it('counts items, and stops without on_page at a page that is short of the limit', async () => {
    const { pages, heard } = await paginate(
      {
        endpoint: '/offset',
        paginate: {
          type: 'offset',
          offset_name_in_request: 'skip',
          response_path: '',
          limit: 2,
          limit_name_in_request: 'n',
        },
      },
      true,
    );

    expect(pages).toEqual(ALL_PAGES);
    expect(heard).toEqual([
      [0, 200],
      [2, 200],
    ]);
  });

  it('counts pages from a start value, and stops at an empty page without a limit', async () => {
    const { pages } = await paginate({
      endpoint: '/per-page',
      paginate: {
        type: 'offset',
        offset_name_in_request: 'page',
        offset_start_value: 1,
        offset_calculation_method: 'per-page',
        response_path: 'data.rows',
      },
    });

    expect(pages).toEqual(ALL_PAGES);
    expect(hub.provider.requestsTo('/per-page').map(({ url }) => url)).toEqual(
      [1, 2, 3, 4].map((page) => `/per-page?page=${page}`),
    );
  });

  it('sends numbers in a body', async () => {
    const { pages } = await paginate({
      method: 'POST',
      endpoint: '/offset',
      paginate: { type: 'offset', offset_name_in_request: 'skip', response_path: '' },
    });

    expect(pages).toEqual(ALL_PAGES);
  });
});

describe('nango.paginate by link', () => {
  it('follows the relation of the Link header and drops the params', async () => {
    const { pages, heard } = await paginate(
      {
        endpoint: '/link-header',
        params: { first: 'yes' },
        paginate: { type: 'link', link_rel_in_response_header: 'next' },
      },
      true,
    );

    const urls = hub.provider.requestsTo('/link-header').map(({ url }) => url);
    expect(pages).toEqual(ALL_PAGES);
    expect(urls).toEqual(['/link-header?first=yes', '/link-header?start=2', '/link-header?start=4']);
    expect(heard.map((entry) => (entry as unknown[])[0])).toEqual([
      `${hub.provider.address}/link-header?start=2`,
      `${hub.provider.address}/link-header?start=4`,
      null,
    ]);
  });

  it('follows a path in the body', async () => {
    const { pages } = await paginate({
      endpoint: '/link-body',
      paginate: { type: 'link', link_path_in_response_body: 'links.next' },
    });

    expect(pages).toEqual(ALL_PAGES);
  });

  it('yields an empty page', async () => {
    const { pages } = await paginate({
      endpoint: '/link-empty',
      paginate: { type: 'link', link_path_in_response_body: 'links.next' },
    });

    expect(pages).toEqual([[]]);
  });

  it('refuses settings that lack what the type needs', async () => {
    const { status, body } = await hub.action('pages', { config: { endpoint: '/x', paginate: { type: 'offset' } } });

    expect(status).toBe(500);
    expect(body.error.code).toBe('script_internal_error');
  });
});
