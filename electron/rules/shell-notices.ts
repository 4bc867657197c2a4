import type { ShellNotice } from '../../server/contract/shell-bridge.ts';

export interface NoticeFacts {
  platform: NodeJS.Platform;
  isWayland: boolean;
  /** The wanted shortcut of the quick panel, and whether the system refused it. */
  shortcut: { wanted: string | null; isRefused: boolean };
  hasTray: boolean;
  usesGraphicsCard: boolean;
  isSandboxed: boolean;
  isAppImage: boolean;
  isOnDiskImage: boolean;
  /** As in `updateObstacle`; undefined also where there are no updates at all. */
  updateObstacle: string | undefined;
}

const BY_SYSTEM = 'bind a shortcut to "homeport-desktop --quick-panel" in the settings of the system';

/** What does not work on this computer as a person expects, and what to do. Shown in the settings of the desktop app. */
export function shellNotices(facts: NoticeFacts): ShellNotice[] {
  const { shortcut, updateObstacle } = facts;
  const notices: Array<ShellNotice | false> = [
    shortcut.wanted !== null &&
      shortcut.isRefused && {
        id: 'shortcut',
        message: `The system refuses the shortcut ${shortcut.wanted}: another program uses it, or this desktop allows none. Press another one, or ${BY_SYSTEM}.`,
      },
    shortcut.wanted !== null &&
      !shortcut.isRefused &&
      facts.isWayland && {
        id: 'shortcut',
        message: `On Wayland the system asks whether it allows the shortcut, and does not say what was answered. If nothing happens when you press it, ${BY_SYSTEM}. The system also chooses where the quick panel opens.`,
      },
    !facts.hasTray && {
      id: 'tray',
      message:
        'This desktop shows no tray icons, so Homeport asks before the last window is closed. On GNOME the extension "AppIndicator and KStatusNotifierItem Support" shows them.',
    },
    !facts.usesGraphicsCard && {
      id: 'graphics',
      message: 'Windows are drawn without the graphics card. Homeport switches it off when its driver fails.',
    },
    !facts.isSandboxed && {
      id: 'sandbox',
      message: facts.isAppImage
        ? "This AppImage runs without Chromium's sandbox, because the system allows none for it. The deb and rpm packages have it."
        : "Homeport was started without Chromium's sandbox (--no-sandbox).",
    },
    facts.isOnDiskImage && {
      id: 'location',
      message: 'Homeport runs from its disk image. Move it to the Applications folder, and start it from there.',
    },
    updateObstacle !== undefined && !facts.isOnDiskImage && { id: 'updates', message: updateObstacle },
  ];
  return notices.filter((notice) => notice !== false);
}
