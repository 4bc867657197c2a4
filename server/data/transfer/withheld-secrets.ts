import type { ProviderEntry } from '../../integrations/catalog/entry-schema.ts';
import { splitConfig } from '../../integrations/catalog/secret-config.ts';
import { hasSecretAddress, isRedactedKey } from '../../platform/lib/secrets.ts';
import type { ExportedConnection, ExportedDestination, ExportFile } from './export-file.ts';

/** A secret that was removed from the readable part of an export, with its path in the file. */
export interface WithheldSecret {
  path: string[];
  value: unknown;
}

type Contents = Pick<ExportFile, 'settings' | 'integrations' | 'connections' | 'webhook_destinations'>;
type Fields = Pick<ProviderEntry, 'connection_config'>;

/** Lists whose members are all secret. */
const SECRET_LISTS: ReadonlySet<string> = new Set(['otlp_headers']);

/** Members that identify an object. An import could not find the object without them. */
const IDENTITIES: ReadonlySet<string> = new Set(['unique_key', 'provider', 'connection_id', 'provider_config_key']);

/**
 * Splits an environment into a readable part and its secrets: secret fields of configurations, members with secret
 * names, and addresses that contain a password or a token. `fieldsOf` returns the configuration fields of a
 * connection's provider; without them the whole configuration is treated as secret.
 */
export function withholdSecrets(
  contents: Contents,
  fieldsOf: (connection: ExportedConnection) => Fields | undefined,
): { readable: Contents; withheld: WithheldSecret[] } {
  const withheld: WithheldSecret[] = [];
  const take = (value: unknown, path: string[], isWebhook = false): unknown => {
    if (isSecret(value, path.at(-1) ?? '', isWebhook)) {
      withheld.push({ path, value });
      return undefined;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return defined(Object.entries(value).map(([name, member]) => [name, take(member, [...path, name], isWebhook)]));
  };
  const takeConnection = (connection: ExportedConnection, index: number): ExportedConnection => {
    const at = ['connections', String(index)];
    const { connection_config: config, webhook_url_override: override, ...rest } = connection;
    const fields = fieldsOf(connection);
    const { readable, secret } = fields ? splitConfig(config, fields) : { readable: {}, secret: config };
    for (const [name, value] of Object.entries(secret))
      withheld.push({ path: [...at, 'connection_config', name], value });
    return {
      ...(take(rest, at) as ExportedConnection),
      connection_config: take(readable, [...at, 'connection_config']) as ExportedConnection['connection_config'],
      ...(defined([
        ['webhook_url_override', take(override, [...at, 'webhook_url_override'], true)],
      ]) as Partial<ExportedConnection>),
    };
  };
  const readable: Contents = {
    settings: take(contents.settings, ['settings'], true) as Contents['settings'],
    integrations: contents.integrations.map(
      (integration, index) => take(integration, ['integrations', String(index)]) as Contents['integrations'][number],
    ),
    connections: contents.connections.map(takeConnection),
    webhook_destinations: contents.webhook_destinations.map(
      (destination, index) => take(destination, ['webhook_destinations', String(index)], true) as ExportedDestination,
    ),
  };
  return { readable, withheld };
}

/** Puts the secrets back at their paths. */
export function restoreSecrets(file: ExportFile, withheld: readonly WithheldSecret[]): ExportFile {
  const whole = structuredClone(file);
  for (const { path, value } of withheld) {
    let target = whole as Record<string, unknown>;
    for (const name of path.slice(0, -1)) target = ownMember(target, name);
    Object.defineProperty(target, path.at(-1) ?? '', { value, enumerable: true, writable: true, configurable: true });
  }
  return whole;
}

/** Describes for people what is left out of the file: "connection acme/mine: connection_config.token". */
export function describeWithheld(file: Contents, withheld: readonly WithheldSecret[]): string[] {
  return withheld.map(({ path: [part = '', ...rest] }) => {
    if (part === 'settings') return `settings: ${rest.join('.')}`;
    const [index = '', ...member] = rest;
    if (part === 'integrations')
      return `integration ${file.integrations[Number(index)]?.unique_key}: ${member.join('.')}`;
    if (part === 'webhook_destinations')
      return `webhook destination ${file.webhook_destinations[Number(index)]?.name ?? Number(index) + 1}: ${member.join('.')}`;
    const { connection_id, provider_config_key } = file.connections[Number(index)] ?? {};
    return `connection ${provider_config_key}/${connection_id}: ${member.join('.')}`;
  });
}

/** A list is withheld as a whole, because a list with gaps would be a different list. */
function isSecret(value: unknown, name: string, isWebhook: boolean): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return false;
  if (IDENTITIES.has(name)) return false;
  if (isRedactedKey(name)) return true;
  if (SECRET_LISTS.has(name)) return Array.isArray(value) && value.length > 0;
  if (typeof value === 'string') return hasSecretAddress(value, { isWebhook });
  return Array.isArray(value) && value.some((item) => holdsSecret(item, isWebhook));
}

function holdsSecret(value: unknown, isWebhook: boolean): boolean {
  if (isSecret(value, '', isWebhook)) return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, item]) => isSecret(item, name, isWebhook) || holdsSecret(item, isWebhook));
}

function defined(members: Array<[string, unknown]>): Record<string, unknown> {
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** Returns the member of this name; creates it if it is missing. */
function ownMember(target: Record<string, unknown>, name: string): Record<string, unknown> {
  const member = Object.hasOwn(target, name) ? target[name] : undefined;
  if (typeof member === 'object' && member !== null) return member as Record<string, unknown>;
  const made: Record<string, unknown> = {};
  Object.defineProperty(target, name, { value: made, enumerable: true, writable: true, configurable: true });
  return made;
}
