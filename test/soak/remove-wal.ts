import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { importConnection, officialClient } from '../support/import-practice-connection.ts';
import type { StartedServer } from '../support/start-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { SOAK_INTEGRATION } from './soak-load.ts';

/** Removes the database's log under a hub that is in use; returns what does not hold of design.md 7.57. */
export async function removeWal(server: StartedServer): Promise<string[]> {
  const problems: string[] = [];
  const write = (id: string) => importConnection(server, { provider_config_key: SOAK_INTEGRATION, connection_id: id });
  const last = await write('last-before');
  if (last.status !== 201) problems.push(`the write before the removal was answered ${last.status}`);

  await rm(join(server.home, 'homeport.db-wal'));
  const refused = await write('first-after');
  const text = await refused.text();
  if (refused.status !== 503 || !text.includes('data_files_lost'))
    problems.push(`a write after the removal was answered ${refused.status} ${text.slice(0, 200)}`);
  const read = await officialClient(server)
    .getConnection(SOAK_INTEGRATION, 'last-before')
    .then(
      (connection) => connection.connection_id,
      (error: Error) => error.message,
    );
  if (read !== 'last-before') problems.push(`a read after the removal failed: ${read}`);
  await waitFor(async () => (await readdir(server.home)).some((name) => /^homeport-rescued-\d+\.db$/.test(name)), {
    what: 'the file with what was acknowledged',
  });
  return problems;
}
