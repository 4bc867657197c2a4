import { Violation, type World } from './world.ts';

/** Starts the hub until it runs; a kill during the start is one more kill. */
export async function startAgain(world: World): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) if (await world.start()) return;
  throw new Violation('the hub does not start');
}
