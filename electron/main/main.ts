import path from 'node:path';
import { app, clipboard } from 'electron';
import { SecretClipboard } from '../rules/secret-clipboard.ts';
import { HubLink } from '../server-process/hub-link.ts';
import { RotatingLog } from '../server-process/rotating-log.ts';
import { setupAppFolders } from './app-folders.ts';
import { AppWindows } from './app-windows.ts';
import { ApplicationMenu } from './application-menu.ts';
import { setupBridge } from './bridge-handlers.ts';
import { setupDeepLinks } from './deep-link-events.ts';
import { DiagnosticsBundle } from './diagnostics-bundle.ts';
import { DraggedFiles } from './dragged-files.ts';
import { setupNotifications } from './native-notifications.ts';
import { OpenedFile } from './opened-file.ts';
import { PageSession } from './page-session.ts';
import { setupPower } from './power.ts';
import { QuickPanelWindow } from './quick-panel.ts';
import { setupQuit } from './quit.ts';
import { createSupervisor } from './server-location.ts';
import { createShellActions } from './shell-actions.ts';
import { JsonFile, pauseMemory } from './shell-files.ts';
import { isHiddenStart, ShellSettingsFile } from './shell-settings.ts';
import { setupSingleInstance } from './single-instance.ts';
import { setupTray } from './tray.ts';
import { setupUpdates } from './updates.ts';
import { setupWindowHardening } from './window-hardening.ts';

setupAppFolders();
if (setupSingleInstance()) {
  const log = new RotatingLog(path.join(app.getPath('logs'), 'server.log'));
  const supervisor = createSupervisor({
    log,
    onQuit: () => void prepareQuit().then(() => app.quit()),
  });
  const pauses = new JsonFile(path.join(app.getPath('userData'), 'pause.json'), pauseMemory);
  const hub = new HubLink({
    supervisor,
    keptPause: { read: () => pauses.value.pause, write: (pause) => pauses.keep({ pause }) },
  });
  const session = new PageSession({ supervisor });
  const panel = new QuickPanelWindow({ supervisor, session });
  const settings = new ShellSettingsFile({ takeShortcut: (accelerator) => panel.takeShortcut(accelerator) });
  const windows = new AppWindows({
    supervisor,
    session,
    staysInBackground: () => settings.value.closeAction === 'hide',
  });
  const diagnostics = new DiagnosticsBundle({ supervisor, hub, settings });
  const openedFile = new OpenedFile({ windows });
  const secrets = new SecretClipboard({ clipboard });
  const draggedFiles = new DraggedFiles();
  const perform = createShellActions({ supervisor, hub, windows, panel, diagnostics });
  // Must come before the first page, because it applies to every page created afterwards.
  setupWindowHardening({
    supervisor,
    onDeepLink: (link) => windows.follow(link),
    onOwnWindow: (page) => windows.openNew(page),
    onLastWindow: (page) => windows.goTo(page),
  });
  setupDeepLinks({ windows, openedFile });
  const menu = new ApplicationMenu({ windows, perform });
  setupTray({ supervisor, hub, perform });
  setupNotifications({ hub, windows });
  setupPower({ hub, settings });
  const prepareQuit = setupQuit({
    supervisor,
    hub,
    windows,
    panel,
    onQuit: () => Promise.all([secrets.clear(), log.end()]),
  });
  const updates = setupUpdates({ hub, windows, prepareQuit });
  setupBridge({
    supervisor,
    windows,
    session,
    settings,
    menu,
    diagnostics,
    openedFile,
    secrets,
    draggedFiles,
    updates,
  });
  supervisor.start();
  windows.openWhenReady({ isHidden: isHiddenStart() });
}
