import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { serverEnvironment } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

export interface WatchedStart {
  /** Folder of this test, with `bin` in front of the PATH and the data folder `home`. */
  path(): string;
  /** A program in `bin`. */
  install(name: string, text: string | Buffer): Promise<void>;
  /** Starts a command on a computer with a screen and a browser that records what it is asked to open. */
  run(command: string, args: string[], env?: Record<string, string>): ChildProcess;
  /** What the last command has printed. */
  output(): string;
  forget(): void;
  openedPage(): Promise<string>;
  opensNothing(): Promise<boolean>;
  address(): string;
  isHealthy(): Promise<boolean>;
}

/** For each test of a file: commands that start the app, with their browser; they are ended after the test. */
export function watchedStarts(): WatchedStart {
  let folder: TempHome;
  let children: ChildProcess[] = [];
  let output = '';
  const seen = (): string => join(folder.path, 'seen');
  const install = async (name: string, text: string | Buffer): Promise<void> => {
    const file = join(folder.path, 'bin', name);
    await writeFile(file, text);
    await chmod(file, 0o755);
  };
  const address = (): string => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? '';

  beforeEach(async () => {
    folder = await createTempHome();
    output = '';
    await mkdir(join(folder.path, 'bin'));
    await install('xdg-open', `#!/bin/sh\nprintf '%s' "$*" > "${seen()}.part"\nmv "${seen()}.part" "${seen()}"\n`);
    // Desktops have one; what it is told is part of the output.
    await install('notify-send', '#!/bin/sh\n');
  });
  afterEach(async () => {
    const started = children;
    children = [];
    for (const child of started) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await folder.remove();
  });

  return {
    path: () => folder.path,
    install,
    run(command, args, env = {}) {
      output = '';
      const child = spawn(command, args, {
        env: serverEnvironment(join(folder.path, 'home'), {
          HOME: folder.path,
          XDG_CONFIG_HOME: '',
          XDG_CACHE_HOME: '',
          PATH: `${join(folder.path, 'bin')}:${process.env['PATH']}`,
          DISPLAY: ':99',
          ...env,
        }),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      children.push(child);
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => (output += child === children.at(-1) ? chunk : ''));
      return child;
    },
    output: () => output,
    forget: () => (output = ''),
    openedPage: () => waitFor(() => readFile(seen(), 'utf8'), { what: 'the browser' }),
    opensNothing: () =>
      readFile(seen()).then(
        () => false,
        () => true,
      ),
    address,
    isHealthy: async () => (await fetch(`${address()}/health`)).status === 200,
  };
}
