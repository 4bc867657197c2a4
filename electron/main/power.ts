import { app, powerMonitor } from 'electron';
import type { HubLink } from '../server-process/hub-link.ts';
import type { ShellSettingsFile } from './shell-settings.ts';

/** Pauses schedules on battery if the settings say so, and reads the hub's state again after sleep. */
export function setupPower({ hub, settings }: { hub: HubLink; settings: ShellSettingsFile }): void {
  void app.whenReady().then(() => {
    const follow = (): void => {
      const isOn = settings.value.pauseOnBattery && powerMonitor.onBatteryPower;
      hub.setOnBattery(isOn).catch((error: unknown) => {
        // A hub that stops now gets the pause at its next start.
        if (!(error instanceof Error)) throw error;
      });
    };
    powerMonitor.on('on-battery', follow);
    powerMonitor.on('on-ac', follow);
    // The hub's scheduler checks the clock every second and starts overdue work by itself. Only the tray has to ask
    // again.
    powerMonitor.on('resume', () => hub.refresh());
    settings.onChange(follow);
    follow();
  });
}
