import {
  type DescribedOperation,
  hasType,
  propertiesOf,
  responseHeaders,
  responseSchema,
  textOf,
} from './operations.ts';
import type { Description } from './read-description.ts';

type JsonObject = Record<string, unknown>;
/** The member `paginate` of an entry, or of a request. */
export type Paging = Record<string, string | number>;

const CURSOR =
  /^(?:.*_)?(?:cursor|next_?(?:page_?)?token|page_?token|starting_after|start_after|after|continuation(?:_?token)?|page_?key|next_?key|bookmark)$/i;
const OFFSET = /^(?:offset|skip|start|start_?(?:at|index)|from)$/i;
const PAGE = /^(?:page(?:_?(?:number|num|index|no))?|p)$/i;
const LIMIT =
  /^(?:(?:page_?)?limit|per_?page|page_?size|max_?results|count|size|first|num_?results|results_?per_?page)$/i;
const NEXT_CURSOR =
  /^(?:next(?:_?page)?(?:_?(?:cursor|token|key))|cursor|after|continuation_?token|end_?cursor|next|bookmark)$/i;
const NEXT_LINK = /^(?:next(?:_?(?:url|link|page(?:_?(?:url|link))?))?)$/i;
/** Objects of a response in which the place of the next page stands. */
const WRAPPERS =
  /^(?:meta(?:data)?|paging|pagination|page(?:_?info)?|cursors?|links?|_links|response_?metadata|result_?info|next)$/i;

/** The way of paging that most lists of the description share; undefined when fewer than two share one. */
export function proposePaging(description: Description, operations: DescribedOperation[]): Paging | undefined {
  const found = operations
    .filter(({ isDeprecated, method }) => method === 'GET' && !isDeprecated)
    .map((operation) => pagingOf(description, operation))
    .filter((paging) => paging !== undefined);
  // `response_path` differs from list to list: it is part of the entry only when nearly all share it.
  const kinds = new Map<string, { paging: Paging; count: number }>();
  for (const { response_path: _path, ...paging } of found) {
    const key = JSON.stringify(paging);
    const { count = 0 } = kinds.get(key) ?? {};
    kinds.set(key, { paging, count: count + 1 });
  }
  const [best] = [...kinds.values()].toSorted((a, b) => b.count - a.count);
  if (!best || (best.count < 2 && found.length > 1)) return undefined;
  const paths = found.filter((one) => one['type'] === best.paging['type']).map((one) => one['response_path']);
  const [path] = paths;
  const isShared = path !== undefined && paths.filter((one) => one === path).length >= paths.length * 0.8;
  return { ...best.paging, ...(isShared ? { response_path: path } : {}) };
}

/** The way of paging of one list; undefined when none can be told. */
export function pagingOf(description: Description, operation: DescribedOperation): Paging | undefined {
  const query = operation.parameters.filter((one) => one.in === 'query');
  const nameOf = (pattern: RegExp): string | undefined => query.find(({ name }) => pattern.test(name))?.name;
  const schema = responseSchema(description, operation);
  const path = listPath(description, schema);
  const common = {
    ...(path === undefined || path === '' ? {} : { response_path: path }),
    ...optional('limit_name_in_request', nameOf(LIMIT)),
  };
  const page = query.find(({ name }) => PAGE.test(name));
  // A page that is text is a cursor.
  const cursor = nameOf(CURSOR) ?? (page && hasType(page.schema, 'string') ? page.name : undefined);
  const link = responseHeaders(description, operation, /^2/).has('link');
  const next = findNext(description, schema, cursor === undefined ? NEXT_LINK : NEXT_CURSOR);
  if (cursor !== undefined && next !== undefined)
    return { type: 'cursor', cursor_name_in_request: cursor, cursor_path_in_response: next.path, ...common };
  if (link) return { type: 'link', link_rel_in_response_header: 'next', ...common };
  if (cursor === undefined && next?.isAddress)
    return { type: 'link', link_path_in_response_body: next.path, ...common };
  const offset = nameOf(OFFSET);
  if (offset !== undefined)
    return { type: 'offset', offset_name_in_request: offset, ...firstValue(query, offset), ...common };
  if (page === undefined || hasType(page.schema, 'string')) return undefined;
  return {
    type: 'offset',
    offset_name_in_request: page.name,
    offset_calculation_method: 'per-page',
    ...firstValue(query, page.name, 1),
    ...common,
  };
}

/** Path of the list in a response: empty when the response is the list itself. */
export function listPath(description: Description, schema: JsonObject | undefined, depth = 0): string | undefined {
  const own = description.resolve(schema);
  if (!own) return undefined;
  if (hasType(own, 'array')) return '';
  const members = [...propertiesOf(description, schema)];
  const lists = members.filter(([, member]) => hasType(member, 'array'));
  const objects = lists.filter(([, { items }]) => propertiesOf(description, items).size > 0);
  const [list] = objects.length > 0 ? objects : lists;
  if (list) return list[0];
  // Deeper lists are parts of one result.
  if (depth > 0) return undefined;
  for (const [name, member] of members) {
    const inner = hasType(member, 'array') ? undefined : listPath(description, member, depth + 1);
    if (inner) return `${name}.${inner}`;
  }
  return undefined;
}

function findNext(
  description: Description,
  schema: JsonObject | undefined,
  pattern: RegExp,
  depth = 0,
): { path: string; isAddress: boolean } | undefined {
  // `next_cursor` before `cursor`, which is often that of the page itself.
  const isNext = ([name]: [string, JsonObject]): number => (/next/i.test(name) ? 0 : 1);
  const members = [...propertiesOf(description, schema)].toSorted((a, b) => isNext(a) - isNext(b));
  for (const [name, member] of members)
    if (pattern.test(name) && !hasType(member, 'object') && !hasType(member, 'array') && !hasType(member, 'boolean'))
      return { path: name, isAddress: isAddress(member) };
  if (depth > 2) return undefined;
  for (const [name, member] of members) {
    if (!WRAPPERS.test(name)) continue;
    const wanted = name === 'next' ? /^(?:page|href|url|cursor|token|after)$/i : pattern;
    const inner = findNext(description, member, wanted, depth + 1);
    if (inner) return { ...inner, path: `${name}.${inner.path}` };
  }
  return undefined;
}

function isAddress(member: JsonObject): boolean {
  const { example, format } = member;
  if (typeof format === 'string') return /^ur[il]/.test(format);
  return /^(?:https?:\/\/|\/)/.test(textOf(example)) || /\b(?:url|link|address)\b/i.test(textOf(member['description']));
}

function firstValue(query: DescribedOperation['parameters'], name: string, usual?: number): Paging {
  const { schema } = query.find((one) => one.name === name) ?? {};
  const { default: preset, minimum } = schema ?? {};
  const value = [preset, minimum, usual].find((one) => typeof one === 'number');
  return typeof value === 'number' && (value !== 0 || usual !== undefined) ? { offset_start_value: value } : {};
}

function optional(name: string, value: string | undefined): Paging {
  return value === undefined ? {} : { [name]: value };
}
