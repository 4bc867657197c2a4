import type { EntryIssue } from './catalog-problem.ts';
import { entrySchema, type ProviderDefinition } from './entry-schema.ts';
import { CONFIG_READ_BY_MODE, MODES_WITH_CREDENTIALS, REQUIRED_CREDENTIALS } from './provider-modes.ts';
import { TRANSPORT_HEADERS } from './proxy-schema.ts';
import { parseTemplate, pathsOf } from './template/parse-template.ts';

export interface CheckOptions {
  /** Built-in entries must name `docs` and may not speak plain http. */
  isBuiltin: boolean;
  /** Handlers an entry may name; undefined leaves names unchecked. */
  handlers?: ReadonlySet<string>;
}

export type CheckedEntry = { definition: ProviderDefinition } | { issues: EntryIssue[] };

/** Checks one resolved entry against the closed schema and the cross-checks of providers.md 1. */
export function checkEntry(raw: unknown, options: CheckOptions): CheckedEntry {
  const parsed = entrySchema.safeParse(raw);
  if (!parsed.success) return { issues: parsed.error.issues.flatMap(describeIssue) };
  const definition = parsed.data;
  const issues = [
    ...checkBraces(definition),
    ...checkConfigReferences(definition),
    ...checkCredentials(definition),
    ...checkVerification(definition),
    ...checkHandlers(definition, options.handlers),
    ...checkHeaders(definition),
    ...checkHosts(definition),
    ...(options.isBuiltin ? checkBuiltin(definition) : []),
  ];
  return issues.length > 0 ? { issues } : { definition };
}

function describeIssue(issue: { code: string; path: PropertyKey[]; message: string; keys?: string[] }): EntryIssue[] {
  const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  if (issue.code === 'unrecognized_keys' && issue.keys)
    return issue.keys.map((key) => ({ path: [...path, key], reason: 'unknown key' }));
  return [{ path, reason: issue.message }];
}

const FREE_TEXT_KEYS = new Set(['credentials', 'connection_config', 'integration_config', 'assertion_option']);

/** `{` opens a placeholder only after `$` (or `]`): a forgotten `$` would be sent as text. */
function checkBraces(definition: ProviderDefinition): EntryIssue[] {
  return textsOf(definition, (path) => path.length === 1 && FREE_TEXT_KEYS.has(String(path[0])))
    .filter(({ text, path }) => !path.includes('data') && /(^|[^$\]])\{(?!\})/.test(stripCalls(text)))
    .map(({ path }) => ({ path, reason: 'a placeholder is written ${…}' }));
}

/** Inside a function call any brace is text (a JSON body to be hashed). */
function stripCalls(text: string): string {
  return text.replace(/\$\{[a-zA-Z0-9]+\([\s\S]*\)\}/g, '');
}

function checkConfigReferences(definition: ProviderDefinition): EntryIssue[] {
  const declared = new Set([
    ...Object.keys(definition.connection_config ?? {}),
    ...Object.keys(definition.proxy?.connection_config ?? {}),
    ...(definition.connection_configuration ?? []),
    ...(definition.token_response_metadata ?? []),
    ...(definition.redirect_uri_metadata ?? []),
    ...(definition.webhook_response_metadata ?? []),
    ...(CONFIG_READ_BY_MODE[definition.auth_mode] ?? []),
  ]);
  const texts = textsOf(definition, (path) => FREE_TEXT_KEYS.has(String(path[0])));
  const used = texts.flatMap(({ path, text }) => configKeys(text).map((key) => ({ path, key })));
  const undeclared = used.filter(({ key }) => !declared.has(key));
  return [
    ...undeclared.map(({ path, key }) => ({
      path,
      reason: `connectionConfig.${key} is not declared in connection_config`,
    })),
    ...(used.length === 0 && isConfigUnread(definition)
      ? [{ path: ['connection_config'], reason: 'nothing in the entry uses it' }]
      : []),
  ];
}

function configKeys(text: string): string[] {
  return pathsOf(parseTemplate(text)).flatMap((path) => /^connection_?[cC]onfig\.(.+)$/.exec(path)?.[1] ?? []);
}

/** Fields filled by a flow, read by the mode or by a handler need no placeholder. */
function isConfigUnread(definition: ProviderDefinition): boolean {
  const { alias, auth_mode: mode, connection_config: fields = {} } = definition;
  if (alias !== undefined || mode === 'MCP_OAUTH2_GENERIC' || mode === 'AWS_SIGV4') return false;
  const hasReader =
    Object.keys(definition).some((key) => key.endsWith('_script')) || definition.proxy?.connection_config !== undefined;
  const byMode = CONFIG_READ_BY_MODE[mode] ?? [];
  const asked = Object.entries(fields).filter(([name, field]) => !field.automated && !byMode.includes(name));
  return asked.length > 0 && !hasReader;
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
    .map(([key]) => ({ path: [key], reason: 'names no built-in handler' }));
}

const HEADER_MAPS = new Set(['headers', 'token_headers', 'refresh_token_headers']);

/** `host` could lead credentials to somebody else behind the same address, the others belong to the transport. */
function checkHeaders(definition: ProviderDefinition): EntryIssue[] {
  return textsOf(definition, (path) => FREE_TEXT_KEYS.has(String(path[0])))
    .filter(
      ({ path }) => HEADER_MAPS.has(String(path.at(-2))) && TRANSPORT_HEADERS.has(String(path.at(-1)).toLowerCase()),
    )
    .map(({ path }) => ({ path, reason: 'is set by the transport; an entry cannot change it' }));
}

/** A value at the end of a host chooses the domain, and with it who gets the credentials. */
function checkHosts(definition: ProviderDefinition): EntryIssue[] {
  const fields = { ...definition.credentials, ...definition.connection_config };
  return textsOf(definition, (path) => FREE_TEXT_KEYS.has(String(path[0]))).flatMap(({ path, text }) =>
    text.split('||').flatMap((address) => {
      const last = /^\s*[^:/?#]+:\/\/[^/?#]*\$\{([^}]+)\}(:\d+)?\s*([/?#]|$)/.exec(address)?.[1] ?? '';
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

function textsOf(
  value: unknown,
  skips: (path: (string | number)[]) => boolean,
  path: (string | number)[] = [],
): Array<{ path: (string | number)[]; text: string }> {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null || skips(path)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    textsOf(item, skips, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}
