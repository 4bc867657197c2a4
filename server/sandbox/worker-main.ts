import { systemClock } from '../lib/clock.ts';
import { WorkerHost } from './worker/worker-host.ts';
import type { FromWorker, ToWorker } from './worker-protocol.ts';

/**
 * Entry of a function worker: a process of its own that holds isolates and nothing else. It sees no key, no database
 * and no network; everything it needs arrives as messages of the server.
 */
let host: WorkerHost | undefined;
let lastPost: Promise<void> = Promise.resolve();

function post(message: FromWorker): Promise<void> {
  lastPost = new Promise((resolve) => {
    // Without a parent the messages have no reader: 'disconnect' ends the process.
    if (!process.send || !process.connected) return resolve();
    process.send(message, () => resolve());
  });
  return lastPost;
}

/** SIGKILL, also below: `process.exit` waits for the threads of the isolates, which may never end. */
function giveUp(): void {
  void lastPost.then(() => process.kill(process.pid, 'SIGKILL'));
}

process.on('message', (message: ToWorker) => {
  if (message.kind === 'init') {
    host = new WorkerHost({ settings: message.settings, clock: systemClock, post, giveUp });
    void host.start();
  } else host?.receive(message);
});
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
