/** Below this contrast ratio letters and lines are hard to see (WCAG 2.2, 1.4.11). */
const MIN_CONTRAST = 3;
const WHITE = '#fff';
const BLACK = '#16181d';

/**
 * Returns an SVG of 64 × 64 with a brand's sign on a tile in the brand's colour, so that it is visible in light and
 * dark. `path` is the path of a 24 × 24 icon, `hex` a colour of six digits.
 */
export function drawBrandIcon(path: string, hex: string): string {
  const sign = contrastWithWhite(hex) >= MIN_CONTRAST ? WHITE : BLACK;
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img">' +
    `<rect x=".5" y=".5" width="63" height="63" rx="14" fill="#${hex}" stroke="#808080" stroke-opacity=".35"/>` +
    `<path transform="translate(12 12) scale(1.6667)" fill="${sign}" d="${path}"/></svg>`
  );
}

/** WCAG's contrast ratio of a colour with white, 1 to 21. */
export function contrastWithWhite(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
