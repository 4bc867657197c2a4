import { nearestName } from '../../platform/lib/nearest-name.ts';
import type { EntryIssue, SchemaIssue } from './catalog-problem.ts';
import { checkPlaceholders, checkUnusedConfig, FREE_TEXT_KEYS, textsOf } from './check-placeholders.ts';
import { entrySchema, type ProviderDefinition } from './entry-schema.ts';
import { knownMembers } from './known-members.ts';
import {
  dispensable,
  type LenientParse,
  NO_HANDLER,
  parseLeniently,
  removeMember,
  setMember,
} from './parse-leniently.ts';
import { MODES_WITH_CREDENTIALS, REQUIRED_CREDENTIALS } from './provider-modes.ts';
import { TRANSPORT_HEADERS } from './proxy-schema.ts';

export interface CheckOptions {
  /** Built-in entries must name `docs` and must not use plain http. */
  isBuiltin: boolean;
  /** Handlers that an entry may name; undefined means that names are not checked. */
  handlers?: ReadonlySet<string>;
  /** If true, an unusual part is left out with a warning instead of refusing the entry (providers.md 12.7). */
  isLenient?: boolean;
}

export type CheckedEntry = { definition: ProviderDefinition; warnings: EntryIssue[] } | { issues: EntryIssue[] };

/** Checks one resolved entry against the closed schema and the cross-checks of providers.md 1. */
export function checkEntry(raw: unknown, options: CheckOptions): CheckedEntry {
  const parsed = options.isLenient ? parseLeniently(raw, options.handlers, describeIssue) : parseStrictly(raw);
  if ('issues' in parsed) return parsed;
  const { definition, keptMembers } = parsed;
  const warnings = [...parsed.warnings];
  let issues = crossCheck(definition, options);
  while (options.isLenient && issues.length > 0 && issues.every(({ path }) => dispensable(path))) {
    for (const { path, reason } of issues) {
      const part = dispensable(path) ?? path;
      removeMember(definition, part);
      warnings.push({ path: part, reason: `${reason}; left out` });
    }
    issues = crossCheck(definition, options);
  }
  if (issues.length > 0) return { issues };
  for (const { path, value } of keptMembers) setMember(definition, path, value);
  return { definition, warnings: [...warnings, ...(options.isLenient ? checkUnusedConfig(definition) : [])] };
}

function crossCheck(definition: ProviderDefinition, options: CheckOptions): EntryIssue[] {
  return [
    ...checkPlaceholders(definition),
    ...(options.isLenient ? [] : checkUnusedConfig(definition)),
    ...checkCredentials(definition),
    ...checkVerification(definition),
    ...checkHandlers(definition, options.handlers),
    ...checkHeaders(definition),
    ...checkAddresses(definition),
    ...checkHosts(definition),
    ...(options.isBuiltin ? checkBuiltin(definition) : []),
  ];
}

function parseStrictly(raw: unknown): LenientParse {
  const parsed = entrySchema.safeParse(raw);
  if (!parsed.success) return { issues: parsed.error.issues.flatMap((issue) => describeIssue(issue, raw)) };
  return { definition: parsed.data, warnings: [], keptMembers: [] };
}

function describeIssue(issue: SchemaIssue, raw: unknown): EntryIssue[] {
  const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  if (issue.code === 'unrecognized_keys' && issue.keys)
    return issue.keys.map((key) => ({ path: [...path, key], reason: 'unknown key' }));
  const written = valueAt(raw, path);
  const values = issue.code === 'invalid_value' ? issue.values?.map(String) : undefined;
  if (written === undefined) {
    const hint = values ? `write one of ${values.join(', ')}` : misspelt(raw, path);
    return [{ path, reason: hint === undefined ? 'is missing' : `is missing; ${hint}` }];
  }
  if (!values) return [{ path, reason: issue.message }];
  const meant = nearestName(String(written), values);
  return [{ path, reason: `is not one of ${values.join(', ')}${meant ? `; did you mean ${meant}?` : ''}` }];
}

function valueAt(raw: unknown, path: EntryIssue['path']): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], raw);
}

/** The known name that an unknown member was probably meant to be, if that member is missing. */
function misspelt(raw: unknown, path: EntryIssue['path']): string | undefined {
  const parent = path.slice(0, -1);
  const name = String(path.at(-1));
  const known = new Set(knownMembers(parent));
  const unknown = Object.keys(valueAt(raw, parent) ?? {}).filter((key) => !known.has(key));
  const written = nearestName(name, unknown);
  return written === undefined ? undefined : `${written} is not known, write ${name}`;
}

