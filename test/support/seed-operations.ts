import { join } from 'node:path';
import { type MessageRow, MessagesStore } from '../../server/log/messages.store.ts';
import { type OperationRow, OperationsStore } from '../../server/log/operations.store.ts';
import { Database } from '../../server/platform/database/database.ts';

/** Within the day that the log shows by default, with time for a long run of the bench. */
const PERIOD_MS = 12 * 3_600_000;
const BATCH = 2_000;
const KINDS = [
  { type: 'proxy', action: 'call' },
  { type: 'sync', action: 'run' },
  { type: 'action', action: 'run' },
  { type: 'webhook', action: 'incoming' },
] as const;

/** A word that one of this many operations has in a message. */
export const RARE_WORD = { word: 'needle', oneIn: 1_000 } as const;

/**
 * Writes ended operations of the first environment into the data folder of a stopped hub, oldest first, with
 * `messagesEach` messages each.
 */
export async function seedOperations(home: string, count: number, messagesEach = 0): Promise<void> {
  const database = await Database.open({ file: join(home, 'homeport.db') });
  const store = new OperationsStore();
  const messages = new MessagesStore();
  const from = Date.now() - PERIOD_MS;
  try {
    // What the hub wrote before comes first in the log, and so by its time; still within the day that is shown.
    await database.transaction((tx) =>
      tx.run('UPDATE log_operations SET created_at = created_at - ?', [1.5 * PERIOD_MS]),
    );
    for (let offset = 0; offset < count; offset += BATCH) {
      const rows = Array.from({ length: Math.min(BATCH, count - offset) }, (_, index) =>
        operation(offset + index, from + Math.floor(((offset + index) / count) * (PERIOD_MS - 60_000))),
      );
      const texts = rows.flatMap((row, index) => messagesOf(row, offset + index, messagesEach));
      await database.transaction(async (tx) => {
        await store.upsert(tx, rows);
        await messages.insert(tx, texts);
      });
    }
  } finally {
    await database.close();
  }
}

/** The number of operations in the database of a running hub. */
export async function countOperations(home: string): Promise<number> {
  const database = await Database.open({ file: join(home, 'homeport.db') });
  try {
    const row = await database.reader.get<{ count: number }>('SELECT count(*) AS count FROM log_operations');
    return row?.count ?? 0;
  } finally {
    await database.close();
  }
}

function operation(index: number, createdAt: number): OperationRow {
  const kind = KINDS[index % KINDS.length] ?? KINDS[0];
  const durationMs = (index * 37) % 5_000;
  const hasFailed = index % 20 === 0;
  return {
    id: `seed-${index}`,
    environmentId: 1,
    ...kind,
    state: hasFailed ? 'failed' : 'success',
    message: `GET /items/${index}?page=${index % 50}`,
    integrationKey: `integration-${index % 40}`,
    providerName: 'bench-upstream',
    connectionId: `connection-${index % 2_000}`,
    endUserId: null,
    sessionId: null,
    endUserName: null,
    functionName: kind.type === 'proxy' ? null : `function-${index % 100}`,
    jobId: null,
    trigger: 'schedule',
    actor: null,
    httpCalls: index % 5,
    recordsChanged: index % 300,
    recordsAdded: index % 300,
    recordsUpdated: 0,
    recordsDeleted: 0,
    variant: null,
    createdAt,
    updatedAt: createdAt + durationMs,
    startedAt: createdAt,
    endedAt: createdAt + durationMs,
    expiresAt: null,
    durationMs,
    cpuMs: null,
    memoryBytes: null,
    error: hasFailed ? { name: 'Error', message: 'The provider answered 503' } : null,
    details: null,
  };
}

function messagesOf({ id, createdAt }: OperationRow, index: number, count: number): MessageRow[] {
  return Array.from({ length: count }, (_, at) => ({
    operationId: id,
    createdAt: createdAt + at,
    level: at % 3 === 0 ? 'warn' : 'info',
    type: 'log',
    source: 'user',
    context: 'script',
    durationMs: null,
    message:
      at === 0 && index % RARE_WORD.oneIn === 0
        ? `The ${RARE_WORD.word} of item ${index}`
        : `Page ${at} of item ${index} was stored, the provider answered slowly`,
    details: { meta: { page: at, item: index } },
  }));
}
