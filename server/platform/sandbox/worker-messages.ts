import type { HostMethod, HostMethods, RunFailure, RunOutcome } from '../../../functions/runtime/bridge.ts';
import { HOST_METHODS, isHostMethod } from '../../../functions/runtime/host-methods.ts';
import {
  InvalidMessageError,
  readId,
  readLogEntries,
  readNumber,
  readObject,
  readTextMember,
  readWireError,
} from './guest-messages.ts';
import type { FromWorker } from './worker-protocol.ts';

/** Longest name of a method or line of detail that an error repeats. */
const MAX_DETAIL_LENGTH = 500;
const FURTHER_FAILURES: ReadonlySet<unknown> = new Set(['timeout', 'not_started', 'memory', 'aborted']);

/**
 * Reads a message with its known members. Throws InvalidMessageError. The arguments of a call are checked by `readArguments`.
 */
export function readWorkerMessage(value: unknown): FromWorker {
  const message = readObject(value, 'a message');
  switch (message['kind']) {
    case 'ready':
    case 'heartbeat':
    case 'retire':
      return { kind: message['kind'] };
    case 'alive':
      return { kind: 'alive', run: readRun(message) };
    case 'receipt':
      return { kind: 'receipt', run: readRun(message), call: readId(message['call'], 'a receipt') };
    case 'logs':
      return { kind: 'logs', run: readRun(message), entries: readLogEntries(message['entries']) };
    case 'done':
      return {
        kind: 'done',
        run: readRun(message),
        outcome: readOutcome(message['outcome']),
        isReused: message['isReused'] === true,
      };
    case 'call':
      return readCall(message);
    default:
      throw new InvalidMessageError('unknown kind of message');
  }
}

/** The run that a message names, even when the rest of the message is invalid. */
export function runOf(value: unknown): number | undefined {
  const run = (value as { run?: unknown } | null | undefined)?.run;
  return typeof run === 'number' ? run : undefined;
}

/**
 * Checks the arguments with the schemas of the host methods. Throws InvalidMessageError naming the member that does not fit.
 */
export function readArguments<M extends HostMethod>(method: M, args: unknown): HostMethods[M]['args'] {
  const parsed = HOST_METHODS[method].args.safeParse(args);
  if (parsed.success) return parsed.data as HostMethods[M]['args'];
  const [issue] = parsed.error.issues;
  const at = issue?.path.map(String).join('.') ?? '';
  throw new InvalidMessageError(
    `${method}: ${`${at === '' ? '' : `${at}: `}${issue?.message ?? ''}`.slice(0, MAX_DETAIL_LENGTH)}`,
  );
}

function readCall(message: Record<string, unknown>): Extract<FromWorker, { kind: 'call' }> {
  const { method, args } = message;
  if (!isHostMethod(method)) throw new InvalidMessageError('unknown method of the host');
  return { kind: 'call', run: readRun(message), call: readId(message['call'], 'a call'), method, args };
}

function readRun({ run }: Record<string, unknown>): number {
  return readId(run, 'a run');
}

function readOutcome(value: unknown): RunOutcome {
  const outcome = readObject(value, 'the outcome of a run');
  const usage = {
    cpuMs: readNumber(outcome['cpuMs'], 'the processor time of a run'),
    memoryBytes: readNumber(outcome['memoryBytes'], 'the memory of a run'),
  };
  if (outcome['ok'] === false) return { ok: false, failure: readFailure(outcome['failure']), ...usage };
  const { output } = outcome;
  if (outcome['ok'] !== true || typeof output !== 'string')
    throw new InvalidMessageError('a run ended without an outcome');
  return { ok: true, output, ...usage };
}

/** Reads only the reasons that a worker can know: only the server can know that a worker was lost. */
function readFailure(value: unknown): RunFailure {
  const failure = readObject(value, 'the failure of a run');
  const { kind } = failure;
  if (kind === 'thrown') return { kind, error: readWireError(failure['error']) };
  if (kind === 'output_too_large') return { kind, bytes: readNumber(failure['bytes'], 'the size of an output') };
  if (FURTHER_FAILURES.has(kind)) return { kind: kind as 'timeout' | 'not_started' | 'memory' | 'aborted' };
  throw new InvalidMessageError(
    `unknown failure of a run: ${readTextMember(kind, 'the kind of a failure', MAX_DETAIL_LENGTH)}`,
  );
}
