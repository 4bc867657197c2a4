import { setupAppFolders } from './app-folders.ts';
import { setupApplicationMenu } from './application-menu.ts';
import { setupBridge } from './bridge-handlers.ts';
import { setupDeepLinks } from './deep-link-events.ts';
import { MainWindow } from './main-window.ts';
import { setupQuit } from './quit.ts';
import { createSupervisor } from './server-location.ts';
import { setupSingleInstance } from './single-instance.ts';
import { setupTray } from './tray.ts';
import { setupWindowHardening } from './window-hardening.ts';

setupAppFolders();
if (setupSingleInstance()) {
  const supervisor = createSupervisor();
  const window = new MainWindow(supervisor);
  setupWindowHardening({ supervisor, onDeepLink: (link) => window.follow(link) });
  setupDeepLinks(window);
  setupBridge(supervisor);
  setupApplicationMenu(window);
  setupTray({ supervisor, window });
  setupQuit(supervisor);
  supervisor.start();
  window.openWhenReady();
}
