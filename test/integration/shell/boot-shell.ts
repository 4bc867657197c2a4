import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { ShellSettingsChange } from '../../../server/contract/shell-bridge.ts';
import { createFakeElectron, type FakeElectron, type Unkind } from '../../support/fake-electron.ts';
import { SERVER_ENTRY, serverEnvironment } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

export interface BootedShell {
  home: TempHome;
  electron: FakeElectron;
  /** Quits as a person does, unless the app has ended already, and restores the state before the start. */
  end(): Promise<void>;
}

/** What a Linux desktop answers to the question for its tray; the machine of the tests has no session bus. */
function writeBusProgram(folder: string, answer: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'busctl'), `#!/bin/sh\necho 'b ${answer}'\n`, { mode: 0o755 });
}

/** The shell's own main file over a fake Electron; supervisor, server and API are the real ones. */
export async function bootShell({
  args = [],
  settings,
  env = {},
  unkind = {},
}: {
  /** Arguments of the app's command line. */
  args?: string[];
  /** Stored by an earlier start. */
  settings?: ShellSettingsChange;
  env?: Record<string, string>;
  /** What goes wrong on this computer. */
  unkind?: Unkind;
} = {}): Promise<BootedShell> {
  const former = { env: { ...process.env }, argv: process.argv };
  const home = await createTempHome();
  const electron = createFakeElectron({ userFolder: join(home.path, 'user'), unkind });
  if (settings) {
    const profile = join(home.path, 'user', 'appData', 'Homeport Desktop');
    mkdirSync(profile, { recursive: true });
    writeFileSync(join(profile, 'settings.json'), JSON.stringify(settings));
  }
  const bin = join(home.path, 'bin');
  writeBusProgram(bin, unkind.noTray ? 'false' : 'true');
  vi.resetModules();
  vi.doMock('electron', () => electron.module);
  process.argv = ['electron', ...args];
  Object.assign(process.env, serverEnvironment(join(home.path, 'data')), {
    HOMEPORT_RUNTIME: process.execPath,
    HOMEPORT_SERVER_ENTRY: SERVER_ENTRY,
    PATH: `${bin}:${process.env['PATH']}`,
    ...env,
  });
  await import('../../../electron/main/main.ts');
  return {
    home,
    electron,
    async end() {
      electron.answers.messageBox = 0;
      if (!electron.app.hasQuit) electron.app.quit();
      await waitFor(() => electron.app.hasQuit, { what: 'the end of the app' });
      vi.doUnmock('electron');
      vi.resetModules();
      for (const name of Object.keys(process.env)) if (!(name in former.env)) delete process.env[name];
      Object.assign(process.env, former.env);
      process.argv = former.argv;
      await home.remove();
    },
  };
}
