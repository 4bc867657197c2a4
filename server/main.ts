import { type RunningApp, startApp } from './app.ts';
import { type Config, ConfigError, readConfig, removeSecretVariables } from './config.ts';
import {
  EXIT_DAMAGED_DATABASE,
  EXIT_RESTART,
  EXIT_WRONG_MASTER_KEY,
  type ServerFailureCode,
  type ServerMessage,
  shellMessage,
} from './contract/shell-messages.ts';
import { DamagedDatabaseError } from './platform/database/database-file.ts';
import { FolderInUseError } from './platform/database/folder-lock.ts';
import { UnusableSchemaError } from './platform/database/migrate.ts';
import { PortInUseError } from './platform/http/listener.ts';
import { systemClock } from './platform/lib/clock.ts';
import { commandName, withCommandName } from './platform/lib/command-name.ts';
import { hasErrorCode } from './platform/lib/error-code.ts';
import { IdleMemory } from './platform/lib/idle-memory.ts';
import { logText } from './platform/lib/log-text.ts';
import { createLogger, type Logger } from './platform/lib/logger.ts';
import { onParentEnd } from './platform/lib/parent-end.ts';
import { StartError } from './platform/lib/start-error.ts';
import { stopOnce } from './platform/lib/stop-once.ts';
import { terminalText } from './platform/lib/terminal-text.ts';
import { MasterKeyError } from './platform/vault/master-key.ts';
import { locateResources, type Resources } from './resources.ts';

/** SIGTERM ends the server within 5 s (design.md 3). */
const STOP_LIMIT_MS = 4500;

/** Entry of the server process: starts the app, reports it, and stops it when asked. */
async function main(): Promise<void> {
  // All files of this process are private to its user.
  process.umask(0o077);
  const config = readConfig(process.env);
  // With the secrets, for a restart.
  const environment = { ...process.env };
  removeSecretVariables(process.env);
  const isForPeople = config.logFormat ? config.logFormat === 'text' : process.stderr.isTTY;
  // Not undefined, because picocolors would then decide by itself and colour what a CI job writes to a file.
  const hasColors = process.stderr.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  const resources = await locateResources();
  const command = ownCommandName(resources);
  const logger = createLogger({
    level: config.programLogLevel ?? (isForPeople ? 'info' : 'warn'),
    commandName: command,
    ...(isForPeople ? { write: (line) => void process.stderr.write(logText(line, { hasColors })) } : {}),
  });
  let isRestarting = false;
  const app = await startApp({
    config,
    resources,
    logger,
    process: {
      stop: () => {
        notify({ type: 'quit' });
        stop();
      },
      restart: () => {
        isRestarting = true;
        stop();
      },
    },
  });
  keepServing(logger);
  new IdleMemory({ clock: systemClock }).start();

  const stop = stopOnce({
    stop: () => app.stop(),
    // After a stop that failed or took too long the next start recovers, so the restart goes on.
    exit: (status) => (isRestarting ? startAgain(environment) : process.exit(status)),
    onError: (error) => logger.error({ err: error }, 'the server did not stop cleanly'),
    limitMs: STOP_LIMIT_MS,
  });
  // Not `once`: a second signal during the stop must not end the process at once, as Node does by default.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.once('disconnect', stop);
  // Its starter has ended during the start, and nobody is told of that again.
  if (process.send !== undefined && !process.connected) stop();
  if (process.argv.includes('--ends-with-parent')) onParentEnd(stop);
  process.on('message', (message) => {
    const parsed = shellMessage.safeParse(message);
    if (!parsed.success) return;
    if (parsed.data.type === 'stop') stop();
    else notify({ type: 'loginLink', requestId: parsed.data.requestId, url: app.loginUrl() });
  });

  for (const warning of app.warnings) print(`Note: ${warning}`);
  print(isForPeople ? readyText(app, config, command) : readyLine(app, config));
  notify({
    type: 'ready',
    address: app.address,
    loginUrl: app.loginUrl(),
    functionsFolder: config.functionsFolder,
    dataFolder: config.home,
  });
}

