import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import { splitConfig } from '../integrations/catalog/secret-config.ts';
import type { TemplateContext } from '../integrations/catalog/template/resolve-template.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { exactSecretsOf, isRedactedKey } from '../platform/lib/secrets.ts';
import { buildProviderRequest } from './build-request.ts';
import type { ProxyTarget } from './proxy-types.ts';
import type { RequestPlan } from './request-plan.ts';
import { integrationOrigin } from './request-url.ts';

/** A part of a credential that a program puts into its requests. */
export const CREDENTIAL_PARTS = ['token', 'username', 'password'] as const;
export type CredentialPart = (typeof CREDENTIAL_PARTS)[number];

/** How requests that another program builds get the credential of a connection. */
export interface RequestCredential {
  /** Whether the credential may go to this address (design.md 7.48). */
  isOwn(url: URL): boolean;
  /** Hosts that may be loopback or private, because the user wrote them. */
  literalHosts: readonly string[];
  /** Client certificate and key, PEM. */
  tls: { cert: string; key: string } | undefined;
  /** Names of headers and of parameters of the query in which the entry sends the credential; lower-case headers. */
  headers: ReadonlySet<string>;
  parameters: ReadonlySet<string>;
  /** For an entry whose base address contains a part of the credential: what stands before and behind it. */
  basePath: { before: string; part: CredentialPart; after: string } | undefined;
  parts: ReadonlyMap<CredentialPart, string>;
  /** Texts that no response may repeat. */
  secrets: readonly string[];
  providerName: string;
  entry: ProviderEntry;
  /** Where git uses the credential. */
  gitHost: { url: string; username: string } | undefined;
}

/** Values that stand for the parts of a credential while the places are looked for. */
const MARKS: Readonly<Record<CredentialPart, string>> = {
  token: 'homeport-token-mark',
  username: 'homeport-username-mark',
  password: 'homeport-password-mark',
};

/**
 * The places are those of a request that the entry builds. Throws `unsupported_auth` for credentials of which requests
 * carry a signature only, and the errors of `buildProviderRequest`.
 */
export function describeCredential(input: {
  plan: RequestPlan;
  target: ProxyTarget;
  now: number;
  random: string;
  allowedHosts: readonly string[];
}): RequestCredential {
  const { plan, target } = input;
  const fields = partsOf(target.connection.credentials);
  if (fields.length === 0)
    throw new HomeportError(
      'unsupported_auth',
      `Requests with the credentials of "${target.connection.connectionId}" are signed, or carry none. A placeholder cannot stand for them; use "homeport proxy" or an action.`,
    );
  const { credentials } = target.connection;
  const marked = Object.fromEntries(fields.map(([part, field]) => [field, MARKS[part]]));
  const built = buildProviderRequest({
    ...input,
    request: { method: 'GET', endpoint: '/' },
    target: {
      ...target,
      connection: { ...target.connection, credentials: { ...credentials, ...marked } },
    },
  });
  const headers = Object.entries(built.headers).filter(([, value]) => isMarked(plainHeader(value)));
  const parameters = [...built.url.searchParams].filter(([, value]) => isMarked(value));
  const { headers: further = [] } = plan.entry.programs ?? {};
  const gitHost = gitHostOf(input, built.addressContext);
  return {
    providerName: target.providerName,
    entry: plan.entry,
    gitHost,
    isOwn: (url) => built.isOwn(url) || url.origin === gitHost?.url,
    literalHosts: built.literalHosts,
    tls: built.tls,
    headers: new Set([...headers.map(([name]) => name), ...built.sensitiveHeaders, ...further]),
    parameters: new Set(parameters.map(([name]) => name)),
    basePath: basePathOf(built.url.pathname),
    parts: new Map(fields.map(([part, field]) => [part, textOf(credentials[field])])),
    secrets: secretsOfConnection(target, plan.entry),
  };
}

function basePathOf(pathname: string): RequestCredential['basePath'] {
  for (const part of CREDENTIAL_PARTS) {
    const [before, after] = pathname.replace(/\/$/, '').split(MARKS[part]);
    if (before !== undefined && after !== undefined) return { before, part, after };
  }
  return undefined;
}

/** The origin, with values of the connection. Undefined when the connection lacks one. */
function gitHostOf(
  { plan }: { plan: RequestPlan },
  context: TemplateContext,
): { url: string; username: string } | undefined {
  const { git } = plan.entry.programs ?? {};
  const url = git && integrationOrigin(git.url, context, plan);
  return url === undefined || !git ? undefined : { url, username: git.username };
}

/** The members of the stored credentials that requests carry as they are. */
function partsOf(credentials: ProxyTarget['connection']['credentials']): Array<[CredentialPart, string]> {
  switch (credentials.type) {
    case 'OAUTH2':
    case 'APP':
      return [['token', 'access_token']];
    case 'OAUTH2_CC':
    case 'JWT':
    case 'SIGNATURE':
    case 'TWO_STEP':
      return [['token', 'token']];
    case 'API_KEY':
      return [['token', 'apiKey']];
    case 'BASIC':
      return [
        ['username', 'username'],
        ['password', 'password'],
      ];
    default:
      return [];
  }
}

/** A header as a person reads it: the user name and the password of a Basic header in plain text. */
export function plainHeader(value: string): string {
  const encoded = /^basic +([a-z0-9+/_=-]+)$/i.exec(value.trim())?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString();
}

function isMarked(text: string): boolean {
  return Object.values(MARKS).some((mark) => text.includes(mark));
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/**
 * What an agent or a program must not see of a connection and its integration, also when a provider or a function
 * repeats it.
 */
export function secretsOfConnection(
  {
    connection,
    integration,
  }: {
    connection: Pick<ProxyTarget['connection'], 'credentials' | 'connectionConfig'>;
    integration: { clientSecret?: string | undefined; custom?: Record<string, string> | undefined };
  },
  entry: ProviderEntry | undefined,
): string[] {
  const { secret } = splitConfig(connection.connectionConfig, entry);
  return exactSecretsOf(
    connection.credentials,
    secret,
    integration.clientSecret,
    Object.entries(integration.custom ?? {})
      .filter(([name]) => isRedactedKey(name))
      .map(([, value]) => value),
  );
}
