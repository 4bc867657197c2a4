import { type Postgres, startPostgres } from '../../support/start-postgres.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { BenchCase } from '../bench-case.ts';
import { type BenchServer, startBenchServer } from '../bench-server.ts';
import { alternate } from '../measure.ts';
import { deployIngest, timeRun } from './ingest-case.ts';

const LIMIT_MS = 600_000;
const GOAL = 5000;

/**
 * Records that a destination delivers to a local PostgreSQL, opened from the sealed store, row by row exactly once. The
 * baseline is PostgreSQL alone: `COPY` of the same rows from a file into a table with the same columns and key.
 */
export const destinationCase: BenchCase = {
  name: 'destination',
  run: async ({ rounds, records }) => {
    const bench = await startBenchServer();
    // As a person's server runs: commits wait for the disk.
    const postgres = await startPostgres({ fsync: 'on' });
    try {
      await deployIngest(bench, records);
      await timeRun(bench.connection, records);
      let round = 0;
      const schemaOf = (number: number): string => `round_${number}`;
      const ours = async (): Promise<number> => {
        round += 1;
        return records / (await timeDelivery(bench, postgres, schemaOf(round), records));
      };
      const figures = await alternate(Math.min(rounds, 3), ours, async () => {
        return records / (await timeCopy(postgres, schemaOf(round)));
      });
      return [
        {
          what: `${records} records to a local PostgreSQL (baseline: COPY of the same rows)`,
          unit: '/s',
          ...figures,
          goal: `≥ ${GOAL}/s`,
          isMet: figures.ours >= GOAL,
        },
      ];
    } finally {
      await bench.stop();
      await postgres.stop();
    }
  },
};

/** Seconds from the creation of a destination until everything is there. */
async function timeDelivery(bench: BenchServer, postgres: Postgres, schema: string, records: number): Promise<number> {
  const { secretKey, url } = bench.server;
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}/records/destinations${path}`, {
      method,
      headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { data } = (await answer.json()) as { data?: { id: string; delivered: number; error: unknown } };
    if (!data || data.error) throw new Error(`the destination answered ${answer.status}: ${JSON.stringify(data)}`);
    return data;
  };
  const startedAt = performance.now();
  const { id } = await call('POST', '', { name: schema, kind: 'postgres', connection_string: postgres.url, schema });
  await waitFor(async () => (await call('GET', `/${id}`)).delivered >= records || undefined, {
    what: 'the delivery',
    limitMs: LIMIT_MS,
  });
  const seconds = (performance.now() - startedAt) / 1000;
  await call('POST', `/${id}/pause`);
  return seconds;
}

async function timeCopy(postgres: Postgres, schema: string): Promise<number> {
  const [table] = await postgres.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema = $1 AND table_name NOT LIKE '\\_homeport%'`,
    [schema],
  );
  const file = await postgres.query<{ folder: string }>(`SELECT current_setting('data_directory') AS folder`);
  const path = `${file[0]?.folder}/${schema}.copy`;
  await postgres.query(`COPY ${table?.name} TO '${path}'`);
  await postgres.query(`CREATE TABLE ${schema}.bare (LIKE ${table?.name} INCLUDING INDEXES)`);
  const startedAt = performance.now();
  await postgres.query(`COPY ${schema}.bare FROM '${path}'`);
  const seconds = (performance.now() - startedAt) / 1000;
  await postgres.query(`DROP SCHEMA ${schema} CASCADE`);
  return seconds;
}
