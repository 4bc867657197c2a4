/** The last part of a path that is no placeholder. */
export const lastWord = (path: string): string => path.split('/').findLast((part) => /^[A-Za-z]/.test(part)) ?? 'items';
const words = (text: string): string[] =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
const upper = (word: string): string => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`;
export const kebab = (text: string): string => words(text).join('-').toLowerCase() || 'operation';

export function pascal(text: string): string {
  const name = words(text).map(upper).join('');
  return /^[A-Z]/.test(name) ? name : `Model${name}`;
}

export function camel(text: string): string {
  const name = pascal(text);
  const written = `${name[0]?.toLowerCase()}${name.slice(1)}`;
  return /^(?:new|class|function|default|import|export|in|of|case|package|metadata|pages|since)$/.test(written)
    ? 'items'
    : written;
}

export function singular(word: string): string {
  if (/ies$/i.test(word)) return word.replace(/ies$/i, 'y');
  return /(?:ss|us|is)$/i.test(word) ? word : word.replace(/(?<=ch|sh|x|ss)es$/i, '').replace(/s$/i, '');
}

export function plural(word: string): string {
  if (/[^aeiou]y$/i.test(word)) return word.replace(/y$/i, 'ies');
  if (/(?:[^s]s|data|list)$/i.test(word)) return word;
  return /(?:ch|sh|x|ss)$/i.test(word) ? `${word}es` : `${word}s`;
}
