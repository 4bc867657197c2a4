import { app, powerMonitor } from 'electron';
import type { HubLink } from '../server-process/hub-link.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import type { AppWindows } from './app-windows.ts';
import { askPerson } from './ask-person.ts';
import type { QuickPanelWindow } from './quick-panel.ts';

interface QuitParts {
  supervisor: ServerSupervisor;
  hub: HubLink;
  windows: AppWindows;
  panel: QuickPanelWindow;
  /** Clean-up that needs the running app. */
  onQuit: () => Promise<unknown>;
}

/**
 * Asks before quitting while work runs or text is not saved, then waits for the server, which has its own limit of five seconds. Returns a
 * function that stops everything without the question, so that the next quit is not delayed.
 */
export function setupQuit({ supervisor, hub, windows, panel, onQuit }: QuitParts): () => Promise<void> {
  let state: 'running' | 'asking' | 'stopping' | 'stopped' = 'running';
  let isShutdown = false;
  const prepare = async (): Promise<void> => {
    state = 'stopping';
    windows.prepareQuit();
    await hub.close();
    await supervisor.stop();
    await onQuit();
    panel.close();
    state = 'stopped';
  };
  const onShutdown = (): void => {
    isShutdown = true;
    app.quit();
  };
  void app.whenReady().then(() => powerMonitor.on('shutdown', onShutdown));
  // `shutdown` does not exist on Windows, which tells the end of the session to each window.
  app.on('browser-window-created', (_event, window) => void window.on('session-end', onShutdown));
  app.on('before-quit', (event) => {
    if (state === 'stopped') return;
    event.preventDefault();
    if (state !== 'running') return;
    state = 'asking';
    void (async () => {
      // Text is asked about while the server can still save it.
      if (!isShutdown && !((await windows.mayCloseAll()) && (await mayQuit(hub, windows)))) {
        state = 'running';
        return;
      }
      await prepare();
      app.quit();
    })();
  });
  return prepare;
}

async function mayQuit(hub: HubLink, windows: AppWindows): Promise<boolean> {
  const running = hub.status?.running ?? 0;
  if (running === 0) return true;
  const { front } = windows;
  return askPerson({
    type: 'question',
    message: running === 1 ? 'One run is in progress.' : `${running} runs are in progress.`,
    detail:
      'Quitting stops them; syncs continue from their last checkpoint at the next start. Until then no sync runs.',
    yes: 'Quit',
    no: 'Cancel',
    enter: 'no',
    window: front?.isVisible() ? front : undefined,
  });
}
