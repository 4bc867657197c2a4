import { modifierKey } from './platform.ts';

const NAMES: Record<string, string> = {
  alt: 'Alt',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  arrowup: '↑',
  contextmenu: 'Menu',
  end: 'End',
  enter: '↵',
  escape: 'Esc',
  home: 'Home',
  pagedown: 'Page down',
  pageup: 'Page up',
  shift: 'Shift',
  space: 'Space',
};

/** The key caps of a chord in order: `mod+k` is Ctrl and K. */
export const keyNames = (chord: string): string[] =>
  chord.split(/[ +]/).map((key) => (key === 'mod' ? modifierKey() : (NAMES[key] ?? key.toUpperCase())));
