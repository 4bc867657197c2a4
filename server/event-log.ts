import type { CompileDiagnostic } from '../functions/compiler/compile-diagnostic.ts';
import { functionPath } from '../functions/compiler/function-path.ts';
import type { DeploymentChange } from './functions/deployments/deployed-function.ts';
import type { FunctionSummary } from './functions/deployments/function-summary.ts';
import type { Catalog } from './integrations/catalog/catalog.ts';
import type { CatalogProblem } from './integrations/catalog/catalog-problem.ts';
import type { LogEvents } from './log/log-events.ts';
import { asSentence } from './platform/lib/as-sentence.ts';
import type { Clock, Timer } from './platform/lib/clock.ts';
import { causeOf, type FailureFacts, isToldAgain, reasonOf } from './platform/lib/failure-cause.ts';
import type { Logger } from './platform/lib/logger.ts';
import { nearestName } from './platform/lib/nearest-name.ts';

export interface EventLogOptions {
  clock: Clock;
  logger: Logger;
  /** `unique_key` of every integration of the environment. */
  integrations: { list(environmentId: number): Promise<ReadonlyArray<{ uniqueKey: string }>> };
  /** Whether a file is an unchanged shipped example, which is not reported. */
  isShipped: (path: string) => boolean;
}

type Level = 'info' | 'warn';

interface SyncRun {
  /** `<integration>/<function>`. */
  sync: string;
  connection: string;
  /** Identifies the sync of the connection. */
  run: string;
}

interface SyncCause {
  sync: string;
  reason: string;
  /** The syncs that fail for it now. */
  runs: Set<string>;
  /** The line about the newest single failure. */
  single?: string;
  /** As for notifications (`isToldAgain`); 0 until it was told. */
  toldSize: number;
  overAt: number | null;
}

/** Functions that are deployed together are reported together. */
const COLLECT_MS = 200;
/** Further functions or folders are summarised in one line. */
const MAX_LINES = 5;
/** Errors of one file that are shown; the dashboard and `homeport compile` show all. */
const MAX_ERRORS = 3;

/**
 * Writes events to the program's log for the person at the terminal. A subject is reported again only when its line has
 * changed.
 */
