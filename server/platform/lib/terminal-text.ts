import { stripVTControlCharacters } from 'node:util';

/** The colours that this program's own output uses. Other styles, such as invisible text, are removed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const OWN_COLORS = /(\u001B\[(?:0|1|2|22|3[1-6]|39)m)/;
/** C0 except tab and newline, DEL, and C1: a single one of these characters can begin a terminal command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
const C1 = /[\u007F-\u009F]/g;

/**
 * Makes a text that may come from a provider or a function safe for a terminal: removes sequences that move the cursor,
 * rewrite lines, or set the clipboard or the title. Tabs and newlines stay, and our own colours with `keepsColors`.
 */
export function terminalText(text: string, { keepsColors = false } = {}): string {
  if (!keepsColors) return withoutControls(text);
  // The pattern has a group, so every second part is a colour.
  return text
    .split(OWN_COLORS)
    .map((part, index) => (index % 2 === 1 ? part : withoutControls(part)))
    .join('');
}

/**
 * JSON for a terminal: the same document, with escapes for the control characters that `JSON.stringify` leaves as they
 * are.
 */
export function terminalJson(json: string): string {
  return json.replace(C1, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function withoutControls(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\r\n', '\n').replace(CONTROL, '');
}
