import { z } from 'zod';

/**
 * One rule about which connections a key may see and use, in addition to its scopes (ui.md 6.14): those of an
 * integration, a single one, or those with tags. All members of a rule must match.
 */
export const allowedConnection = z
  .strictObject({
    integrationKey: z.string().min(1).max(255).optional(),
    connectionId: z.string().min(1).max(255).optional(),
    tags: z.record(z.string().min(1).max(64), z.string().max(255)).optional(),
  })
  .refine(({ integrationKey, connectionId }) => connectionId === undefined || integrationKey !== undefined, {
    message: 'A connection is named together with its integration.',
  })
  .refine(({ integrationKey, tags }) => integrationKey !== undefined || Object.keys(tags ?? {}).length > 0, {
    message: 'Name an integration or a tag.',
  });

/** One matching rule is enough. Null means every connection. */
export const allowedConnections = z.array(allowedConnection).min(1).max(200).nullable();

export type AllowedConnections = z.infer<typeof allowedConnections>;
type Rows = NonNullable<AllowedConnections>;

interface NamedConnection {
  integrationKey: string;
  connectionId: string;
  tags: Readonly<Record<string, string>>;
}

/** Tag keys are in lower case, as stored. */
export function allowsConnection(rows: Rows, { integrationKey, connectionId, tags }: NamedConnection): boolean {
  return rows.some(
    (row) =>
      (row.integrationKey === undefined || row.integrationKey === integrationKey) &&
      (row.connectionId === undefined || row.connectionId === connectionId) &&
      Object.entries(row.tags ?? {}).every(([key, value]) => tags[key.toLowerCase()] === value),
  );
}

/** Whether at least one connection of the integration can be allowed. */
export function allowsIntegration(rows: Rows, key: string): boolean {
  return rows.some(({ integrationKey }) => integrationKey === undefined || integrationKey === key);
}

/** Whether a new connection may be created. Without an id the hub chooses one. */
export function allowsNewConnection(rows: Rows, integrationKey: string, connectionId: string | undefined): boolean {
  return rows.some(
    (row) =>
      row.integrationKey === integrationKey &&
      row.tags === undefined &&
      (row.connectionId === undefined || row.connectionId === connectionId),
  );
}
