// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../electron/rules/check-report.ts';
import { findElectron, STAND_IN, whyNoDesktop } from '../../support/start-desktop.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { startScreen, type VirtualScreen } from '../../support/virtual-screen.ts';

const START = fileURLToPath(new URL('../../../build/scripts/start.mjs', import.meta.url));
/** What a computer may not have; everything else must work on each. */
const MAY_BE_ABSENT = ['tray', 'shortcut', 'notification', 'keychain', 'sandbox'];

let home: TempHome;
let screen: VirtualScreen | undefined;
beforeEach(async () => {
  home = await createTempHome();
});
afterEach(async () => {
  await screen?.end();
  screen = undefined;
  await home.remove();
});

/** The program and the screen of the stand-in, where Electron's own program is missing. */
async function standIn(): Promise<Record<string, string>> {
  screen = await startScreen();
  const program = join(home.path, 'electron');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${STAND_IN}' "$@"\n`, { mode: 0o755 });
  return { DISPLAY: screen.display, ELECTRON_OVERRIDE_DIST_PATH: home.path, HOMEPORT_STAND_IN_PROGRAM: program };
}

describe.skipIf(whyNoDesktop())('`npx homeport-desktop --self-check`', () => {
  it('opens the window, uses each part once, and says in one line what works', async () => {
    const profile = join(home.path, 'config');
    mkdirSync(profile);
    const file = join(home.path, 'line');
    // Chromium's rule for root, and containers without user namespaces.
    const child = spawn(process.execPath, [START, '--no-sandbox', `--self-check=${file}`], {
      env: {
        ...process.env,
        ...(findElectron() ? {} : await standIn()),
        XDG_CONFIG_HOME: profile,
        HOMEPORT_WINDOW: '',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const [status] = await once(child, 'exit');

    const line = readFileSync(file, 'utf8').trim();
    const { ok, checks } = JSON.parse(line) as { ok: boolean; checks: CheckResult[] };
    expect(checks.filter((one) => one.ok !== true && !(one.ok === null && MAY_BE_ABSENT.includes(one.name)))).toEqual(
      [],
    );
    expect([ok, status]).toEqual([true, 0]);
    expect(output.split('\n').filter((one) => one.startsWith('{'))).toEqual([line]);
  });
});
