import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

/** Share of the points of a picture that may differ (ui.md 17, story 21). */
export const MAX_DIFFERENCE = 0.001;
/**
 * The distance from which two colours count as different, 0 to 1 as measured by `pixelmatch`: three of 255 steps of grey,
 * less than between two surfaces of the theme.
 */
const COLOUR_DISTANCE = 0.01;

export interface PictureDifference {
  /** 0 to 1; pictures of different sizes differ everywhere. */
  share: number;
  /** A picture that marks the differences in red. */
  shown: Buffer;
}

/** The share of a picture that differs from the stored one; both as PNG. */
export function comparePictures(stored: Buffer, now: Buffer): PictureDifference {
  const [before, after] = [PNG.sync.read(stored), PNG.sync.read(now)];
  const { width, height } = after;
  if (before.width !== width || before.height !== height) return { share: 1, shown: now };
  const places = new PNG({ width, height });
  // The same browser draws the same letters, so their edges are compared like everything else.
  const options = { threshold: COLOUR_DISTANCE, includeAA: true };
  const count = pixelmatch(before.data, after.data, places.data, width, height, options);
  return { share: count / (width * height), shown: PNG.sync.write(places) };
}
