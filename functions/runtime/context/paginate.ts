import LinkHeader from 'http-link-header';
import get from 'lodash-es/get.js';
import { ArrayIsArray, ObjectKeys, toNumber, toText } from '../primordials.ts';
import type { SendRequest } from './http-members.ts';
import type { ProxyConfiguration } from './http-request.ts';
import type { HttpResponse } from './http-response.ts';
import { PageParams, type PaginateSettings, resolveSettings } from './paginate-settings.ts';

type Pages = AsyncGenerator<unknown[], void, undefined>;
interface Pagination {
  settings: PaginateSettings;
  page: PageParams;
  send: SendRequest;
  /** Called with the reason why the first page is empty. */
  onHint(text: string): void;
}

/** Yields one page of items after the other (functions.md 5.2). Calls `on_page` after a page was yielded. */
export async function* paginate(
  config: ProxyConfiguration,
  defaults: Record<string, unknown> | null | undefined,
  send: SendRequest,
  onHint: (text: string) => void = () => {},
): Pages {
  const settings = resolveSettings(config, defaults);
  const page = new PageParams(config, config.paginate?.['in_body']);
  if (settings.limit) page.set(settings.limit_name_in_request, settings.limit);
  const pagination = { settings, page, send, onHint };
  if (settings.type === 'cursor') yield* byCursor(pagination);
  else if (settings.type === 'link') yield* byLink(pagination);
  else yield* byOffset(pagination);
}

/** Whether a recording has one response for all requests of this path. `paths` contains texts as `get /v1/items`. */
export function isSinglePage({ method = 'GET', endpoint }: ProxyConfiguration, paths: readonly string[]): boolean {
  const path = toText(endpoint).replace(/^\/+/, '').split('?')[0];
  return paths.includes(`${method.toLowerCase()} /${path}`);
}

/** Recordings in older folders contain one page, whatever it says about a next one. */
export async function* firstPage(pages: Pages): Pages {
  const { done, value } = await pages.next();
  if (!done) yield value;
}

async function* byCursor({ settings, page, send, onHint }: Pagination): Pages {
  let next: string | number | undefined;
  do {
    if (next !== undefined) page.set(settings.cursor_name_in_request, next);
    const response = await send(page.request());
    const items = itemsOf(response, settings);
    if (next === undefined) hintAtWrongPath(response, settings, onHint);
    if (!items?.length) return;
    yield items;
    next = toCursor(get(response.data, settings.cursor_path_in_response ?? ''));
    await settings.on_page?.({ nextPageParam: next, response });
  } while (next !== undefined);
}

async function* byLink({ settings, page, send }: Pagination): Pages {
  let request = page.request();
  let previous: string | undefined;
  while (true) {
    const response = await send(request);
    yield itemsOf(response, settings);
    const link = nextLink(response, settings);
    await settings.on_page?.({ nextPageParam: link, response });
    if (!link || link === previous) return;
    previous = link;
    request = { ...request, ...toTarget(link, page.request()) };
    delete request.params;
  }
}

async function* byOffset({ settings, page, send, onHint }: Pagination): Pages {
  const isPerPage = settings.offset_calculation_method === 'per-page';
  const start = toNumber(settings.offset_start_value) || 0;
  let offset = start;
  while (true) {
    page.set(settings.offset_name_in_request, page.isInBody ? offset : toText(offset));
    const response = await send(page.request());
    const items = itemsOf(response, settings);
    if (offset === start) hintAtWrongPath(response, settings, onHint);
    if (!items?.length) return;
    yield items;
    if (settings.limit && items.length < toNumber(settings.limit)) return;
    await settings.on_page?.({ nextPageParam: offset, response });
    offset += isPerPage ? 1 : items.length;
  }
}

function itemsOf(response: HttpResponse, settings: PaginateSettings): unknown[] {
  return (settings.response_path ? get(response.data, settings.response_path) : response.data) as unknown[];
}

/**
 * The catalogue's settings match one list of a provider. On another list they find no items, which looks like missing
 * data.
 */
function hintAtWrongPath(
  { data }: HttpResponse,
  { response_path: path }: PaginateSettings,
  onHint: (text: string) => void,
): void {
  if (!path || typeof data !== 'object' || data === null || get(data, path) !== undefined) return;
  const members = ObjectKeys(data).slice(0, 10).join(', ');
  onHint(
    `paginate found no list at response_path '${path}'; the answer has: ${members}. Set paginate.response_path for this endpoint.`,
  );
}

/** A number is kept, also 0. An empty text ends the pagination. */
function toCursor(value: unknown): string | number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function nextLink(response: HttpResponse, settings: PaginateSettings): string | undefined {
  const inHeader = linkOfHeader(response.headers['link'], settings.link_rel_in_response_header);
  if (inHeader || !settings.link_path_in_response_body) return inHeader;
  return get(response.data, settings.link_path_in_response_body) as string | undefined;
}

function linkOfHeader(header: string | string[] | undefined, rel: string | undefined): string | undefined {
  if (!header || !rel) return undefined;
  try {
    return LinkHeader.parse(ArrayIsArray(header) ? header.join(', ') : header).rel(rel)[0]?.uri;
  } catch {
    // A header that does not follow RFC 5988 names no next page.
    return undefined;
  }
}

/** The provider chose the address, so the host checks where it leads, unless the author named the same one. */
function toTarget(link: string, { baseUrlOverride }: ProxyConfiguration): Partial<ProxyConfiguration> {
  const absolute = URL.parse(link);
  if (!absolute) return { endpoint: link };
  const isAuthors = baseUrlOverride !== undefined && URL.parse(baseUrlOverride)?.origin === absolute.origin;
  return {
    baseUrlOverride: absolute.origin,
    endpoint: absolute.pathname + absolute.search,
    followsLink: !isAuthors,
  };
}
