import type { Readable } from '../../database/database.ts';
import type { ConnectionMatchesStore, ConnectionMatchFilter } from '../../stores/connection-matches-store.ts';
import type { MatchTarget, RoutedConnection } from './routing/webhook-routing.ts';

/** A connection that a webhook concerns. */
export interface MatchedConnection extends RoutedConnection {
  id: number;
  webhookUrlOverride: string | null;
}

export interface MatchConnectionsUse {
  database: { reader: Readable };
  matches: ConnectionMatchesStore;
}

const METADATA = 'metadata.';

/** Connections of an integration that fit (webhooks.md 2.2). */
export async function matchConnections(
  { database, matches }: MatchConnectionsUse,
  integrationId: number,
  target: MatchTarget,
): Promise<MatchedConnection[]> {
  const filter = target === 'all' ? undefined : toFilter(target);
  if (filter?.text === '') return [];
  const rows = filter
    ? await matches.list(database.reader, integrationId, filter)
    : await matches.listAll(database.reader, integrationId);
  return rows.map((row) => ({ ...row, metadata: row.metadata ?? {} }));
}

function toFilter({ property, value }: Exclude<MatchTarget, 'all'>): ConnectionMatchFilter {
  const text = textOf(value);
  if (property === 'connectionId') return { in: 'connectionId', key: '', text };
  if (property.startsWith(METADATA)) return { in: 'metadata', key: property.slice(METADATA.length), text };
  return { in: 'config', key: property, text };
}

/** Values compare as text; what has none fits nobody. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
