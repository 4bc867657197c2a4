import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeOfRow, rowAtPlace, rowWindow } from './row-window.ts';

const sizes = fc.tuple(fc.integer({ min: 1, max: 20_000_000 }), fc.constantFrom(28, 36, 48, 52));

describe('the places of a list', () => {
  it('are its rows while an element is high enough for them', () => {
    const window = rowWindow(400_000, 36);
    expect(window.places).toBe(400_000);
    for (const row of [0, 1, 19_999, 200_000, 399_999]) {
      expect(rowAtPlace(row, window)).toBe(row);
      expect(placeOfRow(row, window)).toBe(row);
    }
  });

  it('never make an element higher than every browser lays out', () => {
    fc.assert(fc.property(sizes, ([rows, height]) => rowWindow(rows, height).places * height <= 15_000_000));
  });

  it('reach the first and the last row of every list, in order', () => {
    fc.assert(
      fc.property(sizes, fc.double({ min: 0, max: 1, noNaN: true }), ([rows, height], share) => {
        const window = rowWindow(rows, height);
        const place = Math.floor(share * (window.places - 1));
        expect(rowAtPlace(0, window)).toBe(0);
        expect(rowAtPlace(window.places - 1, window)).toBe(rows - 1);
        expect(rowAtPlace(place + 1, window)).toBeGreaterThan(rowAtPlace(place, window));
      }),
    );
  });

  it('are found again for their rows', () => {
    fc.assert(
      fc.property(sizes, fc.double({ min: 0, max: 1, noNaN: true }), ([rows, height], share) => {
        const window = rowWindow(rows, height);
        const place = Math.floor(share * (window.places - 1));
        expect(placeOfRow(rowAtPlace(place, window), window)).toBe(place);
      }),
    );
  });
});
