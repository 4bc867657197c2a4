import { HomeportError } from '../../lib/homeport-error.ts';
import { BASE_VARIANT, checkpointKeyOf } from './scheduled-sync.ts';
import type { SyncCreation } from './sync-creation.ts';
import type { SyncParts } from './sync-schedules-options.ts';
import type { SyncAddress, SyncTargets } from './sync-targets.ts';

/** Syncs of one name on one connection. */
const MOST_VARIANTS = 100;

/** Further copies of a sync on one connection, each with its own schedule, checkpoint and records (1.11). */
export class SyncVariants {
  readonly #parts: SyncParts;
  readonly #targets: SyncTargets;
  readonly #creation: SyncCreation;

  constructor(parts: SyncParts, targets: SyncTargets, creation: SyncCreation) {
    this.#parts = parts;
    this.#targets = targets;
    this.#creation = creation;
  }

  async create(address: SyncAddress): Promise<{ id: string; name: string; variant: string }> {
    const { name, variant, environmentId, connectionId } = address;
    checkVariant(variant);
    const place = await this.#targets.place(address);
    const definitions = await this.#parts.listDefinitions(environmentId, address.providerConfigKey);
    const definition = definitions.find((candidate) => candidate.name === name);
    return this.#parts.database.transaction(async (tx) => {
      const existing = await this.#parts.syncs.list(tx, { ...place, name });
      if (existing.length >= MOST_VARIANTS) {
        throw new HomeportError('resource_capped', `A connection has at most ${MOST_VARIANTS} variants of a sync.`);
      }
      if (existing.some((sync) => sync.variant === variant)) {
        throw new HomeportError('sync_variant_already_exists', 'The variant exists already.', { silent: true });
      }
      if (!definition) throw new HomeportError('unknown_sync', 'The integration has no such sync.', { silent: true });
      const [made] = await this.#creation.create(tx, [{ ...place, environmentId, connectionId }], definition, variant);
      if (!made) throw new HomeportError('failed_sync_variant_creation', 'The variant could not be created.');
      return { id: made.id, name, variant };
    });
  }

  async remove(address: SyncAddress): Promise<void> {
    checkVariant(address.variant);
    const sync = await this.#targets.find(address);
    if (!sync) throw new HomeportError('not_found', 'The connection has no such variant.', { silent: true });
    const { database, scheduler, records, syncs, onSyncsGone } = this.#parts;
    const definitions = await this.#parts.listDefinitions(address.environmentId, address.providerConfigKey);
    const models = definitions.find((definition) => definition.name === sync.name)?.models ?? [];
    await database.transaction(async (tx) => {
      await scheduler.schedules.remove(tx, [sync.id]);
      await records.empty(
        tx,
        models.map((model) => ({ ...sync, model })),
      );
      await records.removeCheckpoints(tx, sync.connectionRowId, checkpointKeyOf(sync));
      await syncs.remove(tx, [sync.id]);
      await onSyncsGone(tx, [sync]);
    });
  }
}

function checkVariant(variant: string): void {
  if (variant.toLowerCase() === BASE_VARIANT)
    throw new HomeportError('invalid_variant', `The variant name '${BASE_VARIANT}' is reserved.`);
}
