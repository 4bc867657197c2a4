import { app } from 'electron';
import { findDeepLink, parseDeepLink, SCHEME } from './deep-link.ts';
import type { MainWindow } from './main-window.ts';

/** `homeport://open/<path>` from outside: macOS sends an event, the others start the app a second time. */
export function setupDeepLinks(window: MainWindow): void {
  app.setAsDefaultProtocolClient(SCHEME);
  app.on('open-url', (event, url) => {
    event.preventDefault();
    const link = parseDeepLink(url);
    if (link?.kind === 'open') window.follow(link);
  });
  app.on('second-instance', (_event, argv) => {
    const link = findDeepLink(argv);
    if (link) window.follow(link);
    else window.show();
  });
  const first = findDeepLink(process.argv);
  if (first) void app.whenReady().then(() => window.follow(first));
}