/**
 * A server with a starter leaves the new start to it. Without one, as under systemd, the process replaces itself: it
 * keeps its id, its terminal and its place in the service manager.
 */
function startAgain(environment: NodeJS.ProcessEnv): void {
  const hasStarter = process.send !== undefined || process.env['HOMEPORT_LAUNCHER'] !== undefined;
  // Windows cannot replace a process; bin/homeport.cmd starts it again there.
  if (hasStarter || process.platform === 'win32' || !process.execve) process.exit(EXIT_RESTART);
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], environment);
}

/**
 * Last handler of unexpected errors, below the handlers of every part: a programming error in one request, run or
 * socket is logged with its stack, and the other ones go on. This is safe, because no stored state is left half changed
 * when such a unit stops midway: stored data changes in transactions, which roll back when their work throws; a job
 * that did not report its end is repeated; a run without a response reaches its time limit. Ending the process would
 * interrupt all other work.
 */
function keepServing(logger: Logger): void {
  const note = (origin: string, reason: unknown): void => {
    try {
      logger.error({ err: reason, origin }, unexpectedText(reason));
    } catch {
      // The terminal that showed the log was closed; the server does not need it.
    }
  };
  process.on('uncaughtException', (error) => note('uncaughtException', error));
  process.on('unhandledRejection', (reason) => note('unhandledRejection', reason));
}

/** Only the user can change the limit, and a stack does not name it. */
function unexpectedText(reason: unknown): string {
  return hasErrorCode(reason, 'EMFILE', 'ENFILE')
    ? 'too few file descriptors: files and connections cannot be opened. Raise the limit (ulimit -n, at least 1024) and start Homeport again'
    : 'unexpected error; the server continues';
}

function readyLine({ address, loginUrl }: RunningApp, { home }: Config): string {
  return `Homeport ready at ${address}, data in ${home}, login link ${loginUrl()} (valid once, for 10 minutes)`;
}

function ownCommandName({ launcher }: Resources): string {
  return commandName({ launcher, cwd: process.cwd(), env: process.env });
}

function readyText({ address, loginUrl }: RunningApp, { functionsFolder, home }: Config, command: string): string {
  return [
    `Homeport ready at ${address}`,
    `  dashboard  ${loginUrl()}`,
    `             (login link, valid once for 10 minutes; ${command} open prints another one)`,
    `  functions  ${functionsFolder}`,
    `  data       ${home}`,
  ].join('\n');
}

function notify(message: ServerMessage): void {
  process.send?.(message);
}

function print(line: string): void {
  process.stdout.write(`${terminalText(line)}\n`);
}

function failureOf(error: unknown): { code: ServerFailureCode; status: number } {
  if (error instanceof MasterKeyError) return { code: 'wrong_master_key', status: EXIT_WRONG_MASTER_KEY };
  if (error instanceof PortInUseError) return { code: 'port_in_use', status: 1 };
  if (error instanceof UnusableSchemaError) return { code: `${error.age}_database`, status: 1 };
  if (error instanceof DamagedDatabaseError) return { code: 'damaged_database', status: EXIT_DAMAGED_DATABASE };
  return { code: 'start_failed', status: 1 };
}

/** Errors whose message is complete; a stack would distract from it. */
const EXPECTED = [ConfigError, FolderInUseError, StartError];
const IF_LOST = 'If the key is lost: `homeport key reset` creates a new one and keeps all data that is not sealed.';

main().catch(async (error: unknown) => {
  const { code, status } = failureOf(error);
  const cause = error instanceof Error ? error.message : String(error);
  const message = withCommandName(
    error instanceof MasterKeyError && error.isDataClosed ? `${cause} ${IF_LOST}` : cause,
    ownCommandName(await locateResources()),
  );
  const isExpected = code !== 'start_failed' || EXPECTED.some((kind) => error instanceof kind);
  const text = isExpected || !(error instanceof Error) ? message : (error.stack ?? message);
  process.stderr.write(`${terminalText(text)}\n`);
  // Parts that have started would keep the process alive, and the message must be sent before the exit.
  if (process.send) process.send({ type: 'failed', code, message } satisfies ServerMessage, () => process.exit(status));
  else process.exit(status);
});
