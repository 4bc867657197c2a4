import type { ToWorker } from '../../../server/platform/sandbox/worker-protocol.ts';

/** A compromised worker: it runs nothing and sends the messages in the input of its task, as this run's. */
process.on('message', (message: ToWorker) => {
  if (message.kind === 'init') process.send?.({ kind: 'ready' });
  if (message.kind === 'abort') process.send?.({ kind: 'done', run: message.run, outcome: aborted });
  if (message.kind !== 'run') return;
  const forged = JSON.parse(message.task.input ?? '[]') as unknown[];
  for (const one of forged) {
    const isObject = typeof one === 'object' && one !== null && !Array.isArray(one);
    process.send?.(isObject ? { run: message.run, ...one } : one);
  }
});
process.once('disconnect', () => process.exit(0));

const aborted = { ok: false, failure: { kind: 'aborted' }, cpuMs: 0, memoryBytes: 0 };
