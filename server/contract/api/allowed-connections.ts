import { z } from 'zod';

/**
 * Connections that a key may see and use, beside what its scopes allow (ui.md 6.14): those of an integration, one of
 * them, or those with tags; all members of a row have to fit.
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

/** Any row is enough; null = every connection. */
export const allowedConnections = z.array(allowedConnection).min(1).max(200).nullable();

export type AllowedConnections = z.infer<typeof allowedConnections>;
type Rows = NonNullable<AllowedConnections>;

interface NamedConnection {
  integrationKey: string;
  connectionId: string;
  tags: Readonly<Record<string, string>>;
}

/** Keys of tags are in lower case, as they are stored. */
export function allowsConnection(rows: Rows, { integrationKey, connectionId, tags }: NamedConnection): boolean {
  return rows.some(
    (row) =>
      (row.integrationKey === undefined || row.integrationKey === integrationKey) &&
      (row.connectionId === undefined || row.connectionId === connectionId) &&
      Object.entries(row.tags ?? {}).every(([key, value]) => tags[key.toLowerCase()] === value),
  );
}

/** Whether some connection of it may be among them. */
export function allowsIntegration(rows: Rows, key: string): boolean {
  return rows.some(({ integrationKey }) => integrationKey === undefined || integrationKey === key);
}

/** Whether a connection that does not exist yet may be made; undefined = an id that the hub chooses. */
export function allowsNewConnection(rows: Rows, integrationKey: string, connectionId: string | undefined): boolean {
  return rows.some(
    (row) =>
      row.integrationKey === integrationKey &&
      row.tags === undefined &&
      (row.connectionId === undefined || row.connectionId === connectionId),
  );
}
