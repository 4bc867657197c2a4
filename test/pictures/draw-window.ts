import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startDesktop, whyNoDesktop } from '../support/start-desktop.ts';
import { shrinkPicture } from './store-picture.ts';

const run = promisify(execFile);
const MAX_TRIES = 40;
const REST_MS = 500;
/** Without the empty screen around the window. */
const ROOT_WINDOW = ['-window', 'root', '-depth', '8', '-trim', '+repage'];

export interface WindowPicture {
  name: string;
  png: Buffer;
}

/**
 * The window of the desktop app with the frame of its window manager, at its first run and on its overview. Real hub, real
 * window (of the stand-in where Electron is missing). Addresses and times differ from start to start, so these are looked
 * at and not compared.
 */
export async function drawWindow(scheme: 'light' | 'dark'): Promise<WindowPicture[]> {
  const reason = whyNoDesktop();
  if (reason) throw new Error(reason);
  const app = await startDesktop({ args: scheme === 'dark' ? ['--force-dark-mode'] : [] });
  try {
    const page = app.windows()[0] ?? (await app.nextWindow());
    await page.getByRole('heading', { name: 'Welcome to Homeport' }).waitFor();
    const first = await screenOf(app.display);
    await page.getByText('Leave', { exact: true }).click();
    await page.getByRole('navigation').first().waitFor();
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    // The pointer was on "Leave", where a button with a hint is now.
    await page.mouse.move(1, 1);
    return [
      { name: `window-first-run-${scheme}`, png: first },
      { name: `window-overview-${scheme}`, png: await screenOf(app.display) },
    ];
  } finally {
    await app.end();
  }
}

/** The same picture twice: nothing moves any more. */
async function screenOf(display: string): Promise<Buffer> {
  let before: Buffer | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { stdout } = await run('import', ['-display', display, ...ROOT_WINDOW, 'png24:-'], {
      encoding: 'buffer',
      maxBuffer: 50_000_000,
    });
    const now = shrinkPicture(stdout);
    if (before?.equals(now)) return now;
    before = now;
    await sleep(REST_MS);
  }
  throw new Error('The window does not come to rest.');
}
