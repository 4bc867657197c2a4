import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
// @ts-expect-error a plain script without types: it has to run on any Node
import { serverEnvironment as environmentOfServe } from '../../build/scripts/launch-server.mjs';
import { NOT_READY_IN_TIME, type ReadyProcess, spawnReady } from './spawn-ready.ts';
import { createTempHome, type TempHome } from './temp-home.ts';
import { waitFor } from './wait-for.ts';

const SOURCE_ENTRY = fileURLToPath(new URL('../../server/main.ts', import.meta.url));
/** The built program; a test run rebuilds it first when a source has changed. */
export const SERVER_ENTRY = fileURLToPath(new URL('../../dist/server/main.mjs', import.meta.url));
const SERVE_ENTRY = fileURLToPath(new URL('../../build/scripts/serve.mjs', import.meta.url));
const READY_LINE = /^Homeport ready at (http:\/\/127\.0\.0\.1:(\d+))/;

export const TEST_SECRET_KEY = '5d0f2f7e-6a53-4c0e-9a53-3f6d7a1c2b4e';

export interface StartServerOptions {
  /** An existing data folder, kept at the end; default: a temporary one, removed by `stop`. */
  home?: string;
  /**
   * With the shipped examples, which a new data folder gets. They are compiled at the start, and their syncs run for each
   * practice connection: few tests need that. Default: the functions folder is empty.
   */
  hasExamples?: boolean;
  /** Further environment variables of the server. */
  env?: Record<string, string>;
  /** Runs the script of `npm run serve`. */
  isServed?: boolean;
  /** Runs the sources, as `npm run dev` does, instead of what set-up built from them. */
  isFromSources?: boolean;
}

/** What a client needs. */
export interface ServerAddress {
  /** Base of every path, without a trailing slash. */
  readonly url: string;
  readonly secretKey: string;
}

/** The product itself, built and started as a user starts it, in a process of its own. */
export interface StartedServer extends ServerAddress {
  readonly home: string;
  readonly workspace: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to the first 200 on `/health`. */
  readonly startedInMs: number;
  /** The server's output on stderr. */
  errorOutput(): string;
  /** Sends SIGTERM and waits for the end, at most for the time that the server promises. Removes a temporary home. */
  stop(): Promise<void>;
  /** Sends SIGTERM; resolves to the exit status. Keeps all files for `restart`. */
  end(): Promise<number | null>;
  /** Sends SIGKILL, like a power cut: nothing is cleaned up. */
  kill(): Promise<void>;
  /** Starts a killed server again and kills it after `afterMs`, before the start is complete. */
  killDuringStart(afterMs: number): Promise<void>;
  /** Starts again with the same data and port, so that `url` stays; stops a running server first. */
  restart(): Promise<void>;
}

/** The real server, as built by set-up, as a child process; resolves once it is ready. */
export async function startServer(options: StartServerOptions = {}): Promise<StartedServer> {
  const tempHome = options.home === undefined ? await createTempHome() : undefined;
  const home = options.home ?? tempHome?.path ?? '';
  const builtEnv: Record<string, string> = options.isFromSources ? {} : environmentOfServe({});
  const env = serverEnvironment(home, { ...builtEnv, ...options.env });
  if (!options.hasExamples) await makeFunctionsFolder(env);
  else if (tempHome && !options.isFromSources) await shareCompiledFunctions(home, 'build');
  try {
    const builtEntry = options.isServed ? SERVE_ENTRY : SERVER_ENTRY;
    return await ServerProcess.launch(options.isFromSources ? SOURCE_ENTRY : builtEntry, env, tempHome);
  } catch (error) {
    await tempHome?.remove();
    throw error;
  }
}

/** The settings of every started server: free ports, a folder and keys of its own. */
export function serverEnvironment(home: string, further: Record<string, string> = {}): Record<string, string> {
  return {
    HOMEPORT_PORT: '0',
    HOMEPORT_PRACTICE_PORT: '0',
    HOMEPORT_HOME: home,
    HOMEPORT_MASTER_KEY: randomBytes(32).toString('base64'),
    HOMEPORT_SECRET_KEY: TEST_SECRET_KEY,
    // For tests that start the program with nothing but these.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    // Most tests would wait for this process without needing it; those about types turn it on.
    HOMEPORT_TYPE_CHECK: '0',
    ...further,
  };
}

