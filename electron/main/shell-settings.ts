import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { app } from 'electron';
import {
  type ShellResult,
  type ShellSettings,
  type ShellSettingsChange,
  shellSettings,
} from '../../server/contract/shell-bridge.ts';
import { autostartEntry, startedProgram } from '../rules/command-line-tool.ts';
import { startsHidden } from '../rules/desktop-environment.ts';
import { JsonFile } from './shell-files.ts';

/** The settings of the desktop app and their effects on this computer. */
export class ShellSettingsFile {
  readonly #file = new JsonFile(path.join(app.getPath('userData'), 'settings.json'), shellSettings);
  readonly #listeners = new Set<(settings: ShellSettings) => void>();
  readonly #takeShortcut: (accelerator: string | null) => boolean;

  /** `takeShortcut` returns false when the system refuses the shortcut. */
  constructor({ takeShortcut }: { takeShortcut: (accelerator: string | null) => boolean }) {
    this.#takeShortcut = takeShortcut;
    void app.whenReady().then(() => {
      takeShortcut(this.value.quickPanelShortcut);
    });
  }

  get value(): ShellSettings {
    return this.#file.value;
  }

  onChange(listener: (settings: ShellSettings) => void): void {
    this.#listeners.add(listener);
  }

  /** Changes nothing when one part is refused. */
  change(change: ShellSettingsChange): ShellResult<{ settings: ShellSettings }> {
    const before = this.value;
    const parsed = shellSettings.safeParse({ ...before, ...change });
    if (!parsed.success) return { ok: false, message: 'This value cannot be used. Choose another one.' };
    const { data: settings } = parsed;
    if (settings.quickPanelShortcut !== before.quickPanelShortcut && !this.#takeShortcut(settings.quickPanelShortcut)) {
      this.#takeShortcut(before.quickPanelShortcut);
      return { ok: false, message: 'Another program uses this shortcut, or it is not a valid one. Press another one.' };
    }
    try {
      if (settings.startAtLogin !== before.startAtLogin) setLoginItem(settings.startAtLogin);
      this.#file.write(settings);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { ok: false, message: `The setting could not be stored: ${error.message}` };
    }
    for (const listener of this.#listeners) listener(settings);
    return { ok: true, settings };
  }
}

/** Whether the app was started without a window at the user's login to the computer. */
export function isHiddenStart({ startAtLogin }: ShellSettings): boolean {
  const { platform, argv } = process;
  return startsHidden({
    platform,
    argv,
    startsAtLogin: startAtLogin,
    wasOpenedAtLogin: platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin,
    uptimeSeconds: os.uptime(),
  });
}

/** Linux desktops read an autostart file; on other systems Electron sets it. */
function setLoginItem(isOn: boolean): void {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: isOn, args: ['--hidden'] });
    return;
  }
  const file = path.join(app.getPath('appData'), 'autostart', 'homeport.desktop');
  if (!isOn) return rmSync(file, { force: true });
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, autostartEntry(startedProgram(process.env['APPIMAGE'], process.execPath)));
}
