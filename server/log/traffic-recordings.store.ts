import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** Facts about one body, without its bytes. */
export interface RecordedBodyFacts {
  contentType: string | null;
  /** Size of the whole body, as it was passed on. */
  sizeBytes: number;
  /** True when only the beginning of the body is kept. */
  isCut: boolean;
}

export interface RecordingFacts {
  /** Null when there was no body. */
  request: RecordedBodyFacts | null;
  answer: RecordedBodyFacts | null;
}

/** Sealed bodies; null where there is no body. */
export interface RecordingRow {
  id: string;
  facts: RecordingFacts;
  request: Buffer | null;
  answer: Buffer | null;
}

export interface RecordingInsert extends RecordingRow {
  operationId: string;
  /** The size that counts against the limit. */
  sizeBytes: number;
}

export interface RecordingState {
  isOn: boolean;
  mostBytes: number;
  usedBytes: number;
}

/** Recorded bodies of requests to providers; triggers count their bytes. */
export class TrafficRecordingsStore {
  async getState(db: ReadHandle): Promise<RecordingState> {
    const row = await db.get<{ isOn: number; mostBytes: number; usedBytes: number }>(
      'SELECT is_on AS isOn, most_bytes AS mostBytes, used_bytes AS usedBytes FROM traffic_recording_state WHERE id = 1',
    );
    if (!row) throw new Error('The state of the traffic recording is missing.');
    return { ...row, isOn: row.isOn === 1 };
  }

  async updateState(tx: Transaction, { isOn, mostBytes }: Omit<RecordingState, 'usedBytes'>): Promise<void> {
    await tx.run('UPDATE traffic_recording_state SET is_on = ?, most_bytes = ? WHERE id = 1', [
      isOn ? 1 : 0,
      mostBytes,
    ]);
  }

  /** Recordings of operations that are not stored are left out. All bodies are passed as one blob. */
  async insert(tx: Transaction, rows: readonly RecordingInsert[]): Promise<void> {
    if (rows.length === 0) return;
    let next = 1;
    const rangeOf = (body: Buffer | null): [number, number] | null => {
      if (body === null) return null;
      next += body.length;
      return [next - body.length, body.length];
    };
    const entries = rows.map(({ id, operationId, sizeBytes, facts, request, answer: response }) => ({
      ...{ id, operationId, sizeBytes, facts },
      ...{ request: rangeOf(request), answer: rangeOf(response) },
    }));
    const blob = Buffer.concat(
      rows.flatMap(({ request, answer: response }) => [request ?? NOTHING, response ?? NOTHING]),
    );
    await tx.run(
      `WITH entries (entry) AS MATERIALIZED (SELECT value FROM json_each(?1))
       INSERT INTO traffic_recordings (id, operation_seq, size_bytes, facts, request, response)
       SELECT entry ->> 'id', o.seq, entry ->> 'sizeBytes', entry -> 'facts',
         substr(?2, entry ->> '$.request[0]', entry ->> '$.request[1]'),
         substr(?2, entry ->> '$.answer[0]', entry ->> '$.answer[1]')
       FROM entries JOIN log_operations o ON o.id = entry ->> 'operationId'`,
      [JSON.stringify(entries), blob],
    );
  }

  /** Finds a recording of an operation of the environment. */
  async find(
    db: ReadHandle,
    which: { environmentId: number; operationId: string; id: string },
  ): Promise<RecordingRow | undefined> {
    const row = await db.get<{ id: string; facts: string; request: Buffer | null; answer: Buffer | null }>(
      `SELECT r.id, r.facts, r.request, r.response AS answer FROM traffic_recordings r JOIN log_operations o ON o.seq = r.operation_seq
       WHERE r.id = ? AND o.id = ? AND o.environment_id = ?`,
      [which.id, which.operationId, which.environmentId],
    );
    return row && { ...row, facts: JSON.parse(row.facts) as RecordingFacts };
  }

  /** Removes up to `limit` of the oldest recordings until the rest fits; resolves to the number removed. */
  async removeSurplus(tx: Transaction, limit: number): Promise<number> {
    const { changes } = await tx.run(
      `DELETE FROM traffic_recordings WHERE seq IN (
         SELECT seq FROM (
           SELECT seq, sum(size_bytes) OVER (ORDER BY seq) - size_bytes AS freed
           FROM (SELECT seq, size_bytes FROM traffic_recordings ORDER BY seq LIMIT ?)
         ) WHERE freed < (SELECT used_bytes - most_bytes FROM traffic_recording_state WHERE id = 1))`,
      [limit],
    );
    return changes;
  }

  /** Removes up to `limit` recordings of these operations; resolves to the number removed. */
  async removeOf(tx: Transaction, operationSeqs: readonly number[], limit: number): Promise<number> {
    const { changes } = await tx.run(
      `DELETE FROM traffic_recordings WHERE seq IN (
         SELECT seq FROM traffic_recordings WHERE operation_seq IN (SELECT value FROM json_each(?)) LIMIT ?)`,
      [JSON.stringify(operationSeqs), limit],
    );
    return changes;
  }

  /** Removes up to `limit` of all recordings; resolves to the number removed. */
  async removeAny(tx: Transaction, limit: number): Promise<number> {
    const { changes } = await tx.run(
      'DELETE FROM traffic_recordings WHERE seq IN (SELECT seq FROM traffic_recordings ORDER BY seq LIMIT ?)',
      [limit],
    );
    return changes;
  }
}

const NOTHING = Buffer.alloc(0);
