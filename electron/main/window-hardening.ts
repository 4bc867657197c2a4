import { app, Menu, type Session, shell, type WebContents } from 'electron';
import { isAppPage, isServerPage, mayOpenOutside } from '../rules/address-rules.ts';
import { type DeepLink, parseDeepLink } from '../rules/deep-link.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';

/** Permissions that pages of the server get. All others are denied to every page. */
const PERMISSIONS = ['clipboard-sanitized-write', 'notifications'];
/** Target of links in the quick panel, which is a window of its own: the dashboard window used last. */
const LAST_WINDOW = 'homeport';

interface Hardening {
  supervisor: ServerSupervisor;
  onDeepLink: (link: DeepLink) => void;
  /** Called when a dashboard page opens another one in a new window. `page` is its path. */
  onOwnWindow: (page: string) => void;
  /** The same for the window used last. */
  onLastWindow: (page: string) => void;
}

/** All restrictions of windows, in one place. They apply to every page created afterwards. */
export function setupWindowHardening({ supervisor, onDeepLink, onOwnWindow, onLastWindow }: Hardening): void {
  const isOwnPage = (url: string): boolean => isServerPage(url, supervisor.ready?.address);
  // It removes the switch from the command line, but Chromium has already started without a sandbox then: pages would end
  // at once. An AppImage starts itself so where the system allows no sandbox (rules/shell-notices.ts says it).
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  app.on('web-contents-created', (_event, contents) => {
    hardenPermissions(contents.session, isOwnPage);
    hardenNavigation(contents, isOwnPage, onDeepLink);
    offerEditing(contents);
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.setWindowOpenHandler(({ frameName, url }) => {
      const isOwn = isAppPage(url, supervisor.ready?.address);
      const open = frameName === LAST_WINDOW ? onLastWindow : onOwnWindow;
      if (isOwn) open(url.slice(new URL(url).origin.length));
      else if (mayOpenOutside(url)) void shell.openExternal(url);
      return { action: 'deny' };
    });
  });
}

function hardenNavigation(
  contents: WebContents,
  isOwnPage: (url: string) => boolean,
  onDeepLink: Hardening['onDeepLink'],
): void {
  contents.on('will-navigate', (event) => {
    if (isOwnPage(event.url)) return;
    event.preventDefault();
    const link = parseDeepLink(event.url);
    if (link && isTrustedPage(contents.getURL(), isOwnPage)) onDeepLink(link);
  });
  contents.on('will-redirect', (event) => {
    if (!isOwnPage(event.url)) event.preventDefault();
  });
  // For frames inside a page: `will-navigate` fires only for the top frame.
  contents.on('will-frame-navigate', (event) => {
    const isEmpty = event.url === 'about:blank' || event.url === 'about:srcdoc';
    if (!event.isMainFrame && !isEmpty && !isOwnPage(event.url)) event.preventDefault();
  });
}

/** Adds copy and paste to the context menu, which Electron leaves empty. */
function offerEditing(contents: WebContents): void {
  contents.on('context-menu', (_event, { editFlags, isEditable, selectionText }) => {
    if (!isEditable && selectionText === '') return;
    const edit = isEditable
      ? [
          { role: 'cut', enabled: editFlags.canCut } as const,
          { role: 'copy', enabled: editFlags.canCopy } as const,
          { role: 'paste', enabled: editFlags.canPaste } as const,
        ]
      : [{ role: 'copy' } as const];
    Menu.buildFromTemplate(edit).popup();
  });
}

/** The status page is a data address. Only the shell can load it, because pages cannot navigate to a data address. */
function isTrustedPage(url: string, isOwnPage: (url: string) => boolean): boolean {
  return url.startsWith('data:text/html') || isOwnPage(url);
}

function hardenPermissions(session: Session, isOwnPage: (url: string) => boolean): void {
  const allows = (permission: string, url: string): boolean => PERMISSIONS.includes(permission) && isOwnPage(url);
  session.setPermissionRequestHandler((_contents, permission, response, details) => {
    response(allows(permission, details.requestingUrl));
  });
  session.setPermissionCheckHandler((_contents, permission, origin) => allows(permission, origin));
  session.setDevicePermissionHandler(() => false);
}
