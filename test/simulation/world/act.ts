import type { World } from './world.ts';

export interface Act {
  /** How often it occurs, beside the others. */
  weight: number;
  /** Who does it; the world goes on by itself meanwhile. Resolves to what happened, for people. */
  run(world: World, pick: number): Promise<string>;
  /** Never overlaps: it changes the machine itself. */
  isAlone?: boolean;
}
