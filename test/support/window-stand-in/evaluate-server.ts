import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { runInThisContext } from 'node:vm';

/** Where a test finds a running stand-in: its browser, and the address that runs code in its process. */
export interface StandInAddress {
  pid: number;
  /** The arguments of its start. */
  args: string[];
  browser: string;
  evaluate: string;
}

/**
 * Runs functions of a test in this process, as Playwright's `ElectronApplication.evaluate` does; only where the test
 * named a folder for the address. Returns a function that ends it.
 */
export async function serveEvaluation(electron: object, browser: string): Promise<() => void> {
  const folder = process.env['HOMEPORT_STAND_IN_CONTROL'];
  if (!folder) return () => {};
  const server = createServer((request, response) => {
    void (async () => {
      const { code, value } = JSON.parse(await text(request)) as { code: string; value: unknown };
      let answer: object;
      try {
        const run = runInThisContext(`(${code})`) as (electron: object, value: unknown) => unknown;
        answer = { value: await run(electron, value) };
      } catch (error) {
        answer = { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
      }
      response.end(JSON.stringify(answer));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  const address: StandInAddress = {
    pid: process.pid,
    args: process.argv.slice(2),
    browser,
    evaluate: `http://127.0.0.1:${port}/`,
  };
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${process.pid}.json`);
  writeFileSync(`${file}.new`, JSON.stringify(address));
  renameSync(`${file}.new`, file);
  return () => {
    server.closeAllConnections();
    server.close();
  };
}
