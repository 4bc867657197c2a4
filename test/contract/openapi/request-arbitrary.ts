import fc from 'fast-check';
import type { Parameter } from '../../../server/contract/openapi/openapi-operation.ts';
import type { Described } from './document-checker.ts';
import { arbitraryOf, broken, maybe, type Words } from './schema-arbitrary.ts';

export interface FuzzRequest {
  described: Described;
  /** `METHOD /path?query`, ready to be sent. */
  route: string;
  headers: Record<string, string | undefined>;
  body: string | undefined;
}

/** Placeholders for tokens that are known only when a request is sent. */
export const SECRET_KEY = '<secret key>';
export const SESSION_TOKEN = '<session token>';

const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'application/json; charset=utf-32',
  'application/json;charset="',
  'APPLICATION/JSON',
  'application/jsonx',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/plain',
  'text/xml',
  'x',
  '',
];
const RAW_BODIES = [
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '1e999',
  '{"a":',
  '{"__proto__":{"x":1}}',
  '\ufeff{}',
  '[[[[[[]]]]]]',
];
const RAW_PATHS = ['%', '%zz', '%E0%A4%A', '%00', '%2F', '%2e%2e', '.', '..', ';a=b', '%F0%9F%92%A5'];
const RAW_QUERIES = [
  'a[b][c][d][e][f][g]=1',
  '%',
  '%E0%A4%A',
  '__proto__[x]=1',
  'limit[]=1&limit[]=2',
  'tags[]=1',
  '=',
  '&&&',
  'x=1',
];

/** Requests for one operation: mostly well-formed, with some broken parts. */
export function requestsFor(described: Described, words: Words): fc.Arbitrary<FuzzRequest> {
  const { method, path, operation } = described;
  const parameters = operation.parameters ?? [];
  const named = (location: Parameter['in']) =>
    fc.record(
      Object.fromEntries(
        parameters.filter((one) => one.in === location).map((one) => [one.name, parameterValue(one, words)]),
      ),
    );
  const rawQuery = maybe(fc.constantFrom(...RAW_QUERIES), 4);
  return fc
    .tuple(
      named('path'),
      named('query'),
      named('header'),
      rawQuery,
      content(described, words),
      authorization(described),
    )
    .map(([inPath, inQuery, inHeader, raw, { body, contentType }, token]) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
        // This one stands for any number of segments.
        name === 'path' ? segment(inPath[name]).replaceAll('%2F', '/') : segment(inPath[name]),
      );
      const query = [...Object.entries(inQuery).flatMap(([name, value]) => pairs(name, value)), ...(raw ? [raw] : [])];
      const sent = Object.entries(inHeader).filter(([, value]) => value !== undefined);
      const headers = Object.fromEntries(sent.map(([name, value]) => [name, headerText(value)]));
      return {
        described,
        route: `${method} ${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`,
        headers: {
          ...headers,
          authorization: token,
          ...(contentType === undefined ? {} : { 'content-type': contentType }),
        },
        body,
      };
    });
}

function parameterValue(parameter: Parameter, words: Words): fc.Arbitrary<unknown> {
  const value = arbitraryOf(parameter.schema, words, parameter.name);
  if (parameter.in === 'path')
    return fc.oneof({ weight: 20, arbitrary: value }, { weight: 1, arbitrary: fc.constantFrom(...RAW_PATHS).map(raw) });
  return maybe(value, parameter.required ? 97 : 35);
}

function content({ operation }: Described, words: Words): fc.Arbitrary<{ body?: string; contentType?: string }> {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const json = (value: unknown) => ({ body: JSON.stringify(value), contentType: 'application/json' });
  const usual = schema ? arbitraryOf(schema, words).map(json) : fc.constant({});
  const odd = fc.record({
    body: fc.oneof(
      fc.constantFrom(...RAW_BODIES),
      broken().map((value) => JSON.stringify(value)),
    ),
    contentType: fc.constantFrom('application/json', ...CONTENT_TYPES),
  });
  return fc.oneof(
    { weight: 20, arbitrary: usual },
    { weight: 1, arbitrary: odd },
    { weight: 1, arbitrary: broken().map(json) },
  );
}

function authorization({ operation }: Described): fc.Arbitrary<string | undefined> {
  const takesKeys = operation.security.some((scheme) => 'secretKey' in scheme);
  const right = takesKeys ? `Bearer ${SECRET_KEY}` : `Bearer ${SESSION_TOKEN}`;
  const other = takesKeys ? `Bearer ${SESSION_TOKEN}` : `Bearer ${SECRET_KEY}`;
  const wrong = [
    '',
    'Bearer ',
    'Basic eDp5',
    'Bearer Bearer ',
    'nango_connect_session_',
    other,
    `Bearer ${'0'.repeat(900)}`,
  ];
  return fc.oneof(
    { weight: 25, arbitrary: fc.constant(right) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(undefined, ...wrong, `Bearer ${'0'.repeat(8)}-0000-4000-8000-000000000000`),
    },
  );
}

interface RawPath {
  raw: string;
}
const raw = (text: string): RawPath => ({ raw: text });

function segment(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'raw' in value) return String(value.raw);
  // An empty text would give the path of another route.
  return encodeURIComponent(String(value).toWellFormed().slice(0, 600)) || '-';
}

/** qs syntax, as the clients write it. */
function pairs(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((one) => pairs(name, one));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .slice(0, 12)
      .flatMap(([key, member]) => pairs(`${name}[${key.slice(0, 80)}]`, member));
  return [
    `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(String(value).toWellFormed().slice(0, 1500))}`,
  ];
}

/** Characters that HTTP allows in a header. */
function headerText(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value))
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
    .slice(0, 1500);
}
