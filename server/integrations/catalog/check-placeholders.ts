import { nearestName } from '../../platform/lib/nearest-name.ts';
import type { EntryIssue } from './catalog-problem.ts';
import type { ProviderDefinition } from './entry-schema.ts';
import { type AuthMode, CONFIG_READ_BY_MODE } from './provider-modes.ts';
import { REQUEST_NAMES } from './sensitive-changes.ts';
import { FUNCTION_NAMES, parseTemplate, pathsOf } from './template/parse-template.ts';

/**
 * Members of an entry that are texts for people or values that a person entered. Placeholders in them are not filled.
 */
export const FREE_TEXT_KEYS = new Set([
  'setup_steps',
  'credentials',
  'connection_config',
  'integration_config',
  'assertion_option',
]);

/** Checks that every placeholder can be filled and every field of the configuration is used (providers.md 4). */
export function checkPlaceholders(definition: ProviderDefinition): EntryIssue[] {
  return [...checkBraces(definition), ...checkConfigReferences(definition), ...checkNames(definition)];
}

/** `{` starts a placeholder only after `$` (or `]`). Without `$` the braces would be sent as text. */
function checkBraces(definition: ProviderDefinition): EntryIssue[] {
  return textsOf(definition, (path) => path.length === 1 && FREE_TEXT_KEYS.has(String(path[0])))
    .filter(({ text, path }) => !path.includes('data') && /(^|[^$\]])\{(?!\})/.test(stripCalls(text)))
    .map(({ path }) => ({ path, reason: 'a placeholder is written ${…}' }));
}

/** Inside a function call braces are text (for example a JSON body to be hashed). */
function stripCalls(text: string): string {
  const start = text.search(/\$\{[a-zA-Z0-9]+\(/);
  const end = text.lastIndexOf(')}');
  return start >= 0 && end > start ? text.slice(0, start) + text.slice(end + 2) : text;
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
    ...undeclared.map(({ path, key }) => {
      const meant = nearestName(key, declared);
      const hint = meant ? `; did you mean \${connectionConfig.${meant}}?` : '';
      return { path, reason: `connectionConfig.${key} is not declared in connection_config${hint}` };
    }),
  ];
}

/** Finds fields that a person would fill in without effect. */
export function checkUnusedConfig(definition: ProviderDefinition): EntryIssue[] {
  const texts = textsOf(definition, (path) => FREE_TEXT_KEYS.has(String(path[0])));
  const isUsed = texts.some(({ text }) => configKeys(text).length > 0);
  return !isUsed && isConfigUnread(definition)
    ? [{ path: ['connection_config'], reason: 'nothing in the entry uses it' }]
    : [];
}

function configKeys(text: string): string[] {
  return pathsOf(parseTemplate(text)).flatMap((path) => /^connection_?[cC]onfig\.(.+)$/.exec(path)?.[1] ?? []);
}

/** Fields that are filled by a flow, or read by the mode or by a handler, need no placeholder. */
function isConfigUnread(definition: ProviderDefinition): boolean {
  const { alias, auth_mode: mode, connection_config: fields = {} } = definition;
  if (alias !== undefined || mode === 'MCP_OAUTH2_GENERIC' || mode === 'AWS_SIGV4') return false;
  const hasReader =
    Object.keys(definition).some((key) => key.endsWith('_script')) || definition.proxy?.connection_config !== undefined;
  const byMode = CONFIG_READ_BY_MODE[mode] ?? [];
  const asked = Object.entries(fields).filter(([name, field]) => !field.automated && !byMode.includes(name));
  return asked.length > 0 && !hasReader;
}

const NAMES_BY_MODE: Partial<Record<AuthMode, readonly string[]>> = {
  API_KEY: ['apiKey'],
  BASIC: ['username', 'password'],
  NONE: [],
};
/** Names in the token responses of modes that obtain tokens from a provider. */
const TOKEN_NAMES = [
  'accessToken',
  'access_token',
  'refresh_token',
  'id_token',
  'token',
  'assertion',
  'clientId',
  'clientSecret',
  'client_id',
  'client_secret',
  'username',
  'password',
  'raw',
];

/** A header or parameter with an unknown name would be left out, and the provider would answer 401. */
function checkNames(definition: ProviderDefinition): EntryIssue[] {
  const { auth_mode: mode, connection_config: config = {} } = definition;
  const ofMode = NAMES_BY_MODE[mode];
  const fields = [
    ...(ofMode ?? TOKEN_NAMES),
    ...Object.keys(definition.credentials ?? {}),
    ...Object.keys(definition.integration_config ?? {}),
    ...(definition.token_response_headers ?? []),
    ...(definition.token_response_metadata ?? []),
  ];
  return textsOf(definition, (path) => FREE_TEXT_KEYS.has(String(path[0]))).flatMap(({ path, text }) => {
    // Addresses for authorization may leave out `connectionConfig.`.
    const isAddress = path.some((key) => /_url$/.test(String(key))) && path[0] !== 'proxy';
    const bare = [...fields, ...(isAddress ? Object.keys(config) : [])];
    return pathsOf(parseTemplate(text))
      .filter((name) => !isKnown(name, bare, ofMode !== undefined))
      .map((name) => ({ path, reason: `there is no \${${shown(name)}}${meantBy(name)}` }));
    function meantBy(name: string): string {
      const names = [
        ...bare.flatMap((field) => [field, `credentials.${field}`]),
        ...Object.keys(config).map((field) => `connectionConfig.${field}`),
        ...FUNCTION_NAMES.map((one) => `${one}(…)`),
        ...REQUEST_NAMES,
        'now',
      ];
      const meant = nearestName(/^now\W/.test(name) ? 'now' : shown(name), names);
      if (meant) return `; did you mean \${${meant}}?`;
      return fields.length > 0
        ? `; ${mode} knows ${[...new Set(fields)].map((field) => `\${${field}}`).join(', ')}`
        : '';
    }
  });
}

function isKnown(name: string, bare: readonly string[], isClosed: boolean): boolean {
  if (/^(connection_?[cC]onfig|metadata|assertionOption|step\d+)\../.test(name) || REQUEST_NAMES.has(name)) return true;
  const [, root, field = name] = /^(credentials)\.(.+)$/.exec(name) ?? [];
  // Every member of a token response is stored with the credentials, so any name is possible.
  if (root && !isClosed) return true;
  return bare.includes(field) || bare.includes(field.split('.')[0] ?? '');
}

/** The name of a call without its arguments. */
function shown(name: string): string {
  return name.replace(/\([\s\S]*$/, '(…)');
}

export function textsOf(
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
