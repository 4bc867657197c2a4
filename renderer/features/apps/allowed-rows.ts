import type { AllowedConnections } from '../../api/contract.ts';

type Row = NonNullable<AllowedConnections>[number];

/** "github", "github: me", "team=blue", "github, team=blue". */
export function rowText({ connectionId, integrationKey, tags }: Row): string {
  const named = connectionId === undefined ? integrationKey : `${integrationKey}: ${connectionId}`;
  return [named, ...Object.entries(tags ?? {}).map(([key, value]) => `${key}=${value}`)]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** "All", "1 rule", "github: me". */
export function allowedText(rows: AllowedConnections): string {
  if (rows === null) return 'All';
  const [only, ...others] = rows;
  return only && others.length === 0 ? rowText(only) : `${rows.length} rules`;
}

/** The rows as the three fields hold them; `others` combine an integration with tags, which only the API can create. */
export interface AllowedFields {
  integrations: string[];
  connections: Row[];
  tags: string[];
  others: Row[];
}

export function allowedFieldsOf(rows: NonNullable<AllowedConnections>): AllowedFields {
  const fields: AllowedFields = { integrations: [], connections: [], tags: [], others: [] };
  for (const row of rows) {
    const pairs = Object.entries(row.tags ?? {});
    const [pair, ...more] = pairs;
    if (row.integrationKey !== undefined && pairs.length === 0) {
      if (row.connectionId === undefined) fields.integrations.push(row.integrationKey);
      else fields.connections.push(row);
    } else if (row.integrationKey === undefined && pair && more.length === 0) fields.tags.push(`${pair[0]}=${pair[1]}`);
    else fields.others.push(row);
  }
  return fields;
}

/** Skips texts that are not `key=value`. */
export function rowsOf({ connections, integrations, others, tags }: AllowedFields): Row[] {
  const tagged = tags.flatMap((text): Row[] => {
    const at = text.indexOf('=');
    const key = text.slice(0, at).trim();
    return at < 1 || key === '' ? [] : [{ tags: { [key]: text.slice(at + 1).trim() } }];
  });
  return [...integrations.map((integrationKey) => ({ integrationKey })), ...connections, ...tagged, ...others];
}
