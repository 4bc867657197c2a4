import type { GuestHttpRequest } from '../../../functions/runtime/bridge.ts';
import type { FixtureApi, FixtureEntry } from '../../../functions/testing/fixture-file.ts';
import { namesOtherMethod } from '../../platform/lib/reads-only.ts';

/** A field of a provider's response that is not as it was recorded. */
export interface ShapeChange {
  /** `GET /v1/issues/{id}`. */
  request: string;
  /** `data[].title`. */
  field: string;
  kind: 'gone' | 'type';
  /** Types of the field in the recording, such as `text or null`. */
  before: string;
  /** Empty when the field is gone. */
  after: string;
}

interface Shape {
  /** How many values had this place. */
  count: number;
  types: Set<string>;
  members: Map<string, Shape>;
}

/** Larger responses say nothing new. */
const MAX_ITEMS = 1000;
const MAX_DEPTH = 12;

/**
 * Compares responses of the same requests by their shape: fields that every recorded object had and that no object has
 * now, and fields of another type. Values, new fields and fields that were optional are no change.
 */
export function compareShapes(before: FixtureApi = {}, after: FixtureApi = {}): ShapeChange[] {
  const [old, now] = [shapesOf(before), shapesOf(after)];
  return [...old].flatMap(([request, shape]) => {
    const current = now.get(request);
    return current ? compare(shape, current, '').map((change) => ({ request, ...change })) : [];
  });
}

/** Whether a recording has only requests that read: by their method, or because a person marked them. */
export function isReadOnly(api: FixtureApi = {}): boolean {
  const requests = Object.entries(api).flatMap(([method, paths]) =>
    Object.values(paths).flatMap((entries) => [entries].flat().map((entry) => ({ method, entry }))),
  );
  return requests.length > 0 && requests.every(({ entry, method }) => READS.test(method) || entry.readsOnly === true);
}

/** The parts of a request that say whether it reads. */
export type SentRead = Pick<GuestHttpRequest, 'endpoint' | 'headers' | 'method' | 'params'>;

/** Which requests may be sent when a recording is made again. */
export function readFilter(api: FixtureApi = {}): (request: SentRead) => boolean {
  const marked = new Set(
    Object.entries(api).flatMap(([method, paths]) =>
      Object.entries(paths)
        .filter(([, entries]) => [entries].flat().every(({ readsOnly }) => readsOnly === true))
        .map(([path]) => `${method.toUpperCase()} ${plainPath(path)}`),
    ),
  );
  return (request) => {
    const { endpoint, method } = request;
    const isRead = READS.test(method) || marked.has(`${method.toUpperCase()} ${plainPath(endpoint)}`);
    return isRead && !meansOtherMethod(request);
  };
}

/** Another method can stand in a header or in the query. */
function meansOtherMethod({ endpoint, headers = {}, params = {} }: SentRead): boolean {
  const isText = typeof params === 'string';
  const path = isText ? `${endpoint}${endpoint.includes('?') ? '&' : '?'}${params}` : endpoint;
  return namesOtherMethod({ path, names: [...Object.keys(headers), ...(isText ? [] : Object.keys(params))] });
}

const READS = /^(?:get|head|options)$/i;
const plainPath = (endpoint: string): string => `/${(endpoint.split(/[?#]/)[0] ?? '').replace(/^\/+/, '')}`;

function shapesOf(api: FixtureApi): Map<string, Shape> {
  const shapes = new Map<string, Shape>();
  for (const [method, paths] of Object.entries(api))
    for (const [path, entries] of Object.entries(paths))
      for (const { response, status = 200 } of [entries].flat() as FixtureEntry[]) {
        if (status >= 400) continue;
        const request = `${method.toUpperCase()} ${withoutIds(path)}`;
        const shape = shapes.get(request) ?? emptyShape();
        shapes.set(request, shape);
        add(shape, response, 0);
      }
  return shapes;
}

/** Another object of the same kind is the same request. */
function withoutIds(path: string): string {
  return path
    .split('?', 1)
    .join('')
    .replaceAll(/(?<=\/)(?:\d+|[0-9a-f]{8}-[0-9a-f-]{27}|(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,})(?=\/|$)/gi, '{id}');
}

const emptyShape = (): Shape => ({ count: 0, types: new Set(), members: new Map() });

function add(shape: Shape, value: unknown, depth: number): void {
  shape.count += 1;
  shape.types.add(typeOf(value));
  if (depth >= MAX_DEPTH || typeof value !== 'object' || value === null) return;
  const members: Array<[string, unknown]> = Array.isArray(value)
    ? value.slice(0, MAX_ITEMS).map((item): [string, unknown] => ['[]', item])
    : Object.entries(value);
  for (const [name, member] of members) {
    const inner = shape.members.get(name) ?? emptyShape();
    shape.members.set(name, inner);
    add(inner, member, depth + 1);
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return (
    { string: 'text', number: 'number', boolean: 'boolean', object: 'object' }[typeof value as string] ?? 'nothing'
  );
}

function compare(before: Shape, after: Shape, field: string): Array<Omit<ShapeChange, 'request'>> {
  const [was, is] = [known(before), known(after)];
  const here = { field: field === '' ? '(the whole response)' : field, before: listed(before.types) };
  if (was.length > 0 && is.length > 0 && !was.some((type) => is.includes(type)))
    return [{ ...here, kind: 'type', after: listed(after.types) }];
  // An empty list or a missing object says nothing about what would be in it.
  const [hadObjects, hasObjects] = [before, after].map(({ types }) => types.has('object') || types.has('list'));
  if (!hadObjects || !hasObjects) return [];
  return [...before.members].flatMap(([name, member]) => {
    const path = name === '[]' ? `${field}[]` : field === '' ? name : `${field}.${name}`;
    const current = after.members.get(name);
    if (current) return compare(member, current, path);
    const wasAlways = name !== '[]' && member.count === objectsOf(before);
    return wasAlways ? [{ field: path, kind: 'gone' as const, before: listed(member.types), after: '' }] : [];
  });
}

const known = ({ types }: Shape): string[] => [...types].filter((type) => type !== 'null');

/** Places that held an object, and so could have had each member. */
function objectsOf({ count, types }: Shape): number {
  return types.size === 1 ? count : Number.POSITIVE_INFINITY;
}

const listed = (types: Set<string>): string => [...types].sort().join(' or ');
