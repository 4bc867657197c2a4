import { type Layer, NOUNS } from '../config/layers.ts';

export const PICTURE_START = '<!-- layers:start (generated: npm run golden:update) -->';
export const PICTURE_END = '<!-- layers:end -->';

function row({ path, mayImport, why }: Layer): string {
  const targets = mayImport.map(({ to, typesOnly }) => (typesOnly ? `\`${to}\` (types)` : `\`${to}\``));
  return `| \`${path}\` | ${targets.join(', ') || '—'} | ${why} |`;
}

/** Returns the generated section of build/config/layers.md with the table of layers. */
export function drawLayers(layers: Layer[]): string {
  const table = ['| Layer | May import | Why |', '|---|---|---|', ...layers.map(row)];
  const order = `Nouns, lowest first: ${NOUNS.map((name) => `\`${name}\``).join(' → ')}.`;
  return [PICTURE_START, '', ...table, '', order, '', PICTURE_END].join('\n');
}

/** Replaces the generated section in the text of that file. */
export function replacePicture(text: string, picture: string): string {
  const start = text.indexOf(PICTURE_START);
  const end = text.indexOf(PICTURE_END);
  if (start === -1 || end === -1)
    throw new Error('build/config/layers.md has lost the marks of its generated section.');
  return text.slice(0, start) + picture + text.slice(end + PICTURE_END.length);
}