/**
 * Gives a new data folder what other tests compiled from the same texts: five examples or functions of a fixture cost a
 * second of processor time each time. `by`: a cache removes what another version of the compiler left.
 */
export async function shareCompiledFunctions(home: string, by: 'sources' | 'build'): Promise<void> {
  const shared = fileURLToPath(new URL(`../../dist/cache/functions-of-${by}`, import.meta.url));
  await mkdir(shared, { recursive: true });
  await mkdir(join(home, 'cache'));
  await symlink(shared, join(home, 'cache/functions'), 'junction');
}

/** A server adds the examples only where the folder does not exist. */
export async function makeFunctionsFolder(env: Record<string, string>): Promise<void> {
  const folder = env['HOMEPORT_FUNCTIONS'] ?? join(env['HOMEPORT_HOME'] ?? '', 'functions');
  if (existsSync(dirname(folder))) await mkdir(folder, { recursive: true });
}

class ServerProcess implements StartedServer {
  readonly secretKey: string;
  readonly home: string;
  readonly workspace: string;
  readonly #entry: string;
  readonly #env: Record<string, string>;
  readonly #tempHome: TempHome | undefined;
  #process: ReadyProcess;
  #url = '';
  #startedInMs = 0;

  private constructor(
    entry: string,
    env: Record<string, string>,
    tempHome: TempHome | undefined,
    process: ReadyProcess,
  ) {
    this.#entry = entry;
    this.#env = env;
    this.#tempHome = tempHome;
    this.#process = process;
    this.secretKey = env['HOMEPORT_SECRET_KEY'] ?? '';
    this.home = env['HOMEPORT_HOME'] ?? '';
    this.workspace = env['HOMEPORT_FUNCTIONS'] ?? join(this.home, 'functions');
  }

  static async launch(
    entry: string,
    env: Record<string, string>,
    tempHome: TempHome | undefined,
  ): Promise<StartedServer> {
    const startedAt = performance.now();
    const server = new ServerProcess(entry, env, tempHome, await spawnReady({ entry, env, readyLine: READY_LINE }));
    await server.#waitForHealth(startedAt);
    return server;
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number {
    return this.#process.child.pid ?? 0;
  }

  get startedInMs(): number {
    return this.#startedInMs;
  }

  errorOutput(): string {
    return this.#process.errorOutput();
  }

  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#process.child;
    const hasCrashed = exitCode !== null || (signalCode !== null && signalCode !== 'SIGKILL');
    try {
      if (hasCrashed) throw new Error(`the server ended by itself (${signalCode ?? exitCode})\n${this.errorOutput()}`);
      await this.#process.end('SIGTERM');
    } finally {
      await this.#tempHome?.remove();
    }
  }

  async end(): Promise<number | null> {
    await this.#process.end('SIGTERM');
    return this.#process.child.exitCode;
  }

  kill(): Promise<void> {
    return this.#process.end('SIGKILL');
  }

  async killDuringStart(afterMs: number): Promise<void> {
    try {
      this.#process = await this.#spawnAgain(afterMs);
    } catch (error) {
      if (error instanceof Error && error.message.includes(NOT_READY_IN_TIME)) return;
      throw error;
    }
    await this.kill();
  }

  async restart(): Promise<void> {
    await this.#process.end('SIGTERM');
    const startedAt = performance.now();
    this.#process = await this.#spawnAgain();
    await this.#waitForHealth(startedAt);
  }

  /** On the same port. */
  #spawnAgain(limitMs?: number): Promise<ReadyProcess> {
    const env = { ...this.#env, HOMEPORT_PORT: new URL(this.#url).port };
    return spawnReady({
      entry: this.#entry,
      env,
      readyLine: READY_LINE,
      ...(limitMs === undefined ? {} : { limitMs }),
    });
  }

  async #waitForHealth(startedAt: number): Promise<void> {
    this.#url = this.#process.ready[1] ?? '';
    try {
      await waitFor(async () => (await fetch(`${this.#url}/health`)).status === 200, { what: '/health' });
    } catch (error) {
      await this.kill();
      throw new Error(`the server started and is not healthy\n${this.errorOutput()}`, { cause: error });
    }
    this.#startedInMs = performance.now() - startedAt;
  }
}
