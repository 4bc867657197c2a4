import { isJsonObject } from '../../platform/lib/json-object.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';
import { CliFailure } from '../cli-failure.ts';

/** How a provider gives its lists page by page, as its entry in the catalogue says (functions.md 5.1). */
type ProviderPaging = Record<string, unknown>;

/** What most APIs without an entry of their own have: the header `Link` of RFC 8288. */
export const LINK_HEADER: ProviderPaging = { type: 'link', link_rel_in_response_header: 'next' };

export interface FirstPage {
  method: string;
  /** At the provider, with the query. */
  path: string;
  body: Record<string, unknown> | undefined;
}

/** One request of a list. */
export interface PageRequest {
  path: string;
  query: Record<string, string>;
  body: Record<string, unknown> | undefined;
  /** Set where the provider's answer named the address. */
  baseUrl: string | undefined;
  followsLink: boolean;
}

export interface Page {
  headers: Record<string, string>;
  text: string;
}

/** Where the list of a page is for the pagination, whatever its own place in the answer. */
const ITEMS = ' items';

/**
 * Asks for one page after the other by the rules that functions have for `nango.paginate`. The caller sends, and does
 * with the answers what it wants.
 */
export async function followPages(
  first: FirstPage,
  settings: ProviderPaging,
  send: (request: PageRequest) => Promise<Page>,
): Promise<void> {
  // Only this option needs it.
  const { paginate } = await import('../../../functions/runtime/context/paginate.ts');
  const given = new URL(first.path, 'http://provider').searchParams;
  const isInBody = first.body !== undefined;
  const named = (name: unknown): unknown =>
    typeof name !== 'string' ? undefined : isInBody ? first.body?.[name] : (given.get(name) ?? undefined);
  const limit = named(settings['limit_name_in_request']);
  const offset = named(settings['offset_name_in_request']);
  const config = {
    method: first.method,
    endpoint: first.path,
    ...(isInBody ? { data: { ...first.body } } : {}),
    paginate: {
      in_body: isInBody,
      response_path: ITEMS,
      ...(limit === undefined ? {} : { limit: Number(limit) }),
      ...(offset === undefined ? {} : { offset_start_value: Number(offset) }),
    },
  };
  const pages = paginate(config, settings, async (request) => {
    const { headers, text } = await send({
      path: request.endpoint,
      query: Object.fromEntries(Object.entries(request.params ?? {}).map(([name, value]) => [name, String(value)])),
      body: isInBody ? (request.data as Record<string, unknown>) : undefined,
      baseUrl: request.baseUrlOverride,
      followsLink: request.followsLink === true,
    });
    const data = parseJson(text);
    if (typeof data !== 'object' || data === null)
      throw new CliFailure('The answer is no JSON list or object: --paginate finds no next page in it.');
    const items = listIn(data, settings['response_path']);
    const withItems = Object.assign(Array.isArray(data) ? [...data] : { ...data }, { [ITEMS]: items });
    return { data: withItems, status: 200, statusText: '', headers, config: {}, request: {} };
  });
  for await (const _ of pages);
}

/** The list at the provider's usual place, else the answer itself, else its first member that is a list. */
function listIn(data: object, path: unknown): unknown[] | undefined {
  if (Array.isArray(data)) return data;
  const usual = String(path ?? '')
    .split('.')
    .reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), data);
  if (Array.isArray(usual)) return usual;
  return Object.values(data).find((value) => Array.isArray(value));
}
