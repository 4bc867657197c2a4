import { app } from 'electron';
import { findDeepLink, parseDeepLink, SCHEME } from '../rules/deep-link.ts';
import type { AppWindows } from './app-windows.ts';
import { OpenedFile } from './opened-file.ts';

/** Handles links and files opened outside the app: macOS sends events, other systems start the app a second time. */
export function setupDeepLinks({ windows, openedFile }: { windows: AppWindows; openedFile: OpenedFile }): void {
  // In a checkout the scheme would be registered for the plain Electron program.
  if (app.isPackaged) app.setAsDefaultProtocolClient(SCHEME);
  app.on('open-url', (event, url) => {
    event.preventDefault();
    const link = parseDeepLink(url);
    if (link?.kind === 'open') void app.whenReady().then(() => windows.follow(link));
  });
  app.on('second-instance', (_event, argv) => {
    if (!openFrom(argv, { windows, openedFile })) windows.show();
  });
  void app.whenReady().then(() => openFrom(process.argv, { windows, openedFile }));
}

function openFrom(argv: string[], { windows, openedFile }: { windows: AppWindows; openedFile: OpenedFile }): boolean {
  const link = findDeepLink(argv);
  const file = OpenedFile.find(argv);
  if (link) windows.follow(link);
  else if (file) openedFile.open(file);
  return link !== undefined || file !== undefined;
}
