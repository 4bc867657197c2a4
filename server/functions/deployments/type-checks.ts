import type { TypeCheckResult } from '../../../functions/compiler/type-check/type-check-result.ts';
import type { Logger } from '../../platform/lib/logger.ts';

/** The required part of the checking process. */
export interface TypeCheckProcess {
  check(paths: readonly string[]): Promise<TypeCheckResult[]>;
  restAfter(delayMs: number): void;
  stop(): Promise<void>;
}

/** Functions per run of TypeScript, which share most of its work. */
const CHECKED_TOGETHER = 20;
/** Further files are often saved soon after one; a running process checks them in a tenth of the time. */
const WARM_MS = 60_000;
/** A process that has checked more functions holds hundreds of megabytes, and ends at once. */
const MOST_WARM = 100;

/** Checks the types of live functions in batches, those that were just saved first. */
export function createTypeChecks({
  createProcess,
  onChecked,
  logger,
}: {
  /** Called for the first function to check. */
  createProcess: () => Promise<TypeCheckProcess>;
  /** `isCurrent` returns false after the function was deployed again. */
  onChecked(result: TypeCheckResult, isCurrent: () => boolean): Promise<void>;
  logger: Logger;
}) {
  const saved = new Set<string>();
  const others = new Set<string>();
  /** Functions of a batch in which the process was lost: checked one by one to find the cause. */
  const checkedAlone = new Set<string>();
  /** Functions that were deployed again since their check began, so that its result is not valid any more. */
  const outdated = new Set<string>();
  let process: TypeCheckProcess | undefined;
  let work: Promise<void> | undefined;
  let isStopped = false;

  async function run(): Promise<void> {
    let isWarm = false;
    let checked = 0;
    try {
      process ??= await createProcess();
      while (!isStopped) {
        isWarm ||= saved.size > 0;
        const batch = takeBatch();
        if (batch.length === 0) break;
        await check(process, batch);
        checked += batch.length;
      }
      process.restAfter(isWarm && checked <= MOST_WARM ? WARM_MS : 0);
    } catch (error) {
      logger.error({ err: error }, 'the types of functions could not be checked');
    } finally {
      work = undefined;
    }
  }

  function takeBatch(): string[] {
    const source = [saved, checkedAlone, others].find((paths) => paths.size > 0) ?? others;
    const most = source === checkedAlone ? 1 : CHECKED_TOGETHER;
    const batch = [...source].slice(0, most);
    for (const path of batch) source.delete(path);
    return batch;
  }

  async function check(process: TypeCheckProcess, batch: string[]): Promise<void> {
    for (const path of batch) outdated.delete(path);
    const results = await checkBatch(process, batch);
    for (const result of results) {
      const isCurrent = (): boolean => !isStopped && !outdated.has(result.path);
      if (isCurrent()) await onChecked(result, isCurrent);
    }
  }

  /** Empty when the process was lost during the check. */
  async function checkBatch(process: TypeCheckProcess, batch: string[]): Promise<TypeCheckResult[]> {
    try {
      return await process.check(batch);
    } catch (error) {
      if (isStopped) return [];
      if (batch.length > 1) for (const path of batch) checkedAlone.add(path);
      else logger.warn({ err: error, path: batch[0] }, 'the types of a function could not be checked');
      return [];
    }
  }

  return {
    /** `isSaved`: a person has just saved them. */
    request(paths: readonly string[], isSaved: boolean): void {
      if (isStopped || paths.length === 0) return;
      for (const path of paths) (isSaved ? saved : others).add(path);
      work ??= run();
    },
    /** Call it before the functions are deployed again: results of running checks are ignored. */
    invalidate(paths: readonly string[]): void {
      for (const path of paths) outdated.add(path);
    },
    /** Resolves when no function waits for its check. */
    async settled(): Promise<void> {
      await work;
    },
    async stop(): Promise<void> {
      isStopped = true;
      await process?.stop();
      await work;
    },
  };
}
