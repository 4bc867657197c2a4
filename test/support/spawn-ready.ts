import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { WAIT_LIMIT_MS } from './wait-limit.ts';

export interface SpawnReadyOptions {
  /** A TypeScript file, run by this process's own Node. */
  entry: string;
  args?: string[];
  env?: Record<string, string>;
  /** Matches the line of output that says that the child can be used. */
  readyLine: RegExp;
  limitMs?: number;
}

/** A child process that is ready. */
export interface ReadyProcess {
  child: ChildProcess;
  /** Groups of the match in that line. */
  ready: RegExpMatchArray;
  /** Everything written to stderr so far. */
  errorOutput(): string;
  /** Sends the signal and waits for the end; a child that outlives `limitMs` is killed, which is an error. */
  end(signal: 'SIGTERM' | 'SIGKILL', limitMs?: number): Promise<void>;
}

const KEPT_OUTPUT = 20_000;
/** Part of the message when a child was killed after its time limit. */
export const NOT_READY_IN_TIME = 'was not ready within';

/** Starts a child process; resolves once it is ready. */
export async function spawnReady(options: SpawnReadyOptions): Promise<ReadyProcess> {
  const { entry, args = [], env = {}, readyLine, limitMs = WAIT_LIMIT_MS } = options;
  const child = spawn(process.execPath, [entry, ...args], {
    env: { ...outerEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A test that dies must not leave its servers running.
  const killWithParent = (): void => void child.kill('SIGKILL');
  process.once('exit', killWithParent);
  child.once('close', () => process.off('exit', killWithParent));
  let output = '';
  const keep = (chunk: string): void => {
    output = (output + chunk).slice(-KEPT_OUTPUT);
  };
  child.stderr.setEncoding('utf8').on('data', keep);

  const ready = await new Promise<RegExpMatchArray>((resolve, reject) => {
    let isLate = false;
    const fail = (why: string): void => reject(new Error(`${entry} ${why}\n${output || '(nothing on stderr)'}`));
    const limit = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, limitMs);
    child.once('error', (error) => fail(error.message));
    // 'close' comes after the last byte of stderr, 'exit' may come before it. After 'close' the process no longer exists.
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      fail(isLate ? `${NOT_READY_IN_TIME} ${limitMs} ms` : `ended before it was ready (${signal ?? `code ${code}`})`);
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const match = readyLine.exec(line);
      if (!match) return;
      clearTimeout(limit);
      resolve(match);
    });
  });
  return {
    child,
    ready,
    errorOutput: () => output,
    end: (signal, endLimitMs = WAIT_LIMIT_MS) => endChild(child, signal, endLimitMs),
  };
}

async function endChild(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL', limitMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.kill(signal);
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, limitMs);
  await ended;
  clearTimeout(limit);
  if (late) throw new Error(`the process did not end within ${limitMs} ms of ${signal}`);
}

/** The environment without the product's own settings: a developer's variables must not influence a test. */
function outerEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(HOMEPORT|NANGO|NODE_OPTIONS|VITEST)/.test(name)),
  );
}
