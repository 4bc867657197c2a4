import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { waitFor } from '../wait-for.ts';

const run = promisify(execFile);
const xdotool = async (...args: string[]): Promise<string> => (await run('xdotool', args)).stdout.trim();

/** Size of the screen in pixels. */
export function screenSize(): { width: number; height: number } {
  const [width = 0, height = 0] = execFileSync('xdotool', ['getdisplaygeometry'], { encoding: 'utf8' })
    .trim()
    .split(' ')
    .map(Number);
  return { width, height };
}

/** The number of the window with this title, as soon as it is on the screen. */
export async function findXWindow(title: string): Promise<string> {
  return waitFor(async () => (await xdotool('search', '--name', `^${title}$`)).split('\n')[0], {
    what: `the window ${title}`,
  });
}

export const hideXWindow = (id: string): Promise<string> => xdotool('windowunmap', '--sync', id);
export const minimizeXWindow = (id: string): Promise<string> => xdotool('windowminimize', id);
export const raiseXWindow = (id: string): Promise<string> => xdotool('windowmap', id, 'windowactivate', id);

/** Calls back with the number of the window that has the focus, at every change; undefined when none has. */
export function watchFocus(listener: (id: string | undefined) => void): ChildProcess {
  const watcher = spawn('xprop', ['-root', '-spy', '_NET_ACTIVE_WINDOW'], { stdio: ['ignore', 'pipe', 'ignore'] });
  createInterface({ input: watcher.stdout }).on('line', (line) => {
    const id = Number(/# (0x[0-9a-f]+)/.exec(line)?.[1] ?? 0);
    listener(id === 0 ? undefined : String(id));
  });
  return watcher;
}
