import type { FakeElectron, FakeItem } from '../fake-electron.ts';

/** A menu as Electron's own calls show it. */
interface NativeItem {
  label: string;
  enabled: boolean;
  submenu?: { items: NativeItem[] };
  click(): void;
}

/** The recorded menus, which also answer as Electron's `Menu` does. */
export function nativeMenu({ menus, module }: FakeElectron): unknown {
  return Object.assign(module['Menu'] as object, {
    getApplicationMenu: () => menus.application && { items: menus.application.items.map(toNative) },
  });
}

function toNative({ click, enabled = true, entries, label, role }: FakeItem): NativeItem {
  return {
    label: label ?? role ?? '',
    enabled,
    ...(entries.length > 0 ? { submenu: { items: entries.map(toNative) } } : {}),
    click: () => click?.({} as Electron.MenuItem, undefined, {} as Electron.KeyboardEvent),
  };
}
