import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment, EnvironmentService } from '../../../server/environments/environment.service.ts';
import { DEFAULT_SETTINGS } from '../../../server/environments/environment-settings.ts';
import type { ActionCall, ActionsService } from '../../../server/functions/actions.service.ts';
import {
  type BackgroundActions,
  createBackgroundActions,
  RUN_ACTION,
} from '../../../server/functions/background-actions.ts';
import { runAction } from '../../../server/functions/run-action.job.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import { HomeportError } from '../../../server/platform/lib/homeport-error.ts';
import { randomIds } from '../../../server/platform/lib/ids.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { Scheduler } from '../../../server/platform/scheduler/scheduler.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import type { AsyncActionEvent } from '../../../server/webhooks-out/payloads.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { openVault } from '../../support/open-vault.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { trueTime } from '../../support/true-time.ts';
import { waitFor } from '../../support/wait-for.ts';

const HOUR_MS = 3_600_000;
const environment: Environment = { id: 1, uuid: randomIds.uuid(), name: 'dev', settings: DEFAULT_SETTINGS };
const CALL: ActionCall = { environment, integrationKey: 'crm', connectionId: 'c-1', actionName: 'do', trigger: 'api' };

let home: TempHome;
let database: Database;
let background: BackgroundActions;
let clock: FakeClock;
let scheduler: Scheduler;
let events: AsyncActionEvent[];
let runs: number;
let outcome: () => string;

/** The scheduler is not started: the test takes its place until it starts it. */
beforeEach(async () => {
  home = await createTempHome();
  const file = join(home.path, 'homeport.db');
  clock = new FakeClock();
  database = await Database.open({ file });
  await migrate({ database, migrations: MIGRATIONS, clock, logger: silentLogger });
  const vault = await openVault(home.path);
  events = [];
  runs = 0;
  outcome = () => '"done"';
  const actions: Pick<ActionsService, 'check' | 'trigger'> = {
    check: async () => {},
    trigger: async ({ onStarted }) => {
      runs += 1;
      onStarted?.(`op-${runs}`);
      return { output: outcome(), operationId: `op-${runs}` };
    },
  };
  const environments: Pick<EnvironmentService, 'find'> = { find: () => environment };
  scheduler = new Scheduler({ database, clock, logger: silentLogger });
  background = createBackgroundActions({
    seenTime: trueTime,
    database,
    vault,
    clock,
    scheduler,
    logger: silentLogger,
    ids: randomIds,
    actions: actions as ActionsService,
    environments: environments as EnvironmentService,
    notifications: { notifyAsyncAction: async (event) => void events.push(event) },
  });
  scheduler.register(RUN_ACTION, runAction({ background }));
});
afterEach(async () => {
  await database.close();
  await home.remove();
});

const run = (id: string, isLastAttempt = true): Promise<void> =>
  background.run(id, isLastAttempt, new AbortController().signal);

describe('a background call', () => {
  it('tells its end once, with the operation of its last attempt', async () => {
    const id = await background.enqueue(CALL, 1);
    outcome = () => {
      throw new HomeportError('action_script_failure', 'not yet');
    };
    await expect(run(id, false)).rejects.toThrow('not yet');
    expect(events).toEqual([]);
    outcome = () => '"done"';
    await run(id);

    expect(events).toEqual([
      {
        environment,
        providerConfigKey: 'crm',
        connectionId: 'c-1',
        actionName: 'do',
        callId: id,
        operationId: 'op-2',
      },
    ]);
  });

  it('that has its answer keeps it when its job comes back after a crash', async () => {
    const id = await background.enqueue(CALL, 0);
    await run(id);

    await run(id);
    await background.giveUp(id, 'Homeport stopped');

    expect(await background.readResponse(environment.id, id)).toBe('"done"');
    expect([runs, events.length]).toEqual([1, 1]);
  });

  it.each([
    ['runs', 'just before', 24 * HOUR_MS - 1, 1],
    ['fails', 'after', 24 * HOUR_MS, 0],
  ])('%s when its turn comes %s 24 hours are over', async (_what, _when, waitedMs, expectedRuns) => {
    const id = await background.enqueue(CALL, 0);
    await clock.advance(waitedMs);

    await scheduler.start();
    const response = await waitFor(() =>
      background.readResponse(environment.id, id).catch((error: HomeportError) => error.code !== 'not_found' && error),
    );
    await scheduler.stop();

    expect(runs).toBe(expectedRuns);
    if (expectedRuns === 1) expect(response).toBe('"done"');
    else
      expect(response).toMatchObject({ code: 'action_script_failure', message: expect.stringContaining('24 hours') });
    expect(events).toHaveLength(1);
  });

  it('is kept for five days', async () => {
    const read = (id: string) =>
      background.readResponse(environment.id, id).catch((error: HomeportError) => error.code);
    const old = await background.enqueue(CALL, 0);
    await run(old);
    await clock.advance(72 * HOUR_MS);
    const newer = await background.enqueue(CALL, 0);
    await run(newer);
    background.start();
    await clock.advance(48 * HOUR_MS);
    expect([await read(old), await read(newer)]).toEqual(['"done"', '"done"']);

    await waitFor(async () => {
      await clock.advance(HOUR_MS / 4);
      return (await read(old)) === 'not_found';
    });
    expect(await read(newer)).toBe('"done"');
    await background.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('that never ran tells its end without an operation', async () => {
    const id = await background.enqueue(CALL, 0);

    await background.giveUp(id, 'it could not start within 24 hours');

    expect(events).toMatchObject([{ callId: id, operationId: undefined }]);
    await expect(background.readResponse(environment.id, id)).rejects.toThrow('it could not start within 24 hours');
  });
});
