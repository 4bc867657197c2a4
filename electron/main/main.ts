import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { app, clipboard, powerMonitor, session as sessions } from 'electron';
import { EXIT_RESTART } from '../../server/contract/shell-messages.ts';
import { findDeepLink, parseDeepLink, SCHEME } from '../rules/deep-link.ts';
import { DESKTOP_NAME, isWayland } from '../rules/desktop-environment.ts';
import { SecretClipboard } from '../rules/secret-clipboard.ts';
import { type NoticeFacts, shellNotices } from '../rules/shell-notices.ts';
import { HubLink } from '../server-process/hub-link.ts';
import { RotatingLog } from '../server-process/rotating-log.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import { findUpdateObstacle, isMisplaced, setupLocation } from './app-location.ts';
import { AppWindows } from './app-windows.ts';
import { ApplicationMenu } from './application-menu.ts';
import { setupBridge } from './bridge-handlers.ts';
import { DiagnosticsBundle } from './diagnostics-bundle.ts';
import { DraggedFiles } from './dragged-files.ts';
import { setupGraphics } from './graphics.ts';
import { KeptVersion } from './kept-version.ts';
import { setupNotifications } from './native-notifications.ts';
import { OpenedFile } from './opened-file.ts';
import { PageSession } from './page-session.ts';
import { QuickPanelWindow } from './quick-panel.ts';
import { setupQuit } from './quit.ts';
import { prepareSelfCheck, runSelfCheck } from './self-check.ts';
import { createSupervisor } from './server-location.ts';
import { createShellActions } from './shell-actions.ts';
import { JsonFile, pauseMemory } from './shell-files.ts';
import { isHiddenStart, ShellSettingsFile } from './shell-settings.ts';
import { isStartWatched, reportStart } from './start-report.ts';
import { AppTray } from './tray.ts';
import { hasUpdateFeed, setupUpdates } from './updates.ts';
import { setupWindowHardening } from './window-hardening.ts';

const selfCheck = prepareSelfCheck(process.argv);
setupAppFolders(selfCheck?.profile);
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
    hasTray: () => tray.isSeen,
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
  setupDeepLinks({ windows, openedFile, panel });
  const menu = new ApplicationMenu({ windows, perform });
  const tray = new AppTray({ supervisor, hub, perform });
  setupNotifications({ hub, windows });
  setupPower({ hub, settings });
  const prepareQuit = setupQuit({
    supervisor,
    hub,
    windows,
    panel,
    onQuit: () => Promise.all([secrets.clear(), log.end(), forgetSession()]),
  });
  setupGraphics({ settings, restart: () => void prepareQuit().then(startAgain) });
  setupLocation();
  const kept = new KeptVersion();
  if (app.isPackaged) kept.follow(supervisor, () => void prepareQuit().then(() => app.quit()));
  const updates = setupUpdates({ hub, windows, kept, prepareQuit });
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
    notices: () => shellNotices(noticeFacts({ settings, panel, tray })),
    updates,
  });
  setupStartReport(supervisor);
  supervisor.start();
  windows.openWhenReady({ isHidden: isHiddenStart(settings.value) });
  if (selfCheck?.home) {
    const check = selfCheck;
    void app.whenReady().then(() => runSelfCheck({ check, supervisor, windows, tray, prepareQuit }));
  }
}

/** Tells `npm start` whether there is a server, and that an end of the app is wanted. The windows tell of themselves. */
function setupStartReport(supervisor: ServerSupervisor): void {
  supervisor.onState(() => {
    if (supervisor.ready) reportStart({ dataFolder: supervisor.ready.dataFolder });
  });
  app.on('will-quit', () => reportStart({ isQuitting: true }));
}

interface NoticeParts {
  settings: ShellSettingsFile;
  panel: QuickPanelWindow;
  tray: AppTray;
}

function noticeFacts({ settings, panel, tray }: NoticeParts): NoticeFacts {
  const { argv, env, platform } = process;
  return {
    platform,
    isWayland: isWayland({ platform, env, argv }),
    shortcut: { wanted: settings.value.quickPanelShortcut, isRefused: panel.isShortcutRefused },
    hasTray: tray.isSeen,
    usesGraphicsCard: settings.value.useGraphicsCard,
    isSandboxed: !app.commandLine.hasSwitch('no-sandbox'),
    isAppImage: env['APPIMAGE'] !== undefined,
    isOnDiskImage: isMisplaced(),
    updateObstacle: hasUpdateFeed() ? findUpdateObstacle() : undefined,
  };
}

/** The next start gets a new session. Cookies are not encrypted, because that would ask for the keychain a second time. */
async function forgetSession(): Promise<void> {
  await sessions.defaultSession.clearStorageData({ storages: ['cookies'] });
}

/** What watches the start (`npm start`, the launcher of Linux) starts the app again, so that it stays in its terminal. */
function startAgain(): void {
  if (isStartWatched()) return app.exit(EXIT_RESTART);
  app.relaunch();
  app.quit();
}

/** Pauses schedules on battery if the settings say so, and reads the hub's state again after sleep. */
function setupPower({ hub, settings }: { hub: HubLink; settings: ShellSettingsFile }): void {
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

/** Keeps Chromium's profile apart from the server's data folder, which may have the product's name. */
function setupAppFolders(ownProfile: string | undefined): void {
  app.setName('Homeport');
  if (process.platform === 'linux') app.setDesktopName(DESKTOP_NAME);
  // Windows uses this id to group windows and to show notifications. It must equal the installer's id.
  app.setAppUserModelId('app.homeport.desktop');
  const profile = ownProfile ?? path.join(app.getPath('appData'), 'Homeport Desktop');
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  app.setPath('userData', profile);
}

interface StartTargets {
  windows: AppWindows;
  openedFile: OpenedFile;
  panel: QuickPanelWindow;
}

/** Handles links and files opened outside the app: macOS sends events, other systems start the app a second time. */
function setupDeepLinks(targets: StartTargets): void {
  const { windows } = targets;
  // In a checkout the scheme would be registered for the plain Electron program.
  if (app.isPackaged) app.setAsDefaultProtocolClient(SCHEME);
  app.on('open-url', (event, url) => {
    event.preventDefault();
    const link = parseDeepLink(url);
    if (link?.kind === 'open') void app.whenReady().then(() => windows.follow(link));
  });
  app.on('second-instance', (_event, argv) => {
    if (!openFrom(argv, targets)) windows.show();
  });
  void app.whenReady().then(() => openFrom(process.argv, targets));
}

/** `--quick-panel` is for a shortcut of the system, where the app may not have one. */
function openFrom(argv: string[], { windows, openedFile, panel }: StartTargets): boolean {
  const link = findDeepLink(argv);
  const file = OpenedFile.find(argv);
  const isPanel = argv.includes('--quick-panel');
  if (link) windows.follow(link);
  else if (file) openedFile.open(file);
  else if (isPanel) panel.toggle();
  return link !== undefined || file !== undefined || isPanel;
}

/** Returns true for the first start. A second start passes its arguments on (`second-instance`) and ends. */
function setupSingleInstance(): boolean {
  const isFirst = app.requestSingleInstanceLock();
  if (!isFirst) {
    reportStart({ isQuitting: true });
    app.quit();
  }
  return isFirst;
}