export class EventLog {
  readonly #options: EventLogOptions;
  /** The last line about each subject. */
  readonly #reported = new Map<string, string>();
  readonly #live = new Map<string, Extract<DeploymentChange, { kind: 'deployed' }>['function']>();
  /** The running syncs, by the id of their operation. */
  readonly #syncRuns = new Map<string, SyncRun>();
  /** Causes of failing syncs since the start, by sync and cause. */
  readonly #causes = new Map<string, SyncCause>();
  #timer: Timer | undefined;
  #causeTimer: Timer | undefined;

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#causeTimer?.cancel();
  }

  /** Reports at start the problems that existed when the hub last ended. */
  async functionsAtStart(environmentId: number, summaries: readonly FunctionSummary[]): Promise<void> {
    const functions = summaries
      .filter(({ missingSince }) => missingSince === null)
      .map((one) => ({ ...one, path: functionPath(one.integrationKey, one.type, one.name) }));
    for (const { path, version, problems } of functions) this.#sayProblems(path, version, problems);
    await this.#sayUnknownIntegrations(environmentId, functions);
  }

  functionChanged(change: DeploymentChange): void {
    const { path, version, problems } = change.function;
    switch (change.kind) {
      case 'deployed':
        this.#reported.delete(`function ${path}`);
        this.#live.set(path, change.function);
        this.#timer ??= this.#options.clock.after(COLLECT_MS, () => {
          this.#timer = undefined;
          this.#sayLive().catch((error: unknown) =>
            this.#options.logger.error({ err: error }, 'functions that went live could not be reported'),
          );
        });
        return;
      case 'broken':
      case 'checked':
        return this.#sayProblems(path, version, problems);
      case 'missing':
        return this.#say(
          `function ${path}`,
          'warn',
          `${path} is missing. The function was switched off; its settings and records are kept`,
        );
      case 'back':
        return this.#say(
          `function ${path}`,
          'info',
          `${path} was found again. The function continues with its settings and records`,
        );
      case 'removed':
        return this.#say(`function ${path}`, 'info', `${path} was removed`);
    }
  }

  /** Reports files with a function that are in a place where functions are not loaded. */
  filesRead(misplaced: readonly CompileDiagnostic[]): void {
    const files = new Set(misplaced.map(({ file }) => `file ${file}`));
    for (const subject of this.#reported.keys())
      if (subject.startsWith('file ') && !files.has(subject)) this.#reported.delete(subject);
    for (const { file, message } of misplaced) this.#say(`file ${file}`, 'warn', `${file} is not used: ${message}`);
  }

  catalogRead(catalog: Pick<Catalog, 'find' | 'pending' | 'problems' | 'warnings'>): void {
    const problems = catalog.problems();
    const pending = catalog.pending();
    const warnings = Map.groupBy(catalog.warnings(), ({ file }) => file);
    const current = new Set([
      ...problems.map((problem) => `catalog ${positionOf(problem)}: ${problem.reason}`),
      ...pending.map(({ provider }) => `override ${provider}`),
      ...[...warnings].map(([file, of]) => `catalog ${file} ${of.length}`),
    ]);
    for (const subject of this.#reported.keys())
      if (/^(catalog|override) /.test(subject) && !current.has(subject)) this.#reported.delete(subject);
    for (const problem of problems) {
      const where = positionOf(problem);
      this.#say(
        `catalog ${where}: ${problem.reason}`,
        'warn',
        `${where}: ${asSentence(problem.reason)} ${inForce(catalog, problem)}`,
      );
    }
    for (const [file, found] of warnings) {
      const entries = new Set(found.map(({ provider }) => provider)).size;
      this.#say(
        `catalog ${file} ${found.length}`,
        'info',
        `${file}: of ${entries === 1 ? 'an entry' : `${entries} entries`} some members are left out or have no effect (${found.length}). homeport providers check lists them`,
      );
    }
    for (const { provider, kind, changes, hash } of pending) {
      const what = kind === 'removal' ? 'removes' : `changes ${changes.map(({ keyPath }) => keyPath).join(', ')} of`;
      this.#say(
        `override ${provider}`,
        'warn',
        `providers.yaml ${what} ${provider}, which connections use. It is not applied until you approve it: homeport providers approve ${provider}`,
        hash,
      );
    }
  }

  /**
   * Says each cause of failing syncs once (design.md 7.52). Uses the error from the log, from which secrets were removed;
   * the error that the run threw may contain them.
   */
  operationChanged({ id, environmentId, changed }: LogEvents['operation']): void {
    const { operation: kind } = changed;
    if (kind?.type === 'sync' && kind.action === 'run')
      this.#syncRuns.set(id, {
        sync: `${changed.integrationName}/${changed.syncConfigName}`,
        connection: changed.connectionName ?? '',
        run: JSON.stringify([environmentId, changed.connectionName, changed.variant]),
      });
    const run = this.#syncRuns.get(id);
    if (run === undefined || changed.endedAt === null || changed.endedAt === undefined) return;
    this.#syncRuns.delete(id);
    if (changed.level === 'error') this.#noteFailure(run, changed.error ?? { message: null });
    else if (changed.state === 'success') {
      const most = this.#forgetFailures(run);
      const where = most > 1 ? ` on all ${most} connections` : '';
      const which = most === 1 ? ` (connection ${run.connection})` : '';
      if (most > 0) this.#options.logger.info({ event: 'sync' }, `The sync ${run.sync}${which} works again${where}`);
    }
  }

  #noteFailure(run: SyncRun, error: FailureFacts): void {
    const { key, reason } = causeOf(error, [run.connection]);
    const name = `${run.sync} ${key}`;
    this.#forgetFailures(run, name);
    const cause = this.#causes.get(name) ?? { sync: run.sync, reason, runs: new Set(), toldSize: 0, overAt: null };
    this.#causes.set(name, cause);
    cause.runs.add(run.run);
    cause.single = `${run.sync} (connection ${run.connection}) failed: ${reasonOf(error)}`;
    this.#causeTimer ??= this.#options.clock.after(COLLECT_MS, () => {
      this.#causeTimer = undefined;
      this.#sayCauses();
    });
  }

  #sayCauses(): void {
    const now = this.#options.clock.now();
    for (const [name, cause] of this.#causes) {
      const { sync, reason, runs, single, toldSize } = cause;
      const isNews = toldSize === 0 || isToldAgain(cause, runs.size, now);
      if (runs.size === 0 && isNews) this.#causes.delete(name);
      if (runs.size === 0 || !isNews) continue;
      cause.toldSize = runs.size;
      cause.overAt = null;
      const text = runs.size === 1 ? single : `${sync} fails on ${runs.size} connections: ${reason}`;
      this.#options.logger.warn({ event: 'sync' }, `The sync ${text}`);
    }
  }

  /** When the run was the last one that failed of its sync: on how many connections that was told; else 0. */
  #forgetFailures({ sync, run }: SyncRun, except?: string): number {
    const now = this.#options.clock.now();
    let most = 0;
    let areAllOver = true;
    for (const [name, cause] of this.#causes) {
      if (cause.sync !== sync) continue;
      if (name !== except && cause.runs.delete(run)) {
        most = Math.max(most, cause.toldSize);
        if (cause.runs.size === 0) cause.overAt = now;
      }
      areAllOver &&= cause.runs.size === 0;
    }
    return areAllOver ? most : 0;
  }

  async #sayLive(): Promise<void> {
    const live = [...this.#live.values()];
    this.#live.clear();
    const [first] = live;
    if (!first) return;
    const unknown = await this.#sayUnknownIntegrations(first.environmentId, live);
    const active = live.filter(
      ({ integrationKey, path }) => !unknown.has(integrationKey) && !this.#options.isShipped(path),
    );
    const shown = firstLines(active);
    for (const { path, version } of shown)
      this.#options.logger.info({ event: 'function' }, `${path} is live (version ${version})`);
    if (active.length > shown.length)
      this.#options.logger.info({ event: 'function' }, `${active.length - shown.length} further functions are live`);
  }

  /** Returns the folders that belong to no integration. */
  async #sayUnknownIntegrations(
    environmentId: number,
    functions: ReadonlyArray<{ integrationKey: string; path: string }>,
  ): Promise<Set<string>> {
    const integrations = await this.#options.integrations.list(environmentId);
    const known = integrations.map(({ uniqueKey }) => uniqueKey);
    const strays = functions.filter(({ integrationKey }) => !known.includes(integrationKey));
    const own = strays.filter(({ path }) => !this.#options.isShipped(path));
    const folders = [...Map.groupBy(own, ({ integrationKey }) => integrationKey)];
    const shown = firstLines(folders);
    for (const [key, [first, ...others]] of shown) {
      const meant = nearestName(key, known);
      const what = others.length === 0 ? `${first?.path} waits` : `${others.length + 1} functions in ${key}/ wait`;
      const text = `${what}: there is no integration "${key}"${meant ? ` (did you mean ${meant}?)` : ''}. Create it, or rename the folder`;
      this.#say(`integration ${key}`, 'warn', text);
    }
    if (folders.length > shown.length) {
      const text = `The functions in ${folders.length - shown.length} further folders wait: no integration has their names. Create them, or rename the folders`;
      this.#say('integration', 'warn', text);
    }
    return new Set(strays.map(({ integrationKey }) => integrationKey));
  }

  #sayProblems(path: string, version: string | null, problems: readonly CompileDiagnostic[]): void {
    const errors = problems.filter(({ severity }) => severity === 'error');
    const [first] = errors;
    if (!first) return;
    const isLive = errors.every(({ code }) => code === 'type_error');
    const count = errors.length === 1 ? 'a type error' : `${errors.length} type errors`;
    const what = isLive ? `${path} has ${count} and runs anyway` : `${path} does not compile`;
    const kept = isLive ? '' : version === null ? '' : `; version ${version} keeps running`;
    const lines = errors
      .slice(0, MAX_ERRORS)
      .map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`);
    const more = errors.length > MAX_ERRORS ? [`… and ${errors.length - MAX_ERRORS} more`] : [];
    this.#say(`function ${path}`, 'warn', [`${what}${kept}`, ...lines, ...more].join('\n'));
  }

  #say(subject: string, level: Level, text: string, version = text): void {
    if (this.#reported.get(subject) === version) return;
    this.#reported.set(subject, version);
    this.#options.logger[level]({ event: subject.split(' ', 1)[0] }, text);
  }
}

/** All, or so many that a last line has room for what is left. */
function firstLines<Item>(items: Item[]): Item[] {
  return items.length > MAX_LINES ? items.slice(0, MAX_LINES - 1) : items;
}

function positionOf({ file, line, provider, keyPath }: CatalogProblem): string {
  return [`${file}${line > 0 ? `:${line}` : ''}`, [provider, keyPath].filter(Boolean).join('.')]
    .filter(Boolean)
    .join(' ');
}

function inForce(catalog: Pick<Catalog, 'find'>, { provider, file }: CatalogProblem): string {
  if (provider === '') return `The last valid entries of ${file} remain in use`;
  const entry = catalog.find(provider);
  if (!entry) return 'The entry is left out until it is corrected';
  return entry.source === 'builtin'
    ? `The built-in ${provider} remains in use`
    : `The last valid ${provider} remains in use`;
}
