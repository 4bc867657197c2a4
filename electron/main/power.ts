import { app, powerMonitor } from 'electron';
import type { HubLink } from '../server-process/hub-link.ts';
import type { ShellSettingsFile } from './shell-settings.ts';

/** Pauses schedules on battery when a person wants that, and reads the hub's state again after sleep. */
export function setupPower({ hub, settings }: { hub: HubLink; settings: ShellSettingsFile }): void {
  void app.whenReady().then(() => {
    const follow = (): void => {
      const isOn = settings.value.pauseOnBattery && powerMonitor.onBatteryPower;
      hub.setOnBattery(isOn).catch((error: unknown) => {
        // A hub that goes away now hears of it at its next start.
        if (!(error instanceof Error)) throw error;
      });
    };
    powerMonitor.on('on-battery', follow);
    powerMonitor.on('on-ac', follow);
    // The scheduler of the hub looks at the clock every second and starts what became due; the tray asks again.
    powerMonitor.on('resume', () => hub.refresh());
    settings.onChange(follow);
    follow();
  });
}
