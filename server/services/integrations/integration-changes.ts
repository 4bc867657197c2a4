import type { Database, Transaction } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import {
  CHANGES_KEPT_MS,
  type IntegrationChangeRow,
  IntegrationChangesStore,
} from '../../stores/integration-changes-store.ts';
import type { IntegrationRow } from '../../stores/integrations-store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { ConfigChanges, IntegrationConfig } from './integration-config.ts';

interface IntegrationChangesOptions {
  database: Database;
  vault: Vault;
  clock: Clock;
}

/** `key`, `displayName`, `forwardWebhooks` and `config.<field>`; null: it had no value. Secret values are among them. */
export interface FieldChange {
  field: string;
  before: string | null;
  after: string | null;
}

export interface IntegrationChange {
  id: number;
  at: number;
  /** It took back an earlier change. */
  isUndo: boolean;
  fields: FieldChange[];
  /** Fields that have another value since: undo would overwrite that. */
  changedSince: string[];
}

/** What undo puts back, as a save would have it. */
export interface UndoneFields {
  uniqueKey: string | undefined;
  /** Null: the provider's name. */
  displayName: string | null | undefined;
  forwardsWebhooks: boolean | undefined;
  config: ConfigChanges;
}

/** All that a person can change about an integration. */
type State = Record<string, string>;

const CONFIG = 'config.';

/** What saves changed about integrations in the last 30 days. The audit says that something was done, never a value. */
export class IntegrationChanges {
  readonly #options: IntegrationChangesOptions;
  readonly #store = new IntegrationChangesStore();

  constructor(options: IntegrationChangesOptions) {
    this.#options = options;
  }

  /** Newest first. */
  async list(row: IntegrationRow, config: IntegrationConfig): Promise<IntegrationChange[]> {
    const rows = await this.#store.list(this.#options.database.reader, row.id, this.#since());
    const state = stateOf(row, config);
    return rows.map((one) => {
      const fields = this.#open(one);
      return { id: one.id, at: one.at, isUndo: one.undoes !== null, fields, changedSince: changedSince(fields, state) };
    });
  }

  /** Called in the transaction of the save; one without a difference writes nothing. `at` is the stamp of the save. */
  async record(
    tx: Transaction,
    before: { row: IntegrationRow; config: IntegrationConfig },
    after: { row: IntegrationRow; config: IntegrationConfig },
    undoes: number | null,
  ): Promise<void> {
    const fields = differences(stateOf(before.row, before.config), stateOf(after.row, after.config));
    if (fields.length === 0) return;
    const { id: integrationId, updatedAt: at } = after.row;
    const sealed = this.#options.vault.sealJson(fields, context(integrationId, at));
    await this.#store.insert(tx, { integrationId, at, undoes, sealed });
  }

  /** Throws `not_found` when it is no longer kept, and `conflict` when one of its fields changed again since. */
  async readUndo(
    tx: Transaction,
    { row, config }: { row: IntegrationRow; config: IntegrationConfig },
    changeId: number,
  ): Promise<UndoneFields> {
    const found = await this.#store.find(tx, row.id, changeId, this.#since());
    if (!found) throw new HomeportError('not_found', 'This change is no longer kept; changes are kept for 30 days.');
    const fields = this.#open(found);
    const changed = changedSince(fields, stateOf(row, config));
    if (changed.length > 0)
      throw new HomeportError(
        'conflict',
        `Changed again since: ${changed.map(nameOf).join(', ')}. Undo the later change first, or enter the value by hand.`,
      );
    const before = new Map(fields.map((one) => [one.field, one.before]));
    const forwards = before.get('forwardWebhooks');
    return {
      uniqueKey: before.get('key') ?? undefined,
      displayName: before.get('displayName'),
      forwardsWebhooks: forwards === undefined ? undefined : forwards === 'true',
      config: Object.fromEntries(
        fields.filter(({ field }) => field.startsWith(CONFIG)).map((one) => [nameOf(one.field), one.before]),
      ),
    };
  }

  /** Its secrets go with it. */
  async remove(tx: Transaction, integrationId: number): Promise<void> {
    await this.#store.removeOfIntegration(tx, integrationId);
  }

  #since(): number {
    return this.#options.clock.now() - CHANGES_KEPT_MS;
  }

  #open({ integrationId, at, sealed }: IntegrationChangeRow): FieldChange[] {
    return this.#options.vault.openJson(sealed, context(integrationId, at));
  }
}

function context(integrationId: number, at: number): string {
  return `integration:${integrationId}:change:${at}`;
}

function stateOf(row: IntegrationRow, config: IntegrationConfig): State {
  return {
    key: row.uniqueKey,
    ...(row.displayName === null ? {} : { displayName: row.displayName }),
    forwardWebhooks: String(row.forwardsWebhooks),
    ...Object.fromEntries(Object.entries(config).map(([field, value]) => [CONFIG + field, value])),
  };
}

function differences(before: State, after: State): FieldChange[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
    .filter((one) => one.before !== one.after);
}

function changedSince(fields: readonly FieldChange[], state: State): string[] {
  return fields.filter((one) => (state[one.field] ?? null) !== one.after).map(({ field }) => field);
}

function nameOf(field: string): string {
  return field.startsWith(CONFIG) ? field.slice(CONFIG.length) : field;
}
