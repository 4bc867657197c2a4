import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import path from 'node:path';
import { app } from 'electron';
import { ServerSupervisor } from '../server-process/server-supervisor.ts';
import { type ServerLocation, spawnServer } from '../server-process/spawn-server.ts';

const LONGEST_LOG_BYTES = 5_000_000;

/** Packaged, both lie in the resources; in development the scripts that start Electron say where they are. */
function locateServer(): ServerLocation {
  if (app.isPackaged) {
    const binary = process.platform === 'win32' ? 'node.exe' : 'node';
    return {
      runtime: path.join(process.resourcesPath, 'runtime/bin', binary),
      entry: path.join(process.resourcesPath, 'dist/server/main.mjs'),
    };
  }
  const { HOMEPORT_RUNTIME: runtime, HOMEPORT_SERVER_ENTRY: entry } = process.env;
  if (!runtime) throw new Error('Start the desktop app with `npm start`: it says which Node runs the server.');
  return { runtime, entry: entry ?? path.join(import.meta.dirname, '../server/main.mjs') };
}

/** The server's log of this and the previous period, beside Electron's own logs. */
function openLog(): WriteStream {
  const file = path.join(app.getPath('logs'), 'server.log');
  mkdirSync(path.dirname(file), { recursive: true });
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LONGEST_LOG_BYTES) renameSync(file, `${file}.old`);
  return createWriteStream(file, { flags: 'a', mode: 0o600 });
}

export function createSupervisor(): ServerSupervisor {
  const location = locateServer();
  const log = openLog();
  return new ServerSupervisor({
    spawnServer: () =>
      spawnServer({
        ...location,
        env: process.env,
        compileCache: path.join(app.getPath('userData'), 'compile-cache'),
        onLog: (chunk) => log.write(chunk),
      }),
  });
}
