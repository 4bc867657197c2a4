import { afterEach, describe, expect, it } from 'vitest';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A listener with a programming error, which any of the server's own could have: each signal is one event. */
const FAULTY_LISTENER = `let count = 0;
process.on('SIGUSR2', () => {
  count += 1;
  if (count === 1) throw new TypeError('a listener failed');
  if (count === 2) return void Promise.reject(new RangeError('nobody waits for this'));
  throw null;
});`;
const PRELOAD = `data:text/javascript,${encodeURIComponent(FAULTY_LISTENER)}`;

describe.runIf(process.platform !== 'win32')('an error that nothing catches', () => {
  let server: StartedServer;
  afterEach(() => server?.stop());

  it('is logged with its stack, and the server continues', async () => {
    server = await startServer({ env: { NODE_OPTIONS: `--import=${PRELOAD}` } });
    const isWritten = (what: string) =>
      waitFor(
        () =>
          server
            .errorOutput()
            .split('\n')
            .find((line) => line.includes(what)),
        { what },
      );

    process.kill(server.pid, 'SIGUSR2');
    expect(await isWritten('a listener failed')).toContain('at ');
    process.kill(server.pid, 'SIGUSR2');
    expect(await isWritten('nobody waits for this')).toContain('at ');
    process.kill(server.pid, 'SIGUSR2');
    await waitFor(() => server.errorOutput().split('the server continues').length === 4, { what: 'the third line' });

    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });
});
