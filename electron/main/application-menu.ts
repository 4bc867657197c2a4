import { app, Menu, type WebContents } from 'electron';
import { applicationMenu, type PageCommand, type ShellAction, USUAL_COMMANDS } from '../rules/menu-model.ts';
import type { AppWindows } from './app-windows.ts';
import { buildMenu } from './menu-builder.ts';

interface MenuParts {
  windows: AppWindows;
  perform: (action: ShellAction) => void;
}

/** The application's menu, with the commands of the page in front. */
export class ApplicationMenu {
  readonly #parts: MenuParts;
  readonly #commands = new WeakMap<WebContents, readonly PageCommand[]>();

  constructor(parts: MenuParts) {
    this.#parts = parts;
    void app.whenReady().then(() => {
      this.#draw();
      app.on('browser-window-focus', (_event, window) => this.#draw(window.webContents));
      this.#setJumpLists();
    });
  }

  /** Stores the commands that a page offers. */
  setCommands(contents: WebContents, commands: readonly PageCommand[]): void {
    this.#commands.set(contents, commands);
    if (this.#parts.windows.front?.webContents === contents) this.#draw(contents);
  }

  #draw(contents?: WebContents): void {
    const { perform } = this.#parts;
    const commands = (contents && this.#commands.get(contents)) ?? USUAL_COMMANDS;
    const entries = applicationMenu({ platform: process.platform, isPackaged: app.isPackaged, commands });
    Menu.setApplicationMenu(buildMenu(entries, perform));
  }

  /** Sets the menu of the dock icon, and the tasks of the task bar icon. */
  #setJumpLists(): void {
    const { perform } = this.#parts;
    app.dock?.setMenu(
      buildMenu(
        [
          { label: 'New window', action: { do: 'new-window' } },
          { label: 'Quick panel', action: { do: 'quick-panel' } },
        ],
        perform,
      ),
    );
    if (process.platform !== 'win32') return;
    const task = { program: process.execPath, iconPath: process.execPath, iconIndex: 0 };
    app.setUserTasks([
      { ...task, title: 'Logs', description: 'Open the logs of Homeport', arguments: 'homeport://open/dev/logs' },
      {
        ...task,
        title: 'Connections',
        description: 'Open the connections',
        arguments: 'homeport://open/dev/connections',
      },
    ]);
  }
}
