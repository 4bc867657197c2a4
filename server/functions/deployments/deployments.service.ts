import { join } from 'node:path';
import type { OperationLog } from '../../log/operation.ts';
import type { ReadHandle, Transaction } from '../../platform/database/database.ts';
import type { MaybePromise } from '../../platform/lib/maybe-promise.ts';
import { ReadCache } from '../../platform/lib/read-cache.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import { type FunctionVersionRow, FunctionVersionsStore, keepVersions } from '../function-versions.store.ts';
import { type FunctionKey, FunctionsStore, type FunctionType } from '../functions.store.ts';
import { createDeployLog } from './deploy-log.ts';
import { createDeployedBundles } from './deployed-bundles.ts';
import {
  type DeployedFunction,
  type DeploymentChange,
  type RunnableFunction,
  toDeployedFunction,
} from './deployed-function.ts';
import { type FunctionCheck, type FunctionSummary, toSummaries } from './function-summary.ts';
import { createFunctionTriggers } from './function-triggers.ts';
import { createLiveWorkspace, type LiveWorkspaceOptions } from './live-workspace.ts';

export { isReadOnlyFunction } from './deployed-function.ts';

const FUNCTION_TYPES: readonly FunctionType[] = ['sync', 'action', 'on-event'];
/** Stands for the version of a file that never went live. */
const REPLACED = 'replaced file';
/** Number of bundles kept in memory. */
const CACHED_FUNCTIONS = 500;

export type DeploymentsService = ReturnType<typeof createDeploymentsService>;

