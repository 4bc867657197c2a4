import { join } from 'node:path';
import type { Database, Transaction } from '../../database/database.ts';
import { ReadCache } from '../../lib/read-cache.ts';
import { type FunctionVersionRow, FunctionVersionsStore } from '../../stores/function-versions-store.ts';
import { type FunctionKey, FunctionsStore, type FunctionType } from '../../stores/functions-store.ts';
import type { OperationLog } from '../logs/operation.ts';
import { DeployLog } from './deploy-log.ts';
import { DeployedBundles } from './deployed-bundles.ts';
import {
  type DeployedFunction,
  type DeploymentChange,
  type RunnableFunction,
  toDeployedFunction,
} from './deployed-function.ts';
import { type FunctionCheck, type FunctionSummary, readIfPresent, toSummaries } from './function-summary.ts';
import { FunctionTriggers } from './function-triggers.ts';
import { LiveWorkspace, type LiveWorkspaceOptions } from './live-workspace.ts';
import { findVariableUses, type VariableUses } from './variable-use.ts';

export interface DeploymentsServiceOptions
  extends Omit<LiveWorkspaceOptions, 'functionsStore' | 'log' | 'inTurn' | 'follow' | 'notify' | 'onStored'> {
  database: Database;
  log: OperationLog;
}

const FUNCTION_TYPES: readonly FunctionType[] = ['sync', 'action', 'on-event'];
/** Bundles ready to run without a read. */
const CACHED_FUNCTIONS = 500;

/** The functions that are live: those of the functions folder, and beside them what a command line deployed (`pushed`). */
export class DeploymentsService {
  readonly pushed: DeployedBundles;
  readonly workspace: LiveWorkspace;
  /** What starts by itself. */
  readonly triggers: FunctionTriggers;
  readonly #options: DeploymentsServiceOptions;
  readonly #functions = new FunctionsStore();
  readonly #versions = new FunctionVersionsStore();
  readonly #cache = new ReadCache<RunnableFunction>({ max: CACHED_FUNCTIONS });
  readonly #followers: Array<(tx: Transaction, change: DeploymentChange) => Promise<void>> = [];
  readonly #listeners: Array<(change: DeploymentChange) => void> = [];
  #work: Promise<void> = Promise.resolve();

  constructor(options: DeploymentsServiceOptions) {
    const { clock, database, log } = options;
    const functionsStore = this.#functions;
    this.#options = options;
    this.triggers = new FunctionTriggers({ database, functionsStore });
    const inTurn = <T>(work: () => Promise<T>): Promise<T> => this.#inTurn(work);
    const follow = (tx: Transaction, change: DeploymentChange): Promise<void> => this.#follow(tx, change);
    const announce = (change: DeploymentChange): void => this.#announce(change);
    const onStored = (key: FunctionKey): void => this.#invalidate(key);
    this.workspace = new LiveWorkspace({
      ...options,
      functionsStore,
      log: new DeployLog(log),
      inTurn,
      follow,
      notify: announce,
      onStored,
    });
    this.pushed = new DeployedBundles({
      database,
      functionsStore,
      log,
      clock,
      inTurn,
      follow,
      onStored,
      notify: (change) => {
        this.workspace.handOver(change.function.path);
        announce(change);
      },
    });
  }

  /** Called in the transaction that stores a change: what follows from it happens together with it or not at all. */
  onStoring(follower: (tx: Transaction, change: DeploymentChange) => Promise<void>): void {
    this.#followers.push(follower);
  }

  /** Called after each change, in order. */
  onChange(listener: (change: DeploymentChange) => void): void {
    this.#listeners.push(listener);
  }

  /** Versions that were live answer at once. */
  start(): Promise<void> {
    return this.workspace.start();
  }

  async stop(): Promise<void> {
    await this.workspace.stop();
    await this.#work;
  }

  /** Resolves when every change seen so far is live or reported, and its types are checked. */
  async settled(): Promise<void> {
    await this.#work;
    await this.workspace.settled();
  }

  /** Without those whose files are missing. */
  async list(environmentId: number, integrationKey?: string): Promise<DeployedFunction[]> {
    const rows = await this.#functions.list(this.#options.database.reader, environmentId, integrationKey);
    return rows.filter(({ missingSince }) => missingSince === null).map(toDeployedFunction);
  }

  /** Those of any type that have this name, without those whose files are missing. */
  async listNamed(environmentId: number, integrationKey: string, name: string): Promise<DeployedFunction[]> {
    const keys = FUNCTION_TYPES.map((type) => ({ environmentId, integrationKey, type, name }));
    const rows = await this.#functions.listByKeys(this.#options.database.reader, keys);
    return rows.filter(({ missingSince }) => missingSince === null).map(toDeployedFunction);
  }

