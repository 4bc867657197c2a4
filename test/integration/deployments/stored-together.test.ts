import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ParsedSync } from '../../../functions/compiler/parsed-definition.ts';
import type { DeploymentChange } from '../../../server/functions/deployments/deployed-function.ts';
import {
  createDeploymentsService,
  type DeploymentsService,
} from '../../../server/functions/deployments/deployments.service.ts';
import type { WorkspaceCompiler } from '../../../server/functions/deployments/live-workspace.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import { systemClock } from '../../../server/platform/lib/clock.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { removeFunction, saveFunction, syncSource } from '../../support/server-workspace.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { WAIT_LIMIT_MS } from '../../support/wait-limit.ts';
import { ListedLog } from '../syncs/sync-fixture.ts';

/** How long a file may be missing before its function is disabled. */
const GRACE_MS = 2000;
const PATH = 'acme/syncs/contacts.ts';
const DEFINITION: ParsedSync = {
  type: 'sync',
  name: 'contacts',
  description: '',
  version: '',
  runs: 'every hour',
  sync_type: 'full',
  auto_start: true,
  track_deletes: false,
  endpoints: [],
  input: null,
  output: ['Contact'],
  usedModels: [],
  scopes: [],
  webhookSubscriptions: [],
  json_schema: { definitions: {} },
  features: [],
};

const COMPILER: WorkspaceCompiler = {
  affectedBy: (paths) => [...paths],
  forget: () => {},
  compileFile: async (path) => ({
    ok: true,
    compiled: {
      path,
      integration: 'acme',
      kind: 'sync',
      name: 'contacts',
      source: '',
      bundle: '',
      bundleHash: 'same',
      bundleFileName: 'contacts-acme.cjs',
      inputs: [path],
      definition: DEFINITION,
      warnings: [],
    },
  }),
};

describe('what follows from a change of the functions', () => {
  let home: TempHome;
  let workspace: string;
  let database: Database;
  let followed: string[];
  /** A power cut or an error in the middle: nothing of the transaction is stored afterwards. */
  let isCutOff: boolean;
  /** How many times the compiler cannot be loaded. */
  let loadFailures: number;
  /** Is called by a compilation, which waits for it. */
  let held: (() => Promise<void>) | undefined;
  let clock: FakeClock;
  let service: DeploymentsService;

  beforeEach(async () => {
    home = await createTempHome();
    workspace = join(home.path, 'functions');
    const file = join(home.path, 'homeport.db');
    database = await Database.open({ file });
    await migrate({ database, migrations: MIGRATIONS, clock: systemClock, logger: silentLogger });
    await database.maintenance(
      "INSERT INTO environments (id, uuid, name, settings, webhook_signing_key, created_at, updated_at) VALUES (1, 'u', 'dev', '{}', 'k', 0, 0)",
    );
    await saveFunction(workspace, PATH, syncSource(''));
    followed = [];
    isCutOff = false;
    loadFailures = 0;
    held = undefined;
    clock = new FakeClock();
  });

  afterEach(async () => {
    await service?.stop();
    await database.close();
    await home.remove();
  });

  async function start(): Promise<void> {
    await service?.stop();
    service = createDeploymentsService({
      database,
      workspace,
      clock,
      logger: silentLogger,
      log: new ListedLog(),
      environmentId: () => 1,
      onFilesRead: () => {},
      onFilesChanged: () => {},
      compilerVersion: async () => '1',
      loadCompiler: async () => {
        if (loadFailures > 0) {
          loadFailures -= 1;
          throw new Error('The compiler cannot be loaded.');
        }
        return {
          ...COMPILER,
          compileFile: async (path) => {
            await held?.();
            return COMPILER.compileFile(path);
          },
        };
      },
    });
    service.onStoring(async (_tx, change: DeploymentChange) => {
      if (isCutOff) throw new Error('cut off');
      followed.push(`${change.kind} ${change.function.name}`);
    });
    service.workspace.watch();
    if (!held) await service.settled();
  }

  const live = async () => (await service.list(1)).map(({ name }) => name);

  it('is stored together with a new version, or neither is; the next start makes up for it', async () => {
    isCutOff = true;
    await start();
    expect(await live()).toEqual([]);

    isCutOff = false;
    await start();

    expect(await live()).toEqual(['contacts']);
    await start();
    expect(followed).toEqual(['deployed contacts']);
  });

  it('is stored together with the mark that its file is missing, or neither is; the next start makes up for it', async () => {
    await start();
    await service.stop();
    await removeFunction(workspace, PATH);
    isCutOff = true;
    await start();
    await clock.advance(GRACE_MS);
    await service.settled();
    expect(await live()).toEqual(['contacts']);

    isCutOff = false;
    await start();
    await clock.advance(GRACE_MS);
    await service.settled();

    expect(await live()).toEqual([]);
    expect(followed).toEqual(['deployed contacts', 'missing contacts']);
  });

  it('is stored a little later when the database could not be read at the start', async () => {
    vi.spyOn(database.reader, 'all').mockRejectedValueOnce(new Error('SQLITE_IOERR: disk I/O error'));
    await start();
    expect(await live()).toEqual([]);

    await clock.advance(5000);
    await service.settled();

    expect(await live()).toEqual(['contacts']);
  });

  it('is not looked for any more when a missing file is back, whether or not an event says so', async () => {
    await start();
    await removeFunction(workspace, PATH);
    await start();
    await saveFunction(workspace, PATH, syncSource(''));
    const reads = vi.spyOn(database.reader, 'all');
    await clock.advance(GRACE_MS);
    await service.settled();
    const looks = reads.mock.calls.length;
    expect(looks).toBeGreaterThan(0);

    await clock.advance(0);
    await service.settled();

    expect(reads.mock.calls).toHaveLength(looks);
    expect(await live()).toEqual(['contacts']);
  });

  it('is stored together with the return of its file, or neither is; the next start makes up for it', async () => {
    await start();
    await removeFunction(workspace, PATH);
    await start();
    await clock.advance(GRACE_MS);
    await service.settled();
    await saveFunction(workspace, PATH, syncSource(''));
    isCutOff = true;
    await start();
    expect(await live()).toEqual([]);

    isCutOff = false;
    await start();

    expect(await live()).toEqual(['contacts']);
    expect(followed).toEqual(['deployed contacts', 'missing contacts', 'back contacts']);
  });

  it('is left to the next start when the hub stops before a function is compiled', async () => {
    const [begun, compilation] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    held = () => {
      begun.resolve();
      return compilation.promise;
    };
    await start();
    await begun.promise;
    await service.leave();
    compilation.reject(new Error('The sandbox stopped.'));
    await service.stop();
    expect(await service.listSummaries(1)).toEqual([]);

    held = undefined;
    await start();

    expect(await live()).toEqual(['contacts']);
  });

  it('is stored at the next save after the compiler could not be loaded once', async () => {
    loadFailures = 1;
    await start();
    expect(await live()).toEqual([]);

    await saveFunction(workspace, PATH, syncSource('// changed'));

    await expect
      .poll(
        async () => {
          await clock.advance(GRACE_MS);
          await service.settled();
          return live();
        },
        { timeout: WAIT_LIMIT_MS },
      )
      .toEqual(['contacts']);
  });
});
