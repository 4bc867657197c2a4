import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { hasErrorCode } from '../../platform/lib/error-code.ts';
import { CliFailure } from '../cli-failure.ts';

/** As shells say it. */
const NOT_FOUND = 127;
const NOT_STARTED = 126;
/** Sent to this process alone, so that the command has to be told. */
const FORWARDED: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR2'];
/** A terminal sends these to the whole process group: the command has received them, and decides. */
const OF_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/** Runs a command on the streams of this process. Resolves to its exit status; after a signal 128 plus its number. */
export function runChild([command = '', ...args]: string[], env: Record<string, string>): Promise<number> {
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  const handlers = new Map<NodeJS.Signals, (signal: NodeJS.Signals) => void>([
    ...FORWARDED.map((signal) => [signal, forward] as const),
    ...OF_TERMINAL.map((signal) => [signal, process.stdin.isTTY ? () => {} : forward] as const),
  ]);
  // Before the command runs: a signal at that moment would end this process and leave the command.
  for (const [signal, handler] of handlers) process.on(signal, handler);
  const child = spawn(command, args, { stdio: 'inherit', env });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', (error) => {
      const isUnknown = hasErrorCode(error, 'ENOENT');
      const reason = isUnknown ? 'There is no such command.' : error.message;
      reject(new CliFailure(`"${command}" could not be started. ${reason}`, isUnknown ? NOT_FOUND : NOT_STARTED));
    });
    child.once('close', (status, signal) => resolve(signal ? 128 + constants.signals[signal] : (status ?? 1)));
  });
  return ended.finally(() => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  });
}
