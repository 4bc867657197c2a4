import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { titleToSlug } from 'simple-icons/sdk';
import { parse } from 'yaml';
import { drawBrandIcon } from './brand-icon.ts';

const at = (path: string) => new URL(`../../${path}`, import.meta.url);
const icons = parse(readFileSync(at('server/integrations/catalog/brand-icons.yaml'), 'utf8')) as Record<string, string>;
const data = JSON.parse(readFileSync(at('node_modules/simple-icons/data/simple-icons.json'), 'utf8')) as Array<{
  title: string;
  slug?: string;
  hex: string;
}>;
const colours = new Map(data.map(({ title, slug, hex }) => [slug ?? titleToSlug(title), hex]));

const folder = at('dist/logos/');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [provider, slug] of Object.entries(icons)) {
  const hex = colours.get(slug);
  const [, path] = hex === undefined ? [] : (/ d="([^"]+)"/.exec(readIcon(slug)) ?? []);
  if (hex === undefined || path === undefined)
    throw new Error(`brand-icons.yaml: simple-icons has no icon ${slug} (${provider})`);
  writeFileSync(new URL(`${provider}.svg`, folder), drawBrandIcon(path, hex));
}

function readIcon(slug: string): string {
  return readFileSync(at(`node_modules/simple-icons/icons/${slug}.svg`), 'utf8');
}