function checkCredentials(definition: ProviderDefinition): EntryIssue[] {
  const { auth_mode: mode, credentials } = definition;
  const required = REQUIRED_CREDENTIALS[mode];
  if (required !== undefined && !credentials?.[required])
    return [{ path: ['credentials'], reason: `${mode} must declare credentials.${required}` }];
  if (credentials && !MODES_WITH_CREDENTIALS.includes(mode))
    return [{ path: ['credentials'], reason: `${mode} takes no credentials of its own` }];
  return [];
}

function checkVerification(definition: ProviderDefinition): EntryIssue[] {
  const hasBoth = definition.proxy?.verification && definition.credentials_verification_script !== undefined;
  return hasBoth ? [{ path: ['proxy', 'verification'], reason: 'excludes credentials_verification_script' }] : [];
}

function checkHandlers(definition: ProviderDefinition, handlers: ReadonlySet<string> | undefined): EntryIssue[] {
  if (!handlers) return [];
  return Object.entries(definition)
    .filter(([key, value]) => key.endsWith('_script') && typeof value === 'string' && !handlers.has(value))
    .map(([key]) => ({ path: [key], reason: NO_HANDLER }));
}

const HEADER_MAPS = new Set(['headers', 'token_headers', 'refresh_token_headers']);

/**
 * `host` could send credentials to another server behind the same address. The other headers belong to the transport.
 */
function checkHeaders(definition: ProviderDefinition): EntryIssue[] {
  return textsOf(definition, (path) => FREE_TEXT_KEYS.has(String(path[0])))
    .filter(
      ({ path }) => HEADER_MAPS.has(String(path.at(-2))) && TRANSPORT_HEADERS.has(String(path.at(-1)).toLowerCase()),
    )
    .map(({ path }) => ({ path, reason: 'is set by the transport; an entry cannot change it' }));
}

const ADDRESSES = new Set([
  'proxy.base_url',
  'proxy.verification.base_url_override',
  'authorization_url',
  'device_authorization_url',
  'token_url',
]);

/** Without a scheme no request can be sent; a placeholder at the start stands for a whole address. */
function checkAddresses(definition: ProviderDefinition): EntryIssue[] {
  return textsOf(definition, (path) => FREE_TEXT_KEYS.has(String(path[0])))
    .filter(({ path }) => ADDRESSES.has(path.join('.')) || path[0] === 'token_url')
    .filter(({ text }) => !text.split('||').every((address) => /^\s*(https?:\/\/|\$\{)/i.test(address)))
    .map(({ path }) => ({
      path,
      reason: 'must start with https://, http:// or a placeholder such as ${connectionConfig.domain}',
    }));
}

/** A value at the end of a host chooses the domain, and so decides who receives the credentials. */
function checkHosts(definition: ProviderDefinition): EntryIssue[] {
  const fields = { ...definition.credentials, ...definition.connection_config };
  return textsOf(definition, (path) => FREE_TEXT_KEYS.has(String(path[0]))).flatMap(({ path, text }) =>
    text.split('||').flatMap((address) => {
      const [, host = ''] = /^[^:/?#]+:\/\/([^/?#]*)/.exec(address.trim()) ?? [];
      const last = /\$\{([^{}]+)\}(?::\d+)?$/.exec(host.trim())?.[1] ?? '';
      const name = last.replace(/^(connection_?[cC]onfig|credentials)\./, '');
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      const isFree = field && field.pattern === undefined && field.format === undefined && field.enum === undefined;
      return isFree ? [{ path, reason: `the host ends in ${name}, which needs a pattern, a format or an enum` }] : [];
    }),
  );
}

function checkBuiltin(definition: ProviderDefinition): EntryIssue[] {
  const missingDocs: EntryIssue[] = definition.docs === undefined ? [{ path: ['docs'], reason: 'is required' }] : [];
  const plain = textsOf(definition, (path) => FREE_TEXT_KEYS.has(String(path[0])))
    .filter(({ path, text }) => /(^|_)url($|_)/.test(String(path.at(-1))) && text.startsWith('http://'))
    .map(({ path }) => ({ path, reason: 'must be https' }));
  return [...missingDocs, ...plain];
}
