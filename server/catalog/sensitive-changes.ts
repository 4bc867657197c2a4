import { createHash } from 'node:crypto';
import type { ProviderDefinition } from './entry-schema.ts';
import { parseTemplate, pathsOf } from './template/parse-template.ts';

/** One difference that could send credentials elsewhere, as shown to the person who approves it. */
export interface SensitiveChange {
  keyPath: string;
  before: string | undefined;
  after: string;
}

/** Differences of an override that wait for approval while connections use the provider (providers.md 12.5). */
export function findSensitiveChanges(before: ProviderDefinition, after: ProviderDefinition): SensitiveChange[] {
  const addressesBefore = new Map(addressesOf(before));
  const secretsBefore = new Map(secretTextsOf(before));
  const hosts = addressesOf(after).filter(([key, url]) => hostsIn(url) !== hostsIn(addressesBefore.get(key) ?? ''));
  const secrets = secretTextsOf(after).filter(([key, text]) => secretsBefore.get(key) !== text);
  const changes = [
    ...hosts.map(([keyPath, url]) => ({ keyPath, before: addressesBefore.get(keyPath), after: url })),
    ...secrets.map(([keyPath, text]) => ({ keyPath, before: secretsBefore.get(keyPath), after: text })),
  ];
  if (after.proxy?.forward_headers_on_redirect && !before.proxy?.forward_headers_on_redirect) {
    changes.push({ keyPath: 'proxy.forward_headers_on_redirect', before: undefined, after: 'true' });
  }
  return changes;
}

/** Identifies a resolved entry for approval; the order of its keys does not matter. */
export function hashEntry(definition: ProviderDefinition): string {
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(definition)))
    .digest('hex');
}

function addressesOf(definition: ProviderDefinition): Array<[string, string]> {
  const tokenUrls =
    typeof definition.token_url === 'object'
      ? Object.entries(definition.token_url)
      : [['', definition.token_url] as const];
  const pairs: Array<[string, string | undefined]> = [
    ['proxy.base_url', definition.proxy?.base_url],
    ['proxy.verification.base_url_override', definition.proxy?.verification?.base_url_override],
    ['authorization_url', definition.authorization_url],
    ['refresh_url', definition.refresh_url],
    ['request_url', definition.request_url],
    ['access_token_url', definition.access_token_url],
    ['registration_url', definition.registration_url],
    ...tokenUrls.map(([mode, url]): [string, string | undefined] => [
      mode === '' ? 'token_url' : `token_url.${mode}`,
      url,
    ]),
    ...(definition.additional_steps ?? []).map((step, index): [string, string] => [
      `additional_steps.${index}.token_url`,
      step.token_url,
    ]),
  ];
  return pairs.filter((pair): pair is [string, string] => pair[1] !== undefined);
}

/** The scheme, host and port parts of an address with its placeholders; both sides of `||` count. */
function hostsIn(url: string): string {
  return url
    .split('||')
    .map((side) => /^\s*([^:]*:\/\/)?[^/?#]*/.exec(side)?.[0].trim() ?? '')
    .join(' || ');
}

function secretTextsOf(definition: ProviderDefinition): Array<[string, string]> {
  const { headers = {}, query = {}, body = {}, verification } = definition.proxy ?? {};
  return [
    ...flatten('proxy.headers', headers),
    ...flatten('proxy.query', query),
    ...flatten('proxy.body', body),
    ...flatten('proxy.verification.endpoints', verification?.endpoints ?? []),
  ].filter(([, text]) => readsSecret(text));
}

function flatten(path: string, value: unknown): Array<[string, string]> {
  if (typeof value === 'string') return [[path, value]];
  return Object.entries(value as object).flatMap(([key, item]) => flatten(`${path}.${key}`, item));
}

const PUBLIC_NAMES = new Set([
  'random',
  'method',
  'host',
  'path',
  'endpoint',
  'params',
  'urlCanonicalParams',
  'bodyCanonicalParams',
  'contentType',
  'clientId',
]);

/** Whether a template reads a credential: every path that is not configuration or a fact of the request. */
export function readsSecret(text: string): boolean {
  return pathsOf(parseTemplate(text)).some(
    (path) => !/^(connectionConfig|connection_config|metadata)\./.test(path) && !PUBLIC_NAMES.has(path),
  );
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)]),
  );
}
