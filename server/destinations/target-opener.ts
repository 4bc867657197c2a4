import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { type MarkedPosition, readPosition, targetMarks } from './destination-marks.ts';
import type { DeliveryTarget, OpenTarget, TargetStart } from './destination-target.ts';
import type { DestinationRow, DestinationsStore } from './destinations.store.ts';

interface Run extends Pick<TargetStart, 'delivered' | 'signal'> {
  environment: { id: number; name: string };
  /** The last stamp of a change, in microseconds. */
  lastStamp: number;
}

/** Opens targets with a mark, so that a later run knows whether the hub is a restored backup. */
export function createTargetOpener({
  database,
  destinationsStore,
  clock,
  ids,
  logger,
  targetOf,
}: {
  database: Database;
  destinationsStore: DestinationsStore;
  clock: Clock;
  ids: Pick<Ids, 'uuid'>;
  logger: Logger;
  targetOf(row: DestinationRow): DeliveryTarget;
}) {
  const store = (row: DestinationRow, position: MarkedPosition): Promise<void> =>
    database.transaction((tx) => destinationsStore.setPosition(tx, row.seq, JSON.stringify(position)), {
      durable: true,
    });

  /** A replay of everything, unless it has begun: a target that is away is told later. Resolves to its generation. */
  async function startReplay(row: DestinationRow): Promise<number> {
    if (row.replayFrom === 0) return row.generation;
    await database.transaction(
      (tx) => destinationsStore.startReplay(tx, row.seq, { from: 0, generation: clock.now() * 1000 }),
      { durable: true },
    );
    return (await destinationsStore.find(database.reader, row.id))?.generation ?? row.generation;
  }

  return async (row: DestinationRow, { delivered, environment, lastStamp, signal }: Run): Promise<OpenTarget> => {
    const position = readPosition(row.position);
    const next = position.next ?? { id: ids.uuid(), stamp: lastStamp };
    if (!position.next) await store(row, { ...position, next });
    const marks = targetMarks(position, next, { isReplay: row.replayFrom === 0, now: clock.now() });
    const target = await targetOf(row).open({
      destinationId: row.id,
      environment: { id: environment.id, name: environment.name },
      generation: row.generation,
      replayFrom: row.replayFrom,
      position: position.own,
      delivered,
      marks,
      signal,
    });
    const { isAhead } = target;
    // Until the target has the new mark, what it must not keep begins at the earlier stamp.
    const mark = isAhead ? { id: next.id, stamp: marks.stamp } : next;
    const aheadAt = isAhead ? clock.now() : position.aheadAt;
    const noted = (): MarkedPosition => ({ mark, next: null, aheadAt, own: target.position() });
    if (isAhead) {
      logger.warn({ destination: row.id }, 'A record destination has changes that this hub does not know.');
      // In this order: a kill in between begins anew.
      await target.tellRestored?.(target.cursors ? row.generation : await startReplay(row));
      await store(row, noted());
      await target.leaveMark?.();
    }
    return { ...target, position: () => JSON.stringify(noted()) };
  };
}
