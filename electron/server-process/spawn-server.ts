import { type ChildProcess, spawn } from 'node:child_process';

/** As in build/scripts/launch-server.mjs, which says why; test/architecture/allocator-settings.test.ts keeps them equal. */
const MALLOC_SETTINGS = {
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_MMAP_MAX_: '16384',
  MALLOC_TRIM_THRESHOLD_: '4194304',
};

export interface ServerLocation {
  /** The bundled Node. */
  runtime: string;
  /** The server's entry file. */
  entry: string;
}

export interface SpawnServerOptions extends ServerLocation {
  env: NodeJS.ProcessEnv;
  /** Where Node keeps compiled code between starts, by path; a writable folder. Undefined: it keeps none. */
  compileCache: string | undefined;
  /** Receives the server's log. Its standard output is left out: it shows the one-time sign-in address. */
  onLog: (chunk: Buffer) => void;
}

/** Variables that mean something to Electron or to the machine's own Node, not to the bundled one. */
const DROPPED = ['NODE_OPTIONS', 'ELECTRON_RUN_AS_NODE', 'ELECTRON_NO_ASAR'];

/** Starts the server on the bundled Node, never on Electron's own. */
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
