import { type ChildProcess, spawn, spawnSync } from 'node:child_process';

/** Programs of the screen, and the packages of Debian that bring them. */
const PROGRAMS = {
  Xvfb: 'xvfb',
  openbox: 'openbox',
  xdotool: 'xdotool',
  xprop: 'x11-utils',
  [process.env['HOMEPORT_TEST_CHROMIUM'] ?? 'chromium']: 'chromium',
};

/** Says what to install for a window on a screen that nobody sees; undefined when everything is there. */
export function whyNoScreen(): string | undefined {
  if (process.platform !== 'linux') return 'The window on a virtual screen is for Linux.';
  const missing = Object.entries(PROGRAMS)
    .filter(([program]) => spawnSync('/bin/sh', ['-c', `command -v ${program}`]).status !== 0)
    .map(([, name]) => name);
  return missing.length > 0 ? `Install what the windows need: apt-get install ${missing.join(' ')}` : undefined;
}

/** A screen with a window manager. */
export interface VirtualScreen {
  display: string;
  end(): Promise<void>;
}

export async function startScreen({ width, height } = { width: 1440, height: 900 }): Promise<VirtualScreen> {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const display = await new Promise<string>((resolve, reject) => {
    let problem = '';
    server.stderr?.on('data', (chunk) => {
      problem += String(chunk);
    });
    server.stdio[3]?.once('data', (chunk) => resolve(`:${String(chunk).trim()}`));
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`Xvfb ended (${code}).\n${problem}`)));
  });
  const manager = spawn('openbox', ['--sm-disable'], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: display },
  });
  return {
    display,
    async end() {
      await endProcess(manager);
      await endProcess(server);
    },
  };
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}
