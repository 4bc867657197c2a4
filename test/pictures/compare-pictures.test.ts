import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { comparePictures, MAX_DIFFERENCE } from './compare-pictures.ts';
import { storePicture } from './store-picture.ts';

type Colour = readonly [red: number, green: number, blue: number];

const SURFACE: Colour = [22, 24, 29];

/** A picture of one colour, with points of another one in its first row. */
function draw(surface: Colour, points = 0, colour: Colour = [255, 255, 255], width = 100): Buffer {
  const png = new PNG({ width, height: 50 });
  for (let at = 0; at < width * 50; at += 1) png.data.set([...(at < points ? colour : surface), 255], at * 4);
  return PNG.sync.write(png);
}

/** More colours than a stored picture has, in squares of four points; the first ones may have one colour instead. */
function drawManyColours(white = 0): Buffer {
  const png = new PNG({ width: 100, height: 50 });
  for (let at = 0; at < 100 * 50; at += 1) {
    const square = Math.floor(Math.floor(at / 100) / 2) * 50 + Math.floor((at % 100) / 2);
    const colour = square < white ? [255, 255, 255] : [square % 256, Math.floor(square / 10) * 2, 40];
    png.data.set([...colour, 255], at * 4);
  }
  return PNG.sync.write(png);
}

describe('comparePictures', () => {
  it('finds nothing in two that are the same', () => {
    expect(comparePictures(draw(SURFACE, 9), draw(SURFACE, 9)).share).toBe(0);
  });

  it('says which share of the points differs', () => {
    expect(comparePictures(draw(SURFACE), draw(SURFACE, 5)).share).toBe(MAX_DIFFERENCE);
    expect(comparePictures(draw(SURFACE), draw(SURFACE, 6)).share).toBeGreaterThan(MAX_DIFFERENCE);
  });

  it('shows the places in red', () => {
    const { shown } = comparePictures(draw(SURFACE), draw(SURFACE, 1));

    expect([...PNG.sync.read(shown).data.subarray(0, 3)]).toEqual([255, 0, 0]);
    expect([...PNG.sync.read(shown).data.subarray(4, 7)]).not.toEqual([255, 0, 0]);
  });

  it('tells neighbouring surfaces of the theme apart, also as they are stored', () => {
    for (const [one, other] of [
      [draw([255, 255, 255]), draw([246, 247, 249])],
      [draw([15, 17, 21]), draw([26, 29, 36])],
    ] as const)
      expect(comparePictures(storePicture(one), storePicture(other)).share).toBe(1);
  });

  it('finds pictures of different sizes different everywhere', () => {
    expect(comparePictures(draw(SURFACE), draw(SURFACE, 0, SURFACE, 101)).share).toBe(1);
  });
});

describe('storePicture', () => {
  it('halves a picture and keeps its colours', () => {
    const { width, height, data } = PNG.sync.read(storePicture(draw(SURFACE, 2)));

    expect([width, height]).toEqual([50, 25]);
    // The first four points were two white ones and two of the surface.
    expect([...data.subarray(0, 3)]).toEqual([139, 140, 142]);
    expect([...data.subarray(4, 8)]).toEqual([...SURFACE, 255]);
  });

  it('takes the nearest of the colours that it keeps for the others, and always the same', () => {
    const stored = storePicture(drawManyColours());
    const { data } = PNG.sync.read(stored);
    const colours = new Set(Array.from({ length: 50 * 25 }, (_, at) => data.readUInt32BE(at * 4)));

    expect(colours.size).toBe(128);
    expect(storePicture(drawManyColours()).equals(stored)).toBe(true);
  });

  it('differs from what was stored only where something else was drawn', () => {
    const stored = storePicture(drawManyColours());
    const changed = storePicture(drawManyColours(50), stored);

    expect(comparePictures(stored, storePicture(drawManyColours(), stored)).share).toBe(0);
    expect(comparePictures(stored, changed).share).toBeCloseTo(50 / (50 * 25));
  });
});
