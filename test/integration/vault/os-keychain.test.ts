import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SERVER_ENTRY } from '../../support/start-server.ts';

const PROBE = new URL('./keychain-probe.ts', import.meta.url).pathname;
const LOST_ENTRY_PROBE = new URL('./lost-entry-probe.ts', import.meta.url).pathname;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-keychain-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs the probe on a bus and a keyring of its own; an empty password unlocks the keyring without a prompt. */
const UNLOCKED = 'printf "\\n" | gnome-keyring-daemon --unlock --components=secrets >/dev/null';
/** A keyring whose password prompt is not answered. */
const LOCKED = 'gnome-keyring-daemon --start --components=secrets >/dev/null';

async function probe(daemon = UNLOCKED, entry = PROBE): Promise<{ status: number | null; output: string }> {
  const script = `${daemon} && exec "$0" "$@"`;
  const child = spawn('dbus-run-session', ['--', 'sh', '-c', script, process.execPath, entry], {
    env: {
      ...process.env,
      HOME: folder,
      XDG_DATA_HOME: join(folder, 'data'),
      XDG_RUNTIME_DIR: folder,
      NODE_OPTIONS: '',
      HOMEPORT_HOME: join(folder, 'home'),
      HOMEPORT_PORT: '0',
      HOMEPORT_MASTER_KEY: '',
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
    expect(output).toContain('removed: MasterKeyError The master key of this data folder was not found');
    expect(output).toContain('shared entry: opened');
    expect(output).toContain('moved: true');
    expect(output).toContain('shared entry kept: true');
    expect(status).toBe(0);
  });

  it('is missed by key status while the hub still runs, with what to do', { tags: ['slow'] }, async () => {
    const { status, output } = await probe(UNLOCKED, LOST_ENTRY_PROBE);

    expect(output).toContain('with it: 0 The master key is in the keychain and opens the data.');
    expect(output).toMatch(/without it: 1 .*no longer holds it.* key rotate/);
    expect(output).toContain('back: 0 ');
    expect(status).toBe(0);
  });

  it('ends a first start while it is locked, and no key is made', async () => {
    await probe();

    const { status, output } = await probe(LOCKED, SERVER_ENTRY);

    expect(output).toContain('The keychain of this computer is locked (');
    expect(output).toContain('Unlock the keychain and try again');
    expect(status).toBe(78);
    expect(await readdir(join(folder, 'home'))).toEqual(['homeport.lock']);
  });
});
