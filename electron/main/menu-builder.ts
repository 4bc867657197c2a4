import { Menu, type MenuItemConstructorOptions } from 'electron';
import type { MenuEntry, ShellAction } from '../rules/menu-model.ts';

/** Builds a native menu from menu entries. */
export function buildMenu(entries: readonly MenuEntry[], perform: (action: ShellAction) => void): Menu {
  return Menu.buildFromTemplate(entries.map((entry) => toTemplate(entry, perform)));
}

function toTemplate(entry: MenuEntry, perform: (action: ShellAction) => void): MenuItemConstructorOptions {
  const { accelerator, action, isEnabled, isKeyOfPage, label, role, submenu, type } = entry;
  return {
    ...(label === undefined ? {} : { label }),
    ...(role === undefined ? {} : { role }),
    ...(type === undefined ? {} : { type }),
    ...(accelerator === undefined ? {} : { accelerator }),
    ...(isKeyOfPage ? { registerAccelerator: false } : {}),
    ...(isEnabled === undefined ? {} : { enabled: isEnabled }),
    ...(submenu ? { submenu: submenu.map((one) => toTemplate(one, perform)) } : {}),
    ...(action ? { click: () => perform(action) } : {}),
  };
}
