type Rgb = readonly [number, number, number];

const WHITE = '#FFFFFF';
const INK = '#12191D';

/** `#0ad` or `#00aadd` as numbers; undefined for anything else. */
export function readHex(colour: string): Rgb | undefined {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(colour.trim())?.[1];
  if (digits === undefined) return undefined;
  const pairs = digits.length === 3 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? []);
  const [red = 0, green = 0, blue = 0] = pairs.map((pair) => Number.parseInt(pair, 16));
  return [red, green, blue];
}

/** Relative luminance (WCAG 2.2). */
function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours, 1 to 21; 1 when one of them is invalid. */
export function contrast(one: string, other: string): number {
  const [first, second] = [readHex(one), readHex(other)];
  if (!first || !second) return 1;
  const [dark = 0, light = 0] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** White or ink, the one with more contrast to the colour. */
export const textOn = (colour: string): string => (contrast(WHITE, colour) >= contrast(INK, colour) ? WHITE : INK);

/** The minimum contrast of text (WCAG 2.2, level AA). */
export const READABLE = 4.5;

/** The lower of two contrasts: text on a button of the colour, and a link of the colour on the surface. */
export const readability = (colour: string, surface: string): number =>
  Math.min(contrast(textOn(colour), colour), contrast(colour, surface));

/** The nearest colour of the same hue with enough contrast: darker on a light surface, lighter on a dark one. */
export function readableColour(colour: string, surface: string): string {
  const rgb = readHex(colour);
  if (!rgb) return colour;
  const end = contrast(surface, '#000000') > contrast(surface, '#FFFFFF') ? 0 : 255;
  for (let step = 0; step <= 100; step++) {
    const mixed = toHex(rgb.map((value) => value + ((end - value) * step) / 100));
    if (readability(mixed, surface) >= READABLE) return mixed;
  }
  return toHex([end, end, end]);
}

const toHex = (parts: readonly number[]): string =>
  `#${parts.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`.toUpperCase();
