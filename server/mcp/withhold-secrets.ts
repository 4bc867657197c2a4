import type { ConnectionsService } from '../connections/connections.service.ts';
import type { CatalogLookup } from '../integrations/catalog/catalog.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { SecretReplacer } from '../platform/lib/secret-replacer.ts';
import { jsonSpellings } from '../platform/lib/secret-spellings.ts';
import { secretsOfConnection } from '../proxy/proxy.service.ts';
import type { McpContext } from './mcp.service.ts';

/**
 * Runs the work, and takes the secrets of the connection out of what it resolves to or throws. `clean` does the same for
 * what the work stores.
 */
export type WithholdSecrets = <Result>(
  context: Pick<McpContext, 'environment' | 'integration' | 'connection'>,
  work: (clean: CleanOfSecrets) => Promise<Result>,
) => Promise<Result>;

export type CleanOfSecrets = <T>(value: T) => Promise<T>;

/** Reads the secrets of a connection and of its integration. */
export type ReadSecrets = (
  context: Pick<McpContext, 'environment' | 'integration' | 'connection'>,
) => Promise<string[]>;

export function createReadSecrets(use: {
  catalog: CatalogLookup;
  connections: Pick<ConnectionsService, 'credentials'>;
  integrations: Pick<IntegrationsService, 'readAppCredentials' | 'readCustom'>;
}): ReadSecrets {
  const { catalog, connections, integrations } = use;
  return async ({ connection, environment, integration }) => {
    const [credentials, config, { clientSecret }, custom] = await Promise.all([
      connections.credentials.read(connection),
      connections.credentials.readConfig(connection),
      integrations.readAppCredentials(environment.id, integration.uniqueKey),
      integrations.readCustom(environment.id, integration.uniqueKey),
    ]);
    const target = { credentials, connectionConfig: config };
    return secretsOfConnection(
      { connection: target, integration: { clientSecret, custom } },
      catalog.find(integration.provider),
    );
  };
}

/** An agent never sees a credential (agents.md 1), also not when a provider or a function repeats one. */
export function createWithholdSecrets(readSecrets: ReadSecrets): WithholdSecrets {
  return async (context, work) => {
    const read = (): Promise<string[]> => readSecrets(context);
    const before = await read();
    // A call can renew the credentials. When it also lost the connection, there are no newer ones.
    const replacer = async (): Promise<SecretReplacer> => {
      const after = await read().catch((error: unknown) => {
        if (error instanceof HomeportError) return [];
        throw error;
      });
      return new SecretReplacer([...before, ...after].flatMap(jsonSpellings));
    };
    try {
      const result = await work(async (value) => withoutSecrets(value, await replacer()));
      return withoutSecrets(result, await replacer());
    } catch (error) {
      throw error instanceof HomeportError ? errorWithout(error, await replacer()) : error;
    }
  };
}

/** Texts and names of members at any depth. */
function withoutSecrets<T>(value: T, replacer: SecretReplacer): T {
  const clean = (one: unknown): unknown => {
    if (typeof one === 'string') return replacer.replace(one);
    if (typeof one !== 'object' || one === null) return one;
    if (Array.isArray(one)) return one.map(clean);
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [replacer.replace(name), clean(member)]));
  };
  return clean(value) as T;
}

function errorWithout(error: HomeportError, replacer: SecretReplacer): HomeportError {
  const { body, cause, code, issues, members, message, payload, retryAfterS, silent, status } = error;
  const shown = withoutSecrets({ body, issues, members, payload }, replacer);
  return new HomeportError(code, replacer.replace(message), {
    status,
    silent,
    cause,
    payload: shown.payload,
    ...(shown.body ? { body: shown.body } : {}),
    ...(shown.issues ? { issues: shown.issues } : {}),
    ...(shown.members ? { members: shown.members } : {}),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  });
}
