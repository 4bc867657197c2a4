import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  nextWindow,
  panelBounds,
  type Rectangle,
  remember,
  rescue,
  type ScreenArea,
  windowMemory,
} from './window-bounds.ts';

const LAPTOP: ScreenArea = { id: '1', workArea: { x: 0, y: 25, width: 1440, height: 875 } };
const DESK: ScreenArea = { id: '2', workArea: { x: 1440, y: 0, width: 2560, height: 1440 } };
const EMPTY = windowMemory.parse({});
const layout = { screens: [LAPTOP, DESK], primaryId: '1', memory: EMPTY, taken: [] };

const isInside = (inner: Rectangle, outer: Rectangle): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

describe('the next window', () => {
  it('opens in the middle of the main screen the first time', () => {
    expect(nextWindow(layout)).toEqual({ bounds: { x: 80, y: 63, width: 1280, height: 800 }, isMaximized: false });
  });

  it('opens on the screen used last as it was there, and on the main one while that is detached', () => {
    const onDesk = { x: 1500, y: 100, width: 1800, height: 1200 };
    const onLaptop = { x: 10, y: 30, width: 900, height: 700 };
    let memory = remember(EMPTY, { screenId: '1', bounds: onLaptop, isMaximized: false });
    memory = remember(memory, { screenId: '2', bounds: onDesk, isMaximized: true });

    expect(nextWindow({ ...layout, memory })).toEqual({ bounds: onDesk, isMaximized: true });
    expect(nextWindow({ ...layout, memory, screens: [LAPTOP] })).toEqual({ bounds: onLaptop, isMaximized: false });
  });

  it('opens beside the ones that are open, never on top of one and never maximized', () => {
    const memory = remember(EMPTY, {
      screenId: '1',
      bounds: { x: 0, y: 25, width: 900, height: 700 },
      isMaximized: true,
    });
    const first = nextWindow({ ...layout, memory });
    const second = nextWindow({ ...layout, memory, taken: [first.bounds] });
    const third = nextWindow({ ...layout, memory, taken: [first.bounds, second.bounds] });

    expect([first, second, third].map(({ bounds }) => bounds.x)).toEqual([0, 24, 48]);
    expect(second.isMaximized).toBe(false);
  });

  it('is always on one screen, whatever the stored bounds are', () => {
    const edge = fc.integer({ min: -10_000, max: 10_000 });
    const size = fc.integer({ min: 1, max: 10_000 });
    fc.assert(
      fc.property(edge, edge, size, size, (x, y, width, height) => {
        const memory = remember(EMPTY, { screenId: '2', bounds: { x, y, width, height }, isMaximized: false });
        expect(isInside(nextWindow({ ...layout, memory }).bounds, DESK.workArea)).toBe(true);
      }),
    );
  });
});

describe('a window whose screen was taken away', () => {
  it('moves to an existing screen, and stays where enough of it is visible', () => {
    const onDesk = { x: 1500, y: 100, width: 1800, height: 1200 };

    expect(rescue(onDesk, [LAPTOP, DESK])).toBeUndefined();
    const back = rescue(onDesk, [LAPTOP]);
    expect(back && isInside(back, LAPTOP.workArea)).toBe(true);
    // Its title bar would be unreachable below the lower edge.
    expect(rescue({ x: 100, y: 890, width: 800, height: 600 }, [LAPTOP])).toMatchObject({ x: 100 });
  });
});

describe('the quick panel', () => {
  it('is 380 by 520 at the upper right', () => {
    expect(panelBounds(DESK.workArea)).toEqual({ x: 3604, y: 16, width: 380, height: 520 });
  });
});
