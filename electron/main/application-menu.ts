import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import type { MainWindow } from './main-window.ts';

export function setupApplicationMenu(window: MainWindow): void {
  const template: MenuItemConstructorOptions[] = [
    ...(process.platform === 'darwin' ? [{ role: 'appMenu' } as const] : []),
    {
      label: 'File',
      submenu: [
        { label: 'Open Homeport', accelerator: 'CmdOrCtrl+O', click: () => window.show() },
        { role: 'close' },
        ...(process.platform === 'darwin' ? [] : [{ role: 'quit' } as const]),
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
        ...(app.isPackaged ? [] : [{ role: 'toggleDevTools' } as const]),
      ],
    },
    { role: 'windowMenu' },
  ];
  void app.whenReady().then(() => Menu.setApplicationMenu(Menu.buildFromTemplate(template)));
}
