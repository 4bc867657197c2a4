import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { CliFailure, EXIT } from '../cli-failure.ts';

/**
 * Follows a run, which lives as long as this connection. `say` gets what the person should know: what was refused, and
 * why the run ended before the command.
 */
export function followRun(followUrl: string, say: (text: string) => void): Promise<{ stop(): void }> {
  const { hostname, password, pathname, port, username } = new URL(followUrl);
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path: pathname, headers: { 'proxy-authorization': authorization } });
    let isStopped = false;
    asked.once('error', () =>
      reject(new CliFailure('The hub closed the run before the command started.', EXIT.stopped)),
    );
    asked.once('response', (response) => {
      let reason = 'Homeport has stopped.';
      const lines = createInterface({ input: response });
      lines.on('line', (line) => {
        const { end, note } = JSON.parse(line) as { note?: string; end?: string };
        if (note !== undefined) say(note);
        reason = end ?? reason;
      });
      // A hub that was killed: `close` follows, and says so. The reader of lines passes the error on as its own.
      for (const one of [response, lines]) one.on('error', () => {});
      response.once('close', () => {
        if (!isStopped) say(`the run has ended: ${reason} Requests of the command get no credentials any more.`);
      });
      resolve({
        stop: () => {
          isStopped = true;
          lines.close();
          asked.destroy();
        },
      });
    });
    asked.end();
  });
}
