import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type {
  GuestContext,
  GuestLogEntry,
  HostMethod,
  HostMethods,
  RunOutcome,
} from '../../../functions/runtime/bridge.ts';
import { systemClock } from '../../../server/platform/lib/clock.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { readGuestSnapshot } from '../../../server/platform/sandbox/guest-snapshot.ts';
import { Sandbox, type SandboxLimits, type SandboxOptions } from '../../../server/platform/sandbox/sandbox.ts';
import type { Bundle, RunSpec } from '../../../server/platform/sandbox/sandbox-task.ts';

const WORKER_ENTRY = fileURLToPath(new URL('../../../dist/server/worker-main.mjs', import.meta.url));
const GUEST = fileURLToPath(new URL('../../../dist/guest/guest.js', import.meta.url));
const GUEST_SNAPSHOT = fileURLToPath(new URL('../../../dist/snapshot/guest.snapshot', import.meta.url));
const LIMITS = { timeoutMs: 60_000, memoryMb: 64, outputBytes: 10_485_760, messageBytes: 16_777_216 };

/** Responses of the host by method; any other method rejects. */
export type HostScript = {
  [M in HostMethod]?: (args: HostMethods[M]['args'], signal: AbortSignal) => unknown;
};
export interface RunOptions {
  context?: Partial<GuestContext>;
  input?: unknown;
  limits?: Partial<RunSpec['limits']>;
  signal?: AbortSignal;
  host?: HostScript;
  depth?: number;
  startWithinMs?: number;
  measuresMemory?: boolean;
  isProviderUnknown?: boolean;
}
export interface Finished {
  outcome: RunOutcome;
  calls: Array<{ method: HostMethod; args: never }>;
  logs: GuestLogEntry[];
}

export async function createSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const guestCode = options.guestCode ?? (await readFile(GUEST, 'utf8'));
  return new Sandbox({
    guestCode,
    guestSnapshot: await readGuestSnapshot(GUEST_SNAPSHOT, guestCode),
    workers: 1,
    logger: silentLogger,
    clock: systemClock,
    workerEntry: WORKER_ENTRY,
    execPath: process.execPath,
    ...options,
    limits: { memoryMb: LIMITS.memoryMb, ...options.limits },
  });
}

export async function startSandbox(limits: Partial<SandboxLimits> = {}, workers = 1): Promise<Sandbox> {
  const sandbox = await createSandbox({ limits, workers });
  await sandbox.start();
  return sandbox;
}

export function bundleOf(code: string, fileName = 'probe-acme.cjs'): Bundle {
  return { hash: createHash('sha256').update(code).digest('hex'), code, fileName };
}

/** A bundle whose default export is an action, changed by `members`. */
export function actionCode(body: string, members = ''): string {
  return `module.exports.default = { type: 'action', ${members} exec: async (nango, input) => { ${body} } };`;
}

export async function runCode(sandbox: Sandbox, code: string, options: RunOptions = {}): Promise<Finished> {
  const calls: Finished['calls'] = [];
  const logs: GuestLogEntry[] = [];
  const spec: RunSpec = {
    runId: 'run-1',
    functionName: 'probe',
    bundle: bundleOf(code),
    context: contextOf(options),
    limits: { ...LIMITS, ...options.limits },
    signal: options.signal ?? new AbortController().signal,
    ...(options.depth === undefined ? {} : { depth: options.depth }),
    ...(options.measuresMemory === undefined ? {} : { measuresMemory: options.measuresMemory }),
    ...(options.startWithinMs === undefined ? {} : { startWithinMs: options.startWithinMs }),
    ...(options.input === undefined ? {} : { input: JSON.stringify(options.input) }),
  };
  const outcome = await sandbox.run(spec, {
    async call(method, args, signal) {
      calls.push({ method, args: args as never });
      const response = options.host?.[method];
      if (!response) throw new Error(`The host was not told how to answer '${method}'`);
      return (await response(args, signal)) as never;
    },
    log: (entries) => void logs.push(...entries),
  });
  return { outcome, calls, logs };
}

/** Runs the body of an action and returns its output; fails when the action fails. */
export async function outputOf(sandbox: Sandbox, body: string, options: RunOptions = {}): Promise<unknown> {
  const { outcome } = await runCode(sandbox, actionCode(body), options);
  if (!outcome.ok) throw new Error(`The action failed: ${JSON.stringify(outcome.failure)}`);
  return JSON.parse(outcome.output);
}

function contextOf({ context, isProviderUnknown = false }: RunOptions): GuestContext {
  return {
    scriptType: 'action',
    connectionId: 'conn-1',
    providerConfigKey: 'acme',
    provider: 'acme-api',
    environmentId: 1,
    environmentName: 'dev',
    accountId: 1,
    nangoConnectionId: 7,
    activityLogId: 'log-1',
    isCLI: false,
    logLevel: 'debug',
    syncConfig: { sync_name: 'probe' },
    models: ['Contact'],
    ...(isProviderUnknown ? {} : { paginateDefaults: null }),
    ...context,
  };
}
