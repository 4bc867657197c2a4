import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { shellSettings } from '../../server/contract/shell-bridge.ts';
import { autostartEntry, LAUNCHER_MARK, startedProgram, toolLauncher } from './command-line-tool.ts';
import { diagnosticsFiles, diagnosticsText } from './diagnostics.ts';
import { SecretClipboard } from './secret-clipboard.ts';

const FACTS = {
  platform: 'linux' as const,
  home: '/home/jo',
  runtime: '/opt/Homeport/resources/runtime/bin/node',
  entry: '/opt/Homeport/resources/dist/server/cli-main.mjs',
  searchPath: '/usr/bin:/home/jo/.local/bin/',
  appImage: undefined,
};

describe('the launcher of the command line', () => {
  it('is on the PATH of this user, or says what is missing', () => {
    expect(toolLauncher(FACTS)).toMatchObject({ file: '/home/jo/.local/bin/homeport', hint: undefined });
    expect(toolLauncher({ ...FACTS, searchPath: '/usr/bin' })?.hint).toContain('Add /home/jo/.local/bin to your PATH');
    expect(toolLauncher({ ...FACTS, platform: 'win32', home: 'C:\\Users\\jo' })?.file).toBe(
      'C:\\Users\\jo\\AppData\\Local\\Homeport\\bin\\homeport.cmd',
    );
    expect(toolLauncher({ ...FACTS, appImage: '/home/jo/Homeport.AppImage' })).toBeUndefined();
  });

  it.skipIf(process.platform === 'win32')(
    'runs the bundled Node with its arguments, whatever the folder is called',
    () => {
      const folder = mkdtempSync(join(tmpdir(), "home'port $(touch x) "));
      const entry = join(folder, 'cli main.mjs');
      writeFileSync(entry, 'console.log(JSON.stringify(process.argv.slice(2)))');
      const launcher = toolLauncher({ ...FACTS, runtime: process.execPath, entry });
      const file = join(folder, 'homeport');
      writeFileSync(file, launcher?.text ?? '');
      chmodSync(file, 0o755);

      const { stdout } = spawnSync(file, ['init', 'a b', '$HOME'], { encoding: 'utf8' });
      rmSync(folder, { recursive: true });

      expect(JSON.parse(stdout)).toEqual(['init', 'a b', '$HOME']);
      expect(launcher?.text).toContain(LAUNCHER_MARK);
    },
  );
});

describe('the entry for the start at login', () => {
  it('starts hidden, with every sign of the path kept', () => {
    expect(autostartEntry('/opt/My "App" 100%/homeport')).toContain('Exec="/opt/My \\"App\\" 100%%/homeport" --hidden');
    // The launcher, which says why no window comes, and not the program of the window.
    expect(startedProgram(undefined, '/opt/Homeport/homeport-desktop.bin')).toBe('/opt/Homeport/homeport-desktop');
    expect(startedProgram('/a/H.AppImage', '/tmp/.mount/homeport-desktop.bin')).toBe('/a/H.AppImage');
  });
});

describe('diagnostics', () => {
  const SECRETS = [
    '5d0f2f7e-6a53-4c0e-9a53-3f6d7a1c2b4e',
    'nango_connect_session_0123456789abcdef',
    'ghp_AbCdEf0123456789',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc',
    'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=',
    'hunter2-is-my-password',
    'jo@example.com',
  ];

  it('hold no secret, no e-mail address and no folder name of this user', () => {
    const log = [
      `Homeport ready, login link http://127.0.0.1:3003/app/#code=${'ab'.repeat(24)}`,
      `{"authorization":"Bearer ${SECRETS[0]}","cookie":"homeport_session_3003=abcdef"}`,
      `GET /connect/?session_token=${SECRETS[1]}&x=1`,
      ...SECRETS.slice(2, 5),
      `password=${SECRETS[5]}`,
      `mail of ${SECRETS[6]} in /home/jo/data`,
    ].join('\n');
    const text = diagnosticsText(
      diagnosticsFiles({
        about: { version: '1.0.0' },
        server: { name: 'failed', code: 'start_failed', message: 'No access to /home/jo/data' },
        hub: undefined,
        settings: shellSettings.parse({}),
        logs: [{ name: 'server.log', text: log }],
        home: '/home/jo',
      }),
    );

    for (const secret of [...SECRETS, 'abcdef', 'abab', '/home/jo']) expect(text).not.toContain(secret);
    expect(text).toContain('No access to ~/data');
    expect(text).toContain('"version": "1.0.0"');
  });
});

describe('a secret in the clipboard', () => {
  afterEach(() => void vi.useRealTimers());

  function start() {
    vi.useFakeTimers();
    const board = { text: '' };
    const clipboard = {
      readText: async () => board.text,
      writeText: async (text: string) => void Object.assign(board, { text }),
      clear: () => void Object.assign(board, { text: '' }),
    };
    return { board, secrets: new SecretClipboard({ clipboard }) };
  }

  it('is removed after a minute', async () => {
    const { board, secrets } = start();
    await secrets.copy('one');
    await vi.advanceTimersByTimeAsync(30_000);
    await secrets.copy('two');
    await vi.advanceTimersByTimeAsync(59_000);
    expect(board.text).toBe('two');

    await vi.advanceTimersByTimeAsync(1000);
    expect(board.text).toBe('');
  });

  it('leaves a text that was copied later', async () => {
    const { board, secrets } = start();
    await secrets.copy('secret');
    board.text = 'something else';
    await vi.advanceTimersByTimeAsync(60_000);
    await secrets.clear();

    expect(board.text).toBe('something else');
  });
});
