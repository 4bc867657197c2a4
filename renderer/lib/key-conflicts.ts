import type { KeyMeaning } from './key-map.ts';

/** Keys that browsers and text fields use with Ctrl or ⌘; a page cannot get them or should not take them. */
const OF_BROWSER = /^mod\+([acnpqtvwxz]|shift\+[cnptwz])$/;
/** Keys that operate every control and list. */
const FIXED = /^(enter|escape|space|home|end|pageup|pagedown|backspace|delete|f\d+|(shift\+)?arrow\w+)$/;

/** Whether a person may choose another key; false for moving in lists by arrows, closing by Esc and the like. */
export const isEditable = ({ id, keys }: KeyMeaning): boolean =>
  !id.startsWith('environment.') && !FIXED.test(keys[0] ?? '');

/** Why the command cannot have the key, as a sentence; undefined when it can. */
export function findKeyConflict(chord: string, id: string, all: readonly KeyMeaning[]): string | undefined {
  if (FIXED.test(chord)) return 'Lists and controls need this key.';
  if (OF_BROWSER.test(chord)) return 'The browser needs this key.';
  const others = all.filter((one) => one.id !== id);
  const holder = others.find(({ keys }) => keys.includes(chord));
  if (holder) return `This is the key of "${holder.label}".`;
  const sequence = others.find(({ keys }) => keys.some((key) => key.startsWith(`${chord} `)));
  return sequence && `"${sequence.label}" begins with it.`;
}
