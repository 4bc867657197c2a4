import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import type { HubClient } from './hub-client.ts';

export interface ListedConnection extends Record<string, unknown> {
  connection_id: string;
  provider_config_key: string;
  provider: string;
  status: 'ok' | 'auth_error' | 'sync_error' | 'paused';
  credentials?: Record<string, unknown>;
}

export interface ListedConnectionFilter {
  integrationId?: string | undefined;
  connectionId?: string | undefined;
  endUserId?: string | undefined;
}

export async function listConnections(hub: HubClient, query: ListedConnectionFilter): Promise<ListedConnection[]> {
  return (
    await hub.call<{ connections: ListedConnection[] }>('GET', '/connections', {
      query: { ...query, includeStatus: 'true' },
    })
  ).connections;
}

/** The connection that is meant. Connections of several integrations may have the same id. */
export async function locateConnection(
  { terminal }: CliContext,
  hub: HubClient,
  connectionId: string,
  integrationId: string | undefined,
): Promise<ListedConnection> {
  const all = await listConnections(hub, { integrationId, connectionId });
  const found = all.filter(({ connection_id }) => connection_id === connectionId);
  const [only, ...others] = found;
  if (!only) {
    const where = integrationId === undefined ? '' : ` of ${integrationId}`;
    throw new CliFailure(
      `There is no connection "${connectionId}"${where}. "homeport connections list" shows all of them.`,
    );
  }
  if (others.length === 0) return only;
  const choices = found.map((value) => ({ label: value.provider_config_key, value }));
  return terminal.choose(
    'Of which integration? (number)',
    choices,
    `Several integrations have a connection "${connectionId}". Choose with --integration.`,
  );
}

/** The headers by which the public API names a connection. */
export function headersOfConnection({ connection_id, provider_config_key }: ListedConnection): Record<string, string> {
  return { 'connection-id': connection_id, 'provider-config-key': provider_config_key };
}

/** A number of things, as options such as `--limit` take it. */
export function readCount(option: string, text: string, most: number): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1 && number <= most) return number;
  throw new CliFailure(`${option} takes a number from 1 to ${most}, not "${text}".`, EXIT.usage);
}
