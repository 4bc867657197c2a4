import type { TypeCheckResult } from '../../../functions/compiler/type-check/type-check-result.ts';
import type { Logger } from '../../platform/lib/logger.ts';

/** The required part of the checking process. */
export interface TypeCheckProcess {
  check(paths: readonly string[]): Promise<TypeCheckResult[]>;
  restAfter(delayMs: number): void;
  stop(): Promise<void>;
}

export interface TypeChecksOptions {
  /** Called for the first function to check. */
  createProcess: () => Promise<TypeCheckProcess>;
  /** `isCurrent` returns false after the function was deployed again. */
  onChecked(result: TypeCheckResult, isCurrent: () => boolean): Promise<void>;
  logger: Logger;
}

/** Functions per run of TypeScript, which share most of its work. */
const CHECKED_TOGETHER = 20;
/** Further files are often saved soon after one; a running process checks them in a tenth of the time. */
const WARM_MS = 60_000;

/** Checks the types of live functions in batches, those that were just saved first. */
export class TypeChecks {
  readonly #options: TypeChecksOptions;
  readonly #saved = new Set<string>();
  readonly #others = new Set<string>();
  /** Functions of a batch in which the process was lost: checked one by one to find the cause. */
  readonly #checkedAlone = new Set<string>();
  /** Functions that were deployed again since their check began, so that its result is not valid any more. */
  readonly #outdated = new Set<string>();
  #process: TypeCheckProcess | undefined;
  #work: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: TypeChecksOptions) {
    this.#options = options;
  }

  /** `isSaved`: a person has just saved them. */
  request(paths: readonly string[], isSaved: boolean): void {
    if (this.#isStopped || paths.length === 0) return;
    for (const path of paths) (isSaved ? this.#saved : this.#others).add(path);
    this.#work ??= this.#run();
  }

  /** Call it before the functions are deployed again: results of running checks are ignored. */
  invalidate(paths: readonly string[]): void {
    for (const path of paths) this.#outdated.add(path);
  }

  /** Resolves when no function waits for its check. */
  async settled(): Promise<void> {
    await this.#work;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#process?.stop();
    await this.#work;
  }

  async #run(): Promise<void> {
    let isWarm = false;
    try {
      this.#process ??= await this.#options.createProcess();
      while (!this.#isStopped) {
        isWarm ||= this.#saved.size > 0;
        const batch = this.#takeBatch();
        if (batch.length === 0) break;
        await this.#check(this.#process, batch);
      }
      this.#process.restAfter(isWarm ? WARM_MS : 0);
    } catch (error) {
      this.#options.logger.error({ err: error }, 'the types of functions could not be checked');
    } finally {
      this.#work = undefined;
    }
  }

  #takeBatch(): string[] {
    const source = [this.#saved, this.#checkedAlone, this.#others].find((paths) => paths.size > 0) ?? this.#others;
    const most = source === this.#checkedAlone ? 1 : CHECKED_TOGETHER;
    const batch = [...source].slice(0, most);
    for (const path of batch) source.delete(path);
    return batch;
  }

  async #check(process: TypeCheckProcess, batch: string[]): Promise<void> {
    for (const path of batch) this.#outdated.delete(path);
    const results = await this.#checkBatch(process, batch);
    for (const result of results) {
      const isCurrent = (): boolean => !this.#isStopped && !this.#outdated.has(result.path);
      if (isCurrent()) await this.#options.onChecked(result, isCurrent);
    }
  }

  /** Empty when the process was lost during the check. */
  async #checkBatch(process: TypeCheckProcess, batch: string[]): Promise<TypeCheckResult[]> {
    try {
      return await process.check(batch);
    } catch (error) {
      if (this.#isStopped) return [];
      if (batch.length > 1) for (const path of batch) this.#checkedAlone.add(path);
      else this.#options.logger.warn({ err: error, path: batch[0] }, 'the types of a function could not be checked');
      return [];
    }
  }
}
