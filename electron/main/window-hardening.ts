import { app, type Session, shell, type WebContents } from 'electron';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import { isServerPage, mayOpenOutside } from './address-rules.ts';
import { type DeepLink, parseDeepLink } from './deep-link.ts';

/** What a page of the server may ask for; everything else is denied, to every page. */
const PERMISSIONS = ['clipboard-sanitized-write', 'notifications'];

interface Hardening {
  supervisor: ServerSupervisor;
  onDeepLink: (link: DeepLink) => void;
}

/** Everything a window must not do, in one place; it applies to every page that is ever created. */
export function setupWindowHardening({ supervisor, onDeepLink }: Hardening): void {
  const isOwnPage = (url: string): boolean => isServerPage(url, supervisor.ready?.address);
  app.enableSandbox();
  app.on('web-contents-created', (_event, contents) => {
    hardenPermissions(contents.session, isOwnPage);
    hardenNavigation(contents, isOwnPage, onDeepLink);
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.setWindowOpenHandler(({ url }) => {
      if (mayOpenOutside(url)) void shell.openExternal(url);
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
}

/** The status page is a data address that only the shell itself can load: pages cannot navigate to one. */
function isTrustedPage(url: string, isOwnPage: (url: string) => boolean): boolean {
  return url.startsWith('data:text/html') || isOwnPage(url);
}

function hardenPermissions(session: Session, isOwnPage: (url: string) => boolean): void {
  const allows = (permission: string, url: string): boolean => PERMISSIONS.includes(permission) && isOwnPage(url);
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    answer(allows(permission, details.requestingUrl));
  });
  session.setPermissionCheckHandler((_contents, permission, origin) => allows(permission, origin));
  session.setDevicePermissionHandler(() => false);
}
