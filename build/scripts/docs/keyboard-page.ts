import { KEY_MAP, type KeyMeaning } from '../../../renderer/lib/key-map.ts';
import { REFERENCE, type WrittenPage, writeTable } from './written-page.ts';

const GROUPS: KeyMeaning['group'][] = ['Everywhere', 'Go to', 'List', 'This page'];
const NAMES: Record<string, string> = {
  mod: 'Ctrl or ⌘',
  arrowdown: '↓',
  arrowup: '↑',
  arrowleft: '←',
  arrowright: '→',
  contextmenu: 'Menu',
  escape: 'Esc',
  pagedown: 'Page down',
  pageup: 'Page up',
};

/** The keys of the window, from the map that the window itself reads. `screens` are the keys after `g`. */
export function keyboardPage(screens: ReadonlyArray<{ label: string; key: string }>): WrittenPage {
  const moves = screens.map(({ key, label }): KeyMeaning => ({ id: label, keys: [`g ${key}`], label, group: 'Go to' }));
  const all: KeyMeaning[] = [...Object.values(KEY_MAP), ...moves];
  const parts = GROUPS.map((group) => {
    const rows = all
      .filter((one) => one.group === group)
      .map(({ keys, label }) => [keys.map(capsOf).join(' or '), label]);
    return rows.length === 0 ? '' : `## ${group}\n\n${writeTable(['Keys', 'Does'], rows)}`;
  });
  return {
    name: 'keyboard',
    title: 'Keyboard',
    about: 'every key of the window',
    section: REFERENCE,
    text: `# Keyboard

\`?\` shows the keys of the screen that is open. Keys without Ctrl or ⌘ can be switched off there.

${parts.filter((part) => part !== '').join('\n\n')}
`,
  };
}

/** Keys with a plus are pressed together, with a space one after the other. */
const capsOf = (chord: string): string =>
  chord
    .split(' ')
    .map((step) => `\`${step.split('+').map(capOf).join(' + ')}\``)
    .join(' then ');

const capOf = (key: string): string =>
  NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : `${key[0]?.toUpperCase()}${key.slice(1)}`);
