import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { app } from 'electron';

/** Chromium's profile lies apart from the server's data folder, which may have the product's name. */
export function setupAppFolders(): void {
  app.setName('Homeport');
  // Windows groups windows and shows notifications by it; as the installer writes it.
  app.setAppUserModelId('app.homeport.desktop');
  const profile = path.join(app.getPath('appData'), 'Homeport Desktop');
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  app.setPath('userData', profile);
}
