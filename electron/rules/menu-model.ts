import { KEY_MAP, type KeyMeaning } from '../../renderer/lib/key-map.ts';

/** What a menu entry asks the shell to do. */
export type ShellAction =
  | { do: 'show' | 'new-window' | 'quick-panel' | 'restart-server' | 'resume-schedules' | 'copy-address' | 'settings' }
  | { do: 'quit' | 'show-logs' | 'save-diagnostics' | 'lock-vault' | 'unlock-vault' }
  /** Null: until a person resumes them. */
  | { do: 'pause-schedules'; forMs: number | null }
  /** A page below `/app`. */
  | { do: 'open'; path: string }
  /** A command of the page in front, by its id. */
  | { do: 'command'; id: string }
  | { do: 'zoom'; step: -1 | 0 | 1 };

type Role =
  | 'appMenu'
  | 'close'
  | 'copy'
  | 'cut'
  | 'paste'
  | 'quit'
  | 'redo'
  | 'selectAll'
  | 'togglefullscreen'
  | 'toggleDevTools'
  | 'undo'
  | 'windowMenu';

export interface MenuEntry {
  label?: string;
  role?: Role;
  accelerator?: string;
  /** The page itself handles these keys: the entry only shows them. */
  isKeyOfPage?: true;
  type?: 'separator';
  isEnabled?: boolean;
  submenu?: MenuEntry[];
  action?: ShellAction;
}

/** A command as a page describes it. */
export type PageCommand = Pick<KeyMeaning, 'id' | 'keys' | 'label' | 'group'>;

/** Commands that every screen has. The page in front replaces them by its own list. */
export const USUAL_COMMANDS: readonly PageCommand[] = (Object.values(KEY_MAP) as KeyMeaning[]).filter(
  ({ group, isMove }) => group === 'Everywhere' && !isMove,
);

const SEPARATOR: MenuEntry = { type: 'separator' };
const FIND: PageCommand = KEY_MAP.find;
/** These commands have their own entries in View or Edit. */
const IN_VIEW = ['theme', 'sidebar', 'refresh', 'back', 'forward'];

/** The menu of the application. `commands` are the commands of the page in front, from its registry of shortcuts. */
export function applicationMenu({
  platform,
  isPackaged,
  commands,
}: {
  platform: NodeJS.Platform;
  isPackaged: boolean;
  commands: readonly PageCommand[];
}): MenuEntry[] {
  const isMac = platform === 'darwin';
  const known = new Map(commands.map((command) => [command.id, command]));
  const view = IN_VIEW.flatMap((id) => known.get(id) ?? []);
  const others = commands.filter(({ id }) => !IN_VIEW.includes(id) && id !== FIND.id);
  const goTo = others.filter(({ group }) => group === 'Go to');
  const here = others.filter(({ group }) => group !== 'Go to');
  return [
    ...(isMac ? [{ role: 'appMenu' } satisfies MenuEntry] : []),
    {
      label: 'File',
      submenu: [
        { label: 'New window', accelerator: 'CommandOrControl+Shift+N', action: { do: 'new-window' } },
        { label: 'Quick panel', action: { do: 'quick-panel' } },
        SEPARATOR,
        { role: 'close' },
        ...(isMac ? [] : [{ role: 'quit' } satisfies MenuEntry]),
      ],
    },
    {
      label: 'Edit',
      submenu: [
        ...(['undo', 'redo'] as const).map((role) => ({ role })),
        SEPARATOR,
        ...(['cut', 'copy', 'paste', 'selectAll'] as const).map((role) => ({ role })),
        SEPARATOR,
        ofPage(FIND),
      ],
    },
    {
      label: 'View',
      submenu: [
        ...view.map(ofPage),
        ...(view.length > 0 ? [SEPARATOR] : []),
        { label: 'Zoom in', accelerator: 'CommandOrControl+Plus', action: { do: 'zoom', step: 1 } },
        { label: 'Zoom out', accelerator: 'CommandOrControl+-', action: { do: 'zoom', step: -1 } },
        { label: 'Actual size', accelerator: 'CommandOrControl+0', action: { do: 'zoom', step: 0 } },
        { role: 'togglefullscreen' },
        ...(isPackaged ? [] : [{ role: 'toggleDevTools' } satisfies MenuEntry]),
      ],
    },
    ...(goTo.length > 0 ? [{ label: 'Go', submenu: goTo.map(ofPage) }] : []),
    ...(here.length > 0 ? [{ label: 'Commands', submenu: here.map(ofPage) }] : []),
    { role: 'windowMenu' },
    {
      label: 'Help',
      submenu: [
        { label: 'Documentation', action: { do: 'open', path: '/app/docs' } },
        SEPARATOR,
        { label: 'Show the logs', action: { do: 'show-logs' } },
        { label: 'Save diagnostics…', action: { do: 'save-diagnostics' } },
      ],
    },
  ];
}

function ofPage({ id, keys, label }: PageCommand): MenuEntry {
  const accelerator = keys.map(acceleratorOf).find((one) => one !== undefined);
  return { label, action: { do: 'command', id }, ...(accelerator ? { accelerator, isKeyOfPage: true } : {}) };
}

const NAMES: Record<string, string> = {
  arrowdown: 'Down',
  arrowleft: 'Left',
  arrowright: 'Right',
  arrowup: 'Up',
  enter: 'Enter',
  escape: 'Escape',
  space: 'Space',
};

/** `mod+shift+l` in Electron's notation; undefined for single keys and sequences, which a menu cannot show. */
export function acceleratorOf(chord: string): string | undefined {
  const parts = chord.split('+');
  if (chord.includes(' ') || !parts.includes('mod')) return undefined;
  const name = (part: string): string =>
    part === 'mod' ? 'CommandOrControl' : (NAMES[part] ?? `${part.charAt(0).toUpperCase()}${part.slice(1)}`);
  return parts.map(name).join('+');
}

const ZOOMS = [0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2];

/** The next zoom factor, from 50 to 200 %. */
export function nextZoom(factor: number, step: -1 | 0 | 1): number {
  if (step === 0) return 1;
  if (step === 1) return ZOOMS.find((zoom) => zoom > factor + 0.001) ?? 2;
  return ZOOMS.findLast((zoom) => zoom < factor - 0.001) ?? 0.5;
}
