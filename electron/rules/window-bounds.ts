import { z } from 'zod';

const rectangle = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
export type Rectangle = z.infer<typeof rectangle>;

/** Stored positions of windows: one entry for each screen that ever showed one. */
export const windowMemory = z.object({
  /** Id of the screen with the window used last. */
  lastScreen: z.string().nullable().default(null),
  screens: z.record(z.string(), z.object({ bounds: rectangle, isMaximized: z.boolean() })).default({}),
});
export type WindowMemory = z.infer<typeof windowMemory>;

export interface ScreenArea {
  id: string;
  /** Area without task bar and menu bar, in the common coordinates of all screens. */
  workArea: Rectangle;
}

interface Layout {
  screens: readonly ScreenArea[];
  primaryId: string;
  memory: WindowMemory;
  /** Bounds of the open windows. */
  taken: readonly Rectangle[];
}

export const SMALLEST = { width: 640, height: 480 };
const USUAL = { width: 1280, height: 800 };
const STEP = 24;
/** This much of the upper edge must be visible, so that a person can move the window. */
const GRIP = { width: 120, height: 40 };

/**
 * Bounds of the next window: on the screen used last if it is connected, as stored for it, shifted so that it covers no
 * open window exactly.
 */
export function nextWindow({ screens, primaryId, memory, taken }: Layout): { bounds: Rectangle; isMaximized: boolean } {
  const byId = (id: string | null): ScreenArea | undefined => screens.find((screen) => screen.id === id);
  const screen = byId(memory.lastScreen) ?? byId(primaryId) ?? screens[0];
  if (!screen) return { bounds: { x: 0, y: 0, ...USUAL }, isMaximized: false };
  const remembered = memory.screens[screen.id];
  let bounds = fitInto(remembered?.bounds ?? centered(screen.workArea), screen.workArea);
  const isTaken = ({ x, y }: Rectangle): boolean => taken.some((other) => other.x === x && other.y === y);
  // After as many steps as there are windows, one position is free.
  for (let step = 0; step < taken.length && isTaken(bounds); step++)
    bounds = fitInto({ ...bounds, x: bounds.x + STEP, y: bounds.y + STEP }, screen.workArea);
  return { bounds, isMaximized: taken.length === 0 && (remembered?.isMaximized ?? false) };
}

/** Returns the stored positions after a window was used at these bounds. */
export function remember(
  memory: WindowMemory,
  window: { screenId: string; bounds: Rectangle; isMaximized: boolean },
): WindowMemory {
  const { screenId, bounds, isMaximized } = window;
  return { lastScreen: screenId, screens: { ...memory.screens, [screenId]: { bounds, isMaximized } } };
}

/** New bounds for a window whose screen was disconnected; undefined when enough of it is still visible. */
export function rescue(bounds: Rectangle, screens: readonly ScreenArea[]): Rectangle | undefined {
  const isReachable = screens.some(({ workArea }) => {
    const width = Math.min(bounds.x + bounds.width, workArea.x + workArea.width) - Math.max(bounds.x, workArea.x);
    const isInHeight = bounds.y >= workArea.y && bounds.y + GRIP.height <= workArea.y + workArea.height;
    return width >= GRIP.width && isInHeight;
  });
  const [first] = screens;
  return isReachable || !first ? undefined : fitInto(bounds, first.workArea);
}

/** The quick panel: 380 × 520 at the upper right of the screen. */
export function panelBounds(workArea: Rectangle): Rectangle {
  const size = { width: 380, height: 520 };
  return fitInto({ ...size, x: workArea.x + workArea.width - size.width - 16, y: workArea.y + 16 }, workArea);
}

function centered(area: Rectangle): Rectangle {
  const width = Math.min(USUAL.width, area.width);
  const height = Math.min(USUAL.height, area.height);
  return {
    x: area.x + Math.round((area.width - width) / 2),
    y: area.y + Math.round((area.height - height) / 2),
    width,
    height,
  };
}

function fitInto(bounds: Rectangle, area: Rectangle): Rectangle {
  const width = Math.min(bounds.width, area.width);
  const height = Math.min(bounds.height, area.height);
  const within = (value: number, from: number, span: number): number =>
    Math.round(Math.min(Math.max(value, from), from + span));
  return {
    x: within(bounds.x, area.x, area.width - width),
    y: within(bounds.y, area.y, area.height - height),
    width,
    height,
  };
}
