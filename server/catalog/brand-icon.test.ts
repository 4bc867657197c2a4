import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { contrastWithWhite, drawBrandIcon } from './brand-icon.ts';
import { buildCatalog } from './build-catalog.ts';

describe('drawBrandIcon', () => {
  it.each([
    ['181717', '#fff'],
    ['5E6AD2', '#fff'],
    ['FFE01B', '#16181d'],
    ['FFFFFF', '#16181d'],
  ])('draws a sign on %s that can be seen: %s', (hex, sign) => {
    expect(drawBrandIcon('M0 0h24', hex)).toContain(`fill="${sign}" d="M0 0h24"`);
  });

  it('knows the contrast of black and of white', () => {
    expect([contrastWithWhite('000000'), contrastWithWhite('ffffff')]).toEqual([21, 1]);
  });
});

describe('the table of icons', () => {
  const icons = parse(readFileSync(new URL('./brand-icons.yaml', import.meta.url), 'utf8')) as Record<string, string>;

  it('names providers of the catalogue only, in order', async () => {
    const catalog = await buildCatalog();

    expect(Object.keys(icons).filter((provider) => !catalog.has(provider))).toEqual([]);
    expect(Object.keys(icons)).toEqual(Object.keys(icons).toSorted());
  });

  it('has led to a picture of each', () => {
    const missing = Object.keys(icons).filter(
      (provider) => !existsSync(new URL(`../../dist/logos/${provider}.svg`, import.meta.url)),
    );

    expect(missing).toEqual([]);
  });
});
