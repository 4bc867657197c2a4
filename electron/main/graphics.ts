import { app } from 'electron';
import { givesUpGraphics } from '../rules/desktop-environment.ts';
import { askPerson } from './ask-person.ts';
import type { ShellSettingsFile } from './shell-settings.ts';

interface GraphicsParts {
  settings: ShellSettingsFile;
  /** Ends the app and starts it again. */
  restart: () => void;
}

/**
 * Draws without the graphics card when a person or an earlier failure of its driver switched it off. A failure is stored at
 * once: the app may not live until the answer of the person.
 */
export function setupGraphics({ settings, restart }: GraphicsParts): void {
  if (!settings.value.useGraphicsCard) app.disableHardwareAcceleration();
  const failures: Array<{ at: number; reason: string }> = [];
  app.on('child-process-gone', (_event, { reason, type }) => {
    if (type !== 'GPU' || !settings.value.useGraphicsCard) return;
    failures.push({ at: Date.now(), reason });
    if (!givesUpGraphics(failures)) return;
    settings.change({ useGraphicsCard: false });
    void askForRestart(restart);
  });
}

async function askForRestart(restart: () => void): Promise<void> {
  const isWanted = await askPerson({
    type: 'warning',
    message: 'The graphics driver fails.',
    detail: 'From its next start on Homeport draws without the graphics card. Until then windows may stay empty.',
    yes: 'Restart Homeport',
    no: 'Later',
    enter: 'yes',
  });
  if (isWanted) restart();
}
