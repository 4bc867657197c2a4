import type { OldEndpoint } from './old-config.ts';
import { quoteText } from './schema-shape.ts';

export function writeEndpoint({ method, path, group }: OldEndpoint): string {
  const parts = [
    `method: ${quoteText(method)}`,
    `path: ${quoteText(path)}`,
    ...(group === undefined ? [] : [`group: ${quoteText(group)}`]),
  ];
  return `{ ${parts.join(', ')} }`;
}

export function writeList(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : `[${texts.map(quoteText).join(', ')}]`;
}
