import type { ExportedRecordDestination } from './export-file.ts';
import { type HubCalls, whyRefused } from './hub-calls.ts';
import type { ConflictRule, TransferRow } from './write-hub.ts';

const PATH = '/records/destinations';

/** The record destinations of a hub by their name; undefined when its API has none, or the key may not read them. */
export async function listRecordDestinations(
  hub: HubCalls,
): Promise<Map<string, ExportedRecordDestination> | undefined> {
  const { body, status } = await hub.send('GET', PATH);
  const { data } = (status < 400 && typeof body === 'object' ? body : {}) as { data?: ExportedRecordDestination[] };
  return Array.isArray(data) ? new Map(data.map((one) => [one.name, one])) : undefined;
}

/**
 * Creates record destinations paused: their passwords are in no file, and a file must not send records anywhere before a
 * person allows it. One of the same name gets the settings if the rule says so, and stays as it is otherwise.
 */
export async function writeRecordDestinations(
  hub: HubCalls,
  destinations: readonly ExportedRecordDestination[],
  conflict: ConflictRule,
  renamed: ReadonlyMap<string, string> = new Map(),
): Promise<TransferRow[]> {
  const rows: TransferRow[] = [];
  const present = destinations.length === 0 ? new Map() : await listRecordDestinations(hub);
  for (const one of destinations) {
    const row = { kind: 'record-destination', name: one.name } as const;
    const existing = present?.get(one.name);
    const integrations = one.integrations.map((key) => renamed.get(key) ?? key);
    if (!present) rows.push({ ...row, outcome: 'failed', detail: NO_DESTINATIONS });
    else if (existing && conflict !== 'replace') rows.push({ ...row, outcome: 'skipped', detail: 'already exists' });
    else if (existing && existing.kind !== one.kind)
      rows.push({ ...row, outcome: 'failed', detail: `there it is of the kind ${existing.kind}` });
    else if (!existing && one.kind === 'http') rows.push({ ...row, outcome: 'skipped', detail: SECRET_ADDRESS });
    else {
      const body = { integrations, models: one.models, connections: one.connections, ...settingsOf(one) };
      const answer = existing
        ? await hub.send('PATCH', `${PATH}/${existing.id}`, { body })
        : await hub.send('POST', PATH, {
            body: { name: one.name, kind: one.kind, paused: true, ...placeOf(one), ...body },
          });
      const problem = whyRefused(answer);
      if (problem !== undefined) rows.push({ ...row, outcome: 'failed', detail: problem });
      else if (existing) rows.push({ ...row, outcome: 'replaced' });
      else rows.push({ ...row, outcome: 'created', detail: pausedWords(one) });
    }
  }
  return rows;
}

export const NO_DESTINATIONS = 'the API of the other server has no record destinations';
export const SECRET_ADDRESS =
  'its address and token are secret, so they are not here: create it again with "homeport destinations create"';

/** What a person does before it delivers. */
export const pausedWords = ({ kind }: ExportedRecordDestination): string =>
  kind === 'postgres'
    ? 'paused; enter its connection with the password again, give it a schema of its own, and resume it'
    : 'paused; resume it';

/** What a change may set too. */
function settingsOf({ ca_certificate, deletions, kind, schema, tls }: ExportedRecordDestination): object {
  return kind === 'postgres' ? { schema, tls, ca_certificate, deletions } : {};
}

/** Of PostgreSQL the address without its password, which a person enters again. */
function placeOf({ kind, target }: ExportedRecordDestination): object {
  if (kind === 'ndjson') return { folder: target };
  const [, user = '', where = ''] = /^(.*)@([^@]+)$/.exec(target) ?? [];
  const [, socket, database] = /^(\/.*):\d+\/(.+)$/.exec(where) ?? [];
  const encoded = encodeURIComponent(user);
  return {
    connection_string:
      socket === undefined
        ? `postgres://${encoded}@${where}`
        : `postgres://${encoded}@/${database}?host=${encodeURIComponent(socket)}`,
  };
}
