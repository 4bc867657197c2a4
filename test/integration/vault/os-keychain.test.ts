import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const PROBE = new URL('./keychain-probe.ts', import.meta.url).pathname;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-keychain-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs the probe on a bus and a keyring of its own; an empty password unlocks the keyring without a prompt. */
async function probe(): Promise<{ status: number | null; output: string }> {
  const script = 'printf "\\n" | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$0" "$@"';
  const child = spawn('dbus-run-session', ['--', 'sh', '-c', script, process.execPath, PROBE], {
    env: {
      ...process.env,
      HOME: folder,
      XDG_DATA_HOME: join(folder, 'data'),
      XDG_RUNTIME_DIR: folder,
      NODE_OPTIONS: '',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output };
}

describe.runIf(process.platform === 'linux')('the OS keychain', () => {
  it('keeps the master key between starts, and a foreign key does not open the data', async () => {
    const { status, output } = await probe();

    expect(output).toContain('kept: keychain');
    expect(output).toContain('foreign key: MasterKeyError');
    expect(output).toContain('removed: lost');
    expect(status).toBe(0);
  });
});
