import { app } from 'electron';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';

/** Quitting waits for the server, which has its own limit of five seconds. */
export function setupQuit(supervisor: ServerSupervisor): void {
  app.on('before-quit', (event) => {
    if (supervisor.state.name === 'stopped') return;
    event.preventDefault();
    void supervisor.stop().then(() => app.quit());
  });
}
