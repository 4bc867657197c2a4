import path from 'node:path';
import { app, clipboard, dialog, shell } from 'electron';
import type { ShellAction } from '../rules/menu-model.ts';
import { nextZoom } from '../rules/menu-model.ts';
import type { HubLink } from '../server-process/hub-link.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import type { AppWindows } from './app-windows.ts';
import type { DiagnosticsBundle } from './diagnostics-bundle.ts';
import type { QuickPanelWindow } from './quick-panel.ts';

export interface ShellParts {
  supervisor: ServerSupervisor;
  hub: HubLink;
  windows: AppWindows;
  panel: QuickPanelWindow;
  diagnostics: DiagnosticsBundle;
}

/**
 * Carries out an action of a menu entry, a jump list or a notification. A refusal of the hub is shown to the person.
 */
export function createShellActions(parts: ShellParts): (action: ShellAction) => void {
  return (action) => {
    perform(action, parts).catch((error: unknown) => {
      const detail = error instanceof Error ? error.message : String(error);
      dialog.showErrorBox('Homeport could not do that', detail);
    });
  };
}

async function perform(
  action: ShellAction,
  { supervisor, hub, windows, panel, diagnostics }: ShellParts,
): Promise<void> {
  switch (action.do) {
    case 'show':
      return windows.show();
    case 'new-window':
      return windows.openNew();
    case 'quick-panel':
      return panel.toggle();
    case 'open':
      return windows.goTo(action.path);
    case 'settings':
      return windows.goTo('/app/settings/general');
    case 'command':
      return windows.sendCommand(action.id);
    case 'zoom': {
      const contents = windows.front?.webContents;
      return contents?.setZoomFactor(nextZoom(contents.getZoomFactor(), action.step));
    }
    case 'restart-server':
      return supervisor.restart();
    case 'pause-schedules':
      return hub.pauseSchedules(action.forMs === null ? null : Date.now() + action.forMs);
    case 'resume-schedules':
      return hub.resumeSchedules();
    case 'lock-vault':
    case 'unlock-vault':
      return hub.setVaultLocked(action.do === 'lock-vault');
    case 'copy-address':
      return clipboard.writeText(supervisor.ready?.address ?? '');
    case 'show-logs':
      return shell.showItemInFolder(path.join(app.getPath('logs'), 'server.log'));
    case 'save-diagnostics': {
      const saved = await diagnostics.save();
      if (!saved.ok) throw new Error(saved.message);
      return;
    }
    case 'quit':
      return app.quit();
  }
}