/** The live functions: those of the functions folder, and those that a command line deployed (`pushed`). */
export function createDeploymentsService({
  clock,
  database,
  log,
  logger,
  workspace: folder,
  environmentId,
  loadCompiler,
  compilerVersion,
  createTypeChecker,
  isShipped,
  onFilesChanged,
  onFilesRead,
}: Omit<LiveWorkspaceOptions, 'functionsStore' | 'log' | 'inTurn' | 'follow' | 'notify' | 'onStored'> & {
  log: OperationLog;
}) {
  const functionsStore = new FunctionsStore();
  const versions = new FunctionVersionsStore();
  const cache = new ReadCache<RunnableFunction>({ max: CACHED_FUNCTIONS });
  const followers: Array<(tx: Transaction, change: DeploymentChange) => Promise<void>> = [];
  const listeners: Array<(change: DeploymentChange) => void> = [];
  const storedListeners: Array<(key: FunctionKey) => void> = [];
  let lastTurn: Promise<void> = Promise.resolve();
  /** Functions that start without a call. */
  const triggers = createFunctionTriggers({ database, functionsStore });
  const workspace = createLiveWorkspace({
    database,
    functionsStore,
    clock,
    logger,
    log: createDeployLog(log),
    workspace: folder,
    environmentId,
    loadCompiler,
    compilerVersion,
    createTypeChecker,
    isShipped,
    onFilesChanged,
    onFilesRead,
    inTurn,
    follow,
    notify: announce,
    onStored: invalidate,
  });
  const pushed = createDeployedBundles({
    database,
    functionsStore,
    log,
    clock,
    inTurn,
    follow,
    onStored: invalidate,
    notify: (change) => {
      workspace.handOver(change.function.path);
      announce(change);
    },
  });

  /** TypeScript source of the live version. */
  async function readSource(deployed: DeployedFunction): Promise<string | undefined> {
    return (await functionsStore.findCode(database.reader, deployed.id))?.source;
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = lastTurn.then(work);
    // The caller receives the failure; later changes still run.
    lastTurn = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }

  /** Drops what is cached about the function. */
  function invalidate(key: FunctionKey): void {
    cache.drop(cacheKey(key));
    triggers.invalidate(key);
    for (const listener of storedListeners) listener(key);
  }

  async function follow(tx: Transaction, change: DeploymentChange): Promise<void> {
    for (const follower of followers) await follower(tx, change);
  }

  function announce(change: DeploymentChange): void {
    for (const listener of listeners) listener(change);
  }

  return {
    pushed,
    workspace,
    triggers,
    readSource,
    /**
     * Adds a follower that is called in the transaction that stores a change, so that its consequences are stored with it
     * or not at all.
     */
    onStoring(follower: (tx: Transaction, change: DeploymentChange) => Promise<void>): void {
      followers.push(follower);
    },
    /** Adds a listener that is called when something of a function was stored, for what is kept in memory. */
    onStored(listener: (key: FunctionKey) => void): void {
      storedListeners.push(listener);
    },
    /** Adds a listener that is called after each change, in order. */
    onChange(listener: (change: DeploymentChange) => void): void {
      listeners.push(listener);
    },
    /** Begins nothing any more. What is being compiled ends when the sandbox stops, and `stop` waits for it. */
    leave(): Promise<void> {
      return workspace.stop();
    },
    async stop(): Promise<void> {
      await workspace.stop();
      await lastTurn;
    },
    /** Resolves when all changes seen so far are live or reported, and their types are checked. */
    async settled(): Promise<void> {
      await lastTurn;
      await workspace.settled();
    },
    /** Functions with missing files are left out. */
    async list(environmentId: number, integrationKey?: string): Promise<DeployedFunction[]> {
      const rows = await functionsStore.list(database.reader, environmentId, integrationKey);
      return rows.filter(({ missingSince }) => missingSince === null).map(toDeployedFunction);
    },
    /** Functions of any type with this name; those with missing files are left out. */
    async listNamed(environmentId: number, integrationKey: string, name: string): Promise<DeployedFunction[]> {
      const keys = FUNCTION_TYPES.map((type) => ({ environmentId, integrationKey, type, name }));
      const rows = await functionsStore.listByKeys(database.reader, keys);
      return rows.filter(({ missingSince }) => missingSince === null).map(toDeployedFunction);
    },
    /** Also finds a function whose file is missing. */
    async find(
      environmentId: number,
      integrationKey: string,
      type: FunctionType,
      name: string,
    ): Promise<DeployedFunction | undefined> {
      const row = await functionsStore.find(database.reader, {
        environmentId,
        integrationKey,
        type,
        name,
      });
      return row && toDeployedFunction(row);
    },
    /** True when any environment has functions. */
    hasFunctions: (): Promise<boolean> => functionsStore.hasAny(database.reader),
    /** All functions for the dashboard's lists, including those with missing files. */
    async listSummaries(environmentId: number, integrationKey?: string): Promise<FunctionSummary[]> {
      const [rows, runs] = await Promise.all([
        functionsStore.listSummaries(database.reader, environmentId, integrationKey),
        functionsStore.listLastRuns(database.longReader, environmentId),
      ]);
      return toSummaries(rows, runs);
    },
    /** The same without their last runs, which are searched in the whole log. */
    async listWithoutRuns(environmentId: number): Promise<FunctionSummary[]> {
      return toSummaries(await functionsStore.listSummaries(database.reader, environmentId), []);
    },
    /** Number of functions and of switched-on functions, by the key of their integration. */
    async countByIntegration(environmentId: number): Promise<Map<string, { total: number; enabled: number }>> {
      const counts = await functionsStore.countByIntegration(database.reader, environmentId);
      return new Map(counts.map(({ integrationKey, total, enabled }) => [integrationKey, { total, enabled }]));
    },
    /** Which functions read which of the `defined` variables, and which read undefined ones. */
    findVariableUses(environmentId: number, defined: readonly string[]): Promise<VariableUses> {
      return findVariableUses({ db: database.reader, functionsStore }, environmentId, defined);
    },
    /** The current file on the disk, or the source of the live version when there is no file. */
    async readFile(deployed: DeployedFunction): Promise<string> {
      const isFile = deployed.origin === 'workspace';
      const text = isFile ? await readIfExists(join(folder, deployed.path)) : undefined;
      return text ?? (await readSource(deployed)) ?? '';
    },
    /** The last compilation of the file since the start, with its time and duration. */
    findLastCheck(deployed: DeployedFunction): FunctionCheck | undefined {
      return workspace.findLastCheck(deployed.path);
    },
    /** The versions that went live, newest first: at most 20, fewer when their sources are long. */
    listVersions(deployed: DeployedFunction): Promise<FunctionVersionRow[]> {
      return versions.list(database.reader, deployed.id);
    },
    /** TypeScript source of a stored version. */
    readVersion(deployed: DeployedFunction, id: number): Promise<string | undefined> {
      return versions.findSource(database.reader, deployed.id, id);
    },
    /** Keeps a file that never went live among the versions, before another one replaces it. */
    async keepReplaced(deployed: DeployedFunction, source: string): Promise<void> {
      const { environmentId, integrationKey, type, name, origin } = deployed;
      const row = { environmentId, integrationKey, type, name, origin, version: REPLACED, code: { source } };
      await database.transaction((tx) => keepVersions(tx, [{ ...row, now: clock.now() }]));
    },
    /**
     * The live version with its bundle; undefined when there is none or its file is missing. The caller must check
     * whether it is switched on.
     */
    findActive(
      environmentId: number,
      integrationKey: string,
      type: FunctionType,
      name: string,
    ): MaybePromise<RunnableFunction | undefined> {
      const key = { environmentId, integrationKey, type, name };
      return cache.get(cacheKey(key), async () => {
        const row = await functionsStore.findRunnable(database.reader, key);
        const { definition, bundleHash, ...found } = row ? toDeployedFunction(row) : {};
        if (!row || !definition || !bundleHash) return undefined;
        return {
          ...found,
          definition,
          bundleHash,
          version: row.version ?? '1',
          bundle: row.bundle,
        } as RunnableFunction;
      });
    },
    /** Returns false when it was so already. */
    async setEnabled(tx: Transaction, deployed: DeployedFunction, isEnabled: boolean): Promise<boolean> {
      const isChanged = await functionsStore.updateEnabled(tx, deployed.id, isEnabled);
      tx.afterCommit(() => invalidate(deployed));
      return isChanged;
    },
  };
}

