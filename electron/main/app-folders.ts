import path from 'node:path';
import { app } from 'electron';

/** Chromium's profile lives apart from the server's data folder, which may bear the product's name. */
export function setupAppFolders(): void {
  app.setName('Homeport');
  app.setPath('userData', path.join(app.getPath('appData'), 'Homeport Desktop'));
}
