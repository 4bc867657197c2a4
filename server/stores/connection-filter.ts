import type { SqlValue } from '../database/database.ts';

/** Which connections a list shows; all given members must match. */
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

/** As SQL, for connections `c` and integrations `i`. */
export function conditionsOf(filter: ConnectionFilter): { where: string; params: SqlValue[] } {
  const where = ['c.environment_id = ?', 'c.deleted_at IS NULL'];
  const params: SqlValue[] = [filter.environmentId];
  const add = (condition: string, ...values: SqlValue[]): void => {
    where.push(condition);
    params.push(...values);
  };
  if (filter.connectionId !== undefined) add('c.connection_id = ?', filter.connectionId);
  if (filter.endUserId !== undefined) add("c.end_user ->> 'id' = ?", filter.endUserId);
  if (filter.organizationId !== undefined) add("c.end_user ->> '$.organization.id' = ?", filter.organizationId);
  if (filter.integrationKeys)
    add('i.unique_key IN (SELECT value FROM json_each(?))', JSON.stringify(filter.integrationKeys));
  for (const [key, value] of Object.entries(filter.tags ?? {})) {
    add('EXISTS (SELECT 1 FROM json_each(c.tags) AS tag WHERE tag.key = ? AND tag.value = ?)', key, value);
  }
  if (filter.search !== undefined) {
    const pattern = likePattern(filter.search);
    add(
      "(c.connection_id LIKE ? ESCAPE '\\' OR c.end_user ->> 'displayName' LIKE ? ESCAPE '\\' OR c.end_user ->> 'email' LIKE ? ESCAPE '\\')",
      pattern,
      pattern,
      pattern,
    );
  }
  return { where: where.join(' AND '), params };
}

/** `%` and `_` stand for themselves in a search. */
function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