function cacheKey(key: FunctionKey): string {
  return `${key.environmentId}:${key.integrationKey}:${key.type}:${key.name}`;
}

export interface VariableReader {
  integrationKey: string;
  type: FunctionType;
  name: string;
}

export interface VariableUses {
  /** By the name of the variable, for defined variables that are read. */
  used: Map<string, VariableReader[]>;
  /** By the name of the variable, for undefined variables that are read. */
  missing: Map<string, VariableReader[]>;
}

/** `variable.name === "API_KEY"` in both orders, as esbuild writes it. */
const COMPARED = /\.name\s*===?\s*(["'`])([A-Z][A-Z0-9_]*)\1|(["'`])([A-Z][A-Z0-9_]*)\3\s*===?\s*\w+(?:\?)?\.name\b/g;

/**
 * Finds which functions read which variables, from the names in their code. A defined variable counts when its name is
 * a word of code that reads variables. A text in capitals that is compared with `.name` counts as a variable too, even
 * an undefined one. Names that the code builds at run time are not found.
 */
async function findVariableUses(
  { db, functionsStore }: { db: ReadHandle; functionsStore: FunctionsStore },
  environmentId: number,
  defined: readonly string[],
): Promise<VariableUses> {
  const uses: VariableUses = { used: new Map(), missing: new Map() };
  const words = defined.map((name) => ({ name, pattern: wordOf(name) }));
  for (const { bundle, ...reader } of await functionsStore.listBundlesWith(
    db,
    environmentId,
    'getEnvironmentVariables',
  )) {
    for (const { name, pattern } of words) if (pattern.test(bundle)) note(uses.used, name, reader);
    for (const name of namesCompared(bundle)) if (!defined.includes(name)) note(uses.missing, name, reader);
  }
  return uses;
}

/** Texts in capitals that the code compares with a member `name`. */
export const namesCompared = (code: string): Set<string> =>
  new Set([...code.matchAll(COMPARED)].map((match) => match[2] ?? match[4] ?? ''));

const wordOf = (name: string): RegExp =>
  new RegExp(`(?<![\\w$-])${name.replace(/[^\w]/g, (character) => `\\${character}`)}(?![\\w$-])`);

function note(uses: Map<string, VariableReader[]>, name: string, reader: VariableReader): void {
  const readers = uses.get(name);
  if (readers) readers.push(reader);
  else uses.set(name, [reader]);
}
