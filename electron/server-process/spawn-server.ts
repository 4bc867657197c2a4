import { type ChildProcess, spawn } from 'node:child_process';

/**
 * The same settings as in build/scripts/launch-server.mjs, where the reason is explained;
 * test/architecture/allocator-settings.test.ts keeps them equal.
 */
const MALLOC_SETTINGS = {
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_MMAP_MAX_: '16384',
  MALLOC_TRIM_THRESHOLD_: '4194304',
};

export interface ServerLocation {
  /** Path of the bundled Node. */
  runtime: string;
  /** Path of the server's entry file. */
  entry: string;
}

export interface SpawnServerOptions extends ServerLocation {
  env: NodeJS.ProcessEnv;
  /** Writable folder in which Node keeps compiled code between starts. Undefined: no cache. */
  compileCache: string | undefined;
  /** Receives the server's log. Standard output is not included, because it contains the one-time login address. */
  onLog: (chunk: Buffer) => void;
}

/** Variables for Electron or for this computer's own Node, which must not affect the bundled Node. */
const DROPPED = ['NODE_OPTIONS', 'ELECTRON_RUN_AS_NODE', 'ELECTRON_NO_ASAR'];

/** Starts the server with the bundled Node, never with Electron's own. */
export function spawnServer({ runtime, entry, env, compileCache, onLog }: SpawnServerOptions): ChildProcess {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !DROPPED.includes(name)));
  const child = spawn(runtime, [entry], {
    env: {
      UV_THREADPOOL_SIZE: '8',
      ...(compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache }),
      ...MALLOC_SETTINGS,
      ...kept,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    windowsHide: true,
  });
  child.stderr?.on('data', onLog);
  return child;
}
