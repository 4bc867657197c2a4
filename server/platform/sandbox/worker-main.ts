import { systemClock } from '../lib/clock.ts';
import { WorkerHost } from './worker/worker-host.ts';
import { type FromWorker, type ToWorker, WORKER_HEARTBEAT_MS } from './worker-protocol.ts';

/**
 * Entry of a function worker: a process that only holds isolates. It has no access to keys, the database or the
 * network; everything it needs arrives in messages of the server.
 */
let host: WorkerHost | undefined;
let lastPost: Promise<void> = Promise.resolve();

/** Rejects when the message contains what cannot be sent. */
function post(message: FromWorker): Promise<void> {
  const sent = new Promise<void>((resolve) => {
    // Without a parent process the message has no reader; the 'disconnect' event ends this process.
    if (!process.send || !process.connected) return resolve();
    process.send(message, () => resolve());
  });
  lastPost = sent.catch(() => {});
  return sent;
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
    setInterval(() => void post({ kind: 'heartbeat' }), WORKER_HEARTBEAT_MS);
  } else host?.receive(message);
});
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
