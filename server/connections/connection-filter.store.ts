import { Conditions } from '../platform/database/conditions.ts';

/** Selects the connections of a list; all given members must match. */
export interface ConnectionFilter {
  environmentId: number;
  connectionId?: string;
  search?: string;
  endUserId?: string;
  organizationId?: string;
  integrationKeys?: string[];
  tags?: Record<string, string>;
  limit: number;
  offset: number;
}

/** The filter as SQL, for connections `c` and integrations `i`. */
export function conditionsOf(filter: ConnectionFilter): Conditions {
  const where = new Conditions('c.environment_id = ? AND c.deleted_at IS NULL', filter.environmentId);
  if (filter.connectionId !== undefined) where.add('c.connection_id = ?', filter.connectionId);
  if (filter.endUserId !== undefined) where.add("c.end_user ->> 'id' = ?", filter.endUserId);
  if (filter.organizationId !== undefined) where.add("c.end_user ->> '$.organization.id' = ?", filter.organizationId);
  where.addOneOf('i.unique_key', filter.integrationKeys);
  for (const [key, value] of Object.entries(filter.tags ?? {}))
    where.add('EXISTS (SELECT 1 FROM json_each(c.tags) AS tag WHERE tag.key = ? AND tag.value = ?)', key, value);
  if (filter.search !== undefined)
    where.addContains(['c.connection_id', "c.end_user ->> 'displayName'", "c.end_user ->> 'email'"], filter.search);
  return where;
}
