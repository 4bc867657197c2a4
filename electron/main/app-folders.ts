import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { app } from 'electron';

/** Keeps Chromium's profile apart from the server's data folder, which may have the product's name. */
export function setupAppFolders(): void {
  app.setName('Homeport');
  // Windows uses this id to group windows and to show notifications. It must equal the installer's id.
  app.setAppUserModelId('app.homeport.desktop');
  const profile = path.join(app.getPath('appData'), 'Homeport Desktop');
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  app.setPath('userData', profile);
}
