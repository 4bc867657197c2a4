import path from 'node:path';
import { app } from 'electron';
import type { RotatingLog } from '../server-process/rotating-log.ts';
import { ServerSupervisor } from '../server-process/server-supervisor.ts';
import { type ServerLocation, spawnServer } from '../server-process/spawn-server.ts';
import { reportStart } from './start-report.ts';

/** In a package both are in the resources. In development the scripts that start Electron pass their paths. */
export function locateServer(): ServerLocation {
  if (app.isPackaged) {
    // The names in build/scripts/package/package-targets.mjs: macOS shows this name when it asks for keychain access.
    const names: Partial<Record<string, string>> = { win32: 'node.exe', darwin: 'Homeport Server' };
    const binary = names[process.platform] ?? 'node';
    return {
      runtime: path.join(process.resourcesPath, 'runtime/bin', binary),
      entry: path.join(process.resourcesPath, 'dist/server/main.mjs'),
    };
  }
  const { HOMEPORT_RUNTIME: runtime, HOMEPORT_SERVER_ENTRY: entry } = process.env;
  if (!runtime) throw new Error('Start the desktop app with `npm start`: it says which Node runs the server.');
  return { runtime, entry: entry ?? path.join(import.meta.dirname, '../server/main.mjs') };
}

/** `log` receives what the server writes to standard error. */
export function createSupervisor({ log, onQuit }: { log: RotatingLog; onQuit: () => void }): ServerSupervisor {
  const location = locateServer();
  return new ServerSupervisor({
    onQuit,
    spawnServer() {
      const server = spawnServer({
        ...location,
        env: process.env,
        // An AppImage is mounted at a different path at each start, so its cache would only grow.
        compileCache: process.env['APPIMAGE'] ? undefined : path.join(app.getPath('userData'), 'compile-cache'),
        onLog: (chunk) => log.write(chunk),
      });
      reportStart({ serverPid: server.pid });
      return server;
    },
  });
}
