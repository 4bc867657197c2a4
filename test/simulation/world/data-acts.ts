import { join } from 'node:path';
import { realFiles } from '../seams/simulated-files.ts';
import type { Act } from './act.ts';
import { readConnection, textOf } from './calls.ts';
import { databaseFiles } from './check-keys.ts';
import { contentOf, wrappedKeyOf } from './database-content.ts';
import { KeptState } from './kept-state.ts';
import { doubtEnds } from './key-limit-acts.ts';
import { startAgain } from './start-again.ts';
import type { World } from './world.ts';

/** A restore changes files so often. */
const FILE_CALLS = 18;

const backupsOf = ({ home }: World): string => join(home, 'backups');

async function backUp(world: World): Promise<string> {
  if (world.isBackingUp) return 'one is under way';
  world.isBackingUp = true;
  const state = new KeptState(world);
  try {
    const answer = await world.hub.dashboard('POST', '/api/v1/data/backups');
    if (answer.status === 200) world.backups.push({ name: answer.body.name, state });
    return answer.status === 200 ? answer.body.name : textOf(answer);
  } finally {
    state.end();
    world.isBackingUp = false;
  }
}

/** The hub keeps the newest few, by the clock that it had. */
async function restore(world: World, pick: number): Promise<string> {
  const { hub, machine } = world;
  if (world.areFilesLost) return 'the files are lost';
  const there = world.backups.filter(({ name }) => realFiles.existsSync(join(backupsOf(world), name)));
  const backup = there[pick % there.length];
  if (!backup) return 'there is none';
  if (pick % 2 === 0) await world.kill(false);
  else {
    machine.boot.isFull = false;
    await world.stop();
  }
  const file = join(backupsOf(world), backup.name);
  const before = contentOf(world.databaseFile());
  const wanted = contentOf(file);
  const isKilled = pick % 3 === 0;
  if (isKilled) {
    await restoreFile(world, file, 1 + (Math.floor(pick / 3) % FILE_CALLS));
    const now = contentOf(world.databaseFile());
    if (now !== before && now !== wanted) world.violate('a killed restore left neither the old state nor the new one');
  }
  // As the person does who sees that it has not ended.
  await restoreFile(world, file);
  if (contentOf(world.databaseFile()) !== wanted)
    world.violate(`${backup.name} was restored, and the state is another`);
  backup.state.apply(world.provider);
  doubtEnds(world);
  await startAgain(world);
  for (const connection of world.expected.connections.values())
    if (hub.isOn) await machine.until('a read', readConnection(world, connection, false));
  backup.state.keepDoubts();
  return `${backup.name}${isKilled ? ', after a kill' : ''}`;
}

/** With `killAt` the process ends at so many changes of files. */
async function restoreFile(world: World, file: string, killAt?: number): Promise<void> {
  const { beginning, hub, machine } = world;
  machine.newBoot();
  const work = async (): Promise<void> => {
    const data = await beginning.modules.OfflineData.open(hub.config, machine.clock);
    await data.restore(file);
    await data.close();
  };
  if (killAt === undefined) return machine.until('a restore', work());
  machine.boot.setFault({ kind: 'file', at: killAt, how: 'end-after' });
  let isDone = false;
  void work().then(
    () => {
      isDone = true;
    },
    () => {},
  );
  await machine.run(() => isDone || !machine.boot.isOn, 60_000);
  await world.kill(false);
}

export async function changeKey(world: World, pick: number): Promise<string> {
  if (!world.hub.isOn || world.areFilesLost) return 'the hub is off';
  const isMoved = pick % 3 === 2;
  const sealed = isMoved ? [] : databaseFiles(world).map(wrappedKeyOf);
  world.isKeyChanged = true;
  const to = pick % 2 === 0 ? 'keychain' : 'file';
  const answer = await world.hub.dashboard(
    'POST',
    '/api/v1/data/key',
    isMoved ? { action: 'move', to } : { action: 'rotate' },
  );
  if (answer.status === 200) for (const one of sealed) world.oldSealedKeys.add(one);
  return `${isMoved ? `moved to the ${to}` : 'a new one'} → ${textOf(answer)}`;
}

export const DATA_ACTS = {
  'a backup is made': { weight: 4, run: backUp },
  'a backup is restored': { weight: 2, run: restore, isAlone: true },
  'the master key is changed': { weight: 3, run: changeKey },
} as const satisfies Record<string, Act>;
