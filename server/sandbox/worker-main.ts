import { systemClock } from '../lib/clock.ts';
import { WorkerHost } from './worker/worker-host.ts';
import type { FromWorker, ToWorker } from './worker-protocol.ts';

/**
 * Entry of a function worker: a process that only holds isolates. It has no access to keys, the database or the
 * network; everything it needs arrives in messages of the server.
 */
let host: WorkerHost | undefined;
let lastPost: Promise<void> = Promise.resolve();

function post(message: FromWorker): Promise<void> {
  lastPost = new Promise((resolve) => {
    // Without a parent process the message has no reader; the 'disconnect' event ends this process.
    if (!process.send || !process.connected) return resolve();
    process.send(message, () => resolve());
  });
  return lastPost;
}

/**
 * Ends the process after the last message was sent. Uses SIGKILL, here and below, because `process.exit` waits for the
 * threads of the isolates, which may never end.
 */
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
