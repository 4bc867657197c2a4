import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/lib/clock.ts';
import { HomeportError, UNEXPECTED_ERROR } from '../../platform/lib/homeport-error.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import type { Logger } from '../../platform/lib/logger.ts';
import type { FunctionTask, TaskOutcome } from './function-task.ts';

export type TaskStart = Pick<FunctionTask, 'environmentId' | 'kind' | 'integrationKey' | 'type'> & {
  functionName?: string;
};

/** How long finished tasks are kept, and how many of them. */
const KEPT_MS = 24 * 3_600_000;
const MAX_TASKS = 500;
/** Limit for one task (http-api.md 14). */
const LIMIT_MS = 5 * 60_000;

export type FunctionTasks = ReturnType<typeof createFunctionTasks>;

/**
 * Dry runs and deploys of sent code, kept in memory: a dry run changes nothing, and a deploy that a restart interrupts
 * can be sent again.
 */
export function createFunctionTasks({ clock, ids, logger }: { clock: Clock; ids: Ids; logger: Logger }) {
  const tasks = new LRUCache<string, FunctionTask>({ max: MAX_TASKS });
  const openTasks = new Map<string, { work: Promise<void>; abort: AbortController }>();

  async function run(task: FunctionTask, work: () => Promise<TaskOutcome>, signal: AbortSignal): Promise<void> {
    const outcome = await work().catch((error: unknown) => ({ error: describe(error) }));
    const now = clock.now();
    const isLate = signal.reason === TOO_LONG;
    const error = isLate ? { code: TOO_LONG.code, message: TOO_LONG.message } : outcome.error;
    tasks.set(task.id, {
      ...task,
      ...outcome,
      ...(error ? { error } : {}),
      status: error ? 'failed' : 'success',
      updatedAt: now,
      completedAt: now,
    });
  }

  /** The error for the caller. An unexpected one is written to the program's log instead. */
  function describe(error: unknown): NonNullable<TaskOutcome['error']> {
    if (error instanceof HomeportError) {
      const { code, message, payload } = error;
      return { code, message, ...(payload === undefined ? {} : { payload }) };
    }
    logger.error({ err: error }, 'a task of the functions API failed');
    return { code: 'server_error', message: UNEXPECTED_ERROR };
  }

  return {
    /** Undefined when the task belongs to another environment or was removed. */
    find(environmentId: number, kind: FunctionTask['kind'], id: string): FunctionTask | undefined {
      const task = tasks.get(id);
      if (!task || task.environmentId !== environmentId || task.kind !== kind) return undefined;
      return clock.now() - task.updatedAt > KEPT_MS && task.completedAt !== undefined ? undefined : task;
    },
    /** Starts a task and returns it; `work` continues in the background and is aborted when it takes too long. */
    start(start: TaskStart, work: (signal: AbortSignal) => Promise<TaskOutcome>): FunctionTask {
      const now = clock.now();
      const id = ids.uuid();
      const task: FunctionTask = { ...start, id, status: 'running', createdAt: now, updatedAt: now, startedAt: now };
      tasks.set(id, task);
      const abort = new AbortController();
      const timer = clock.after(LIMIT_MS, () => abort.abort(TOO_LONG));
      const done = run(task, () => work(abort.signal), abort.signal).finally(() => {
        timer.cancel();
        openTasks.delete(id);
      });
      openTasks.set(id, { work: done, abort });
      return task;
    },
    /** Adds a task that is already finished. */
    add(start: TaskStart, outcome: TaskOutcome): FunctionTask {
      const now = clock.now();
      const times = { createdAt: now, updatedAt: now, startedAt: now, completedAt: now };
      const task: FunctionTask = { ...start, ...outcome, ...times, id: ids.uuid(), status: 'success' };
      tasks.set(task.id, task);
      return task;
    },
    /** Aborts running tasks and waits for them, at most `graceMs`. */
    async stop(graceMs: number): Promise<void> {
      const open = [...openTasks.values()];
      for (const { abort } of open) abort.abort(new HomeportError('server_error', 'Homeport was closed.'));
      if (open.length === 0) return;
      await Promise.race([Promise.all(open.map(({ work }) => work)), clock.sleep(graceMs)]);
    },
  };
}

const TOO_LONG = new HomeportError('timeout', 'The task took longer than five minutes and was stopped.');