  /** Also one whose file is missing. */
  async find(
    environmentId: number,
    integrationKey: string,
    type: FunctionType,
    name: string,
  ): Promise<DeployedFunction | undefined> {
    const row = await this.#functions.find(this.#options.database.reader, {
      environmentId,
      integrationKey,
      type,
      name,
    });
    return row && toDeployedFunction(row);
  }

  /** Every function as the dashboard lists it, those whose files are missing too. */
  async listSummaries(environmentId: number, integrationKey?: string): Promise<FunctionSummary[]> {
    const { database } = this.#options;
    const [rows, runs] = await Promise.all([
      this.#functions.listSummaries(database.reader, environmentId, integrationKey),
      this.#functions.listLastRuns(database.reader, environmentId),
    ]);
    return toSummaries(rows, runs);
  }

  /** Functions and switched-on ones, by the key of their folder. */
  async countByIntegration(environmentId: number): Promise<Map<string, { total: number; enabled: number }>> {
    const counts = await this.#functions.countByIntegration(this.#options.database.reader, environmentId);
    return new Map(counts.map(({ integrationKey, total, enabled }) => [integrationKey, { total, enabled }]));
  }

  /** Which functions read which of the `defined` variables, and which missing ones they read. */
  findVariableUses(environmentId: number, defined: readonly string[]): Promise<VariableUses> {
    return findVariableUses({ db: this.#options.database.reader, functions: this.#functions }, environmentId, defined);
  }

  /** The file as it is on the disk; the source of the live version when there is none. */
  async readFile(deployed: DeployedFunction): Promise<string> {
    const isFile = deployed.origin === 'workspace';
    const text = isFile ? await readIfPresent(join(this.#options.workspace, deployed.path)) : undefined;
    return text ?? (await this.readSource(deployed)) ?? '';
  }

  /** When the file was compiled last since the start, and how long that took. */
  findLastCheck(deployed: DeployedFunction): FunctionCheck | undefined {
    return this.workspace.findLastCheck(deployed.path);
  }

  /** TypeScript source of the live version. */
  async readSource(deployed: DeployedFunction): Promise<string | undefined> {
    return (await this.#functions.findCode(this.#options.database.reader, deployed.id))?.source;
  }

  /** The versions that went live, newest first: at most 20, fewer when their sources are long. */
  listVersions(deployed: DeployedFunction): Promise<FunctionVersionRow[]> {
    return this.#versions.list(this.#options.database.reader, deployed.id);
  }

  /** TypeScript source of a version that is kept. */
  readVersion(deployed: DeployedFunction, id: number): Promise<string | undefined> {
    return this.#versions.findSource(this.#options.database.reader, deployed.id, id);
  }

  /**
   * The live version with its bundle; undefined when there is none or its file is missing. Whether it is switched on is
   * the caller's to check.
   */
  findActive(
    environmentId: number,
    integrationKey: string,
    type: FunctionType,
    name: string,
  ): Promise<RunnableFunction | undefined> {
    const { database } = this.#options;
    const key = { environmentId, integrationKey, type, name };
    return this.#cache.get(cacheKey(key), async () => {
      const row = await this.#functions.findRunnable(database.reader, key);
      const { definition, bundleHash, ...found } = row ? toDeployedFunction(row) : {};
      if (!row || !definition || !bundleHash) return undefined;
      return { ...found, definition, bundleHash, version: row.version ?? '1', bundle: row.bundle } as RunnableFunction;
    });
  }

  async setEnabled(tx: Transaction, deployed: DeployedFunction, isEnabled: boolean): Promise<void> {
    await this.#functions.updateEnabled(tx, deployed.id, isEnabled);
    tx.afterCommit(() => this.#invalidate(deployed));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#work.then(work);
    // The caller receives a failure; the next change goes on.
    this.#work = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }

  /** What was read of the function is out of date. */
  #invalidate(key: FunctionKey): void {
    this.#cache.drop(cacheKey(key));
    this.triggers.invalidate(key);
  }

  async #follow(tx: Transaction, change: DeploymentChange): Promise<void> {
    for (const follower of this.#followers) await follower(tx, change);
  }

  #announce(change: DeploymentChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

function cacheKey(key: FunctionKey): string {
  return `${key.environmentId}:${key.integrationKey}:${key.type}:${key.name}`;
}
