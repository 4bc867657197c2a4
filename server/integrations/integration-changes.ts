import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Vault } from '../platform/vault/vault.ts';
import { CHANGES_KEPT_MS, type IntegrationChangeRow, IntegrationChangesStore } from './integration-changes.store.ts';
import type { ConfigChanges, IntegrationConfig } from './integration-config.ts';
import type { IntegrationRow } from './integrations.store.ts';

/**
 * `key`, `displayName`, `forwardWebhooks` or `config.<field>`; null means that it had no value. Secret values are
 * included.
 */
export interface FieldChange {
  field: string;
  before: string | null;
  after: string | null;
}

export interface IntegrationChange {
  id: number;
  at: number;
  /** True when it reverted an earlier change. */
  isUndo: boolean;
  fields: FieldChange[];
  /** Fields that were changed again since, which an undo would overwrite. */
  changedSince: string[];
}

/** The fields that an undo restores, in the form of a save. */
export interface UndoneFields {
  uniqueKey: string | undefined;
  /** Null means the provider's name. */
  displayName: string | null | undefined;
  forwardsWebhooks: boolean | undefined;
  config: ConfigChanges;
}

/** Everything that a person can change about an integration. */
type State = Record<string, string>;

const CONFIG = 'config.';

/** Changes that saves made to integrations in the last 30 days, with values. The audit has no values. */
export function createIntegrationChanges({
  database,
  vault,
  clock,
}: {
  database: Database;
  vault: Vault;
  clock: Clock;
}) {
  const store = new IntegrationChangesStore();

  /** Newest first. */
  async function list(row: IntegrationRow, config: IntegrationConfig): Promise<IntegrationChange[]> {
    const rows = await store.list(database.reader, row.id, since());
    const state = stateOf(row, config);
    return rows.map((one) => {
      const fields = open(one);
      return { id: one.id, at: one.at, isUndo: one.undoes !== null, fields, changedSince: changedSince(fields, state) };
    });
  }

  /**
   * Call it in the transaction of the save. Writes nothing when nothing differs. `at` is the time stamp of the save.
   */
  async function record(
    tx: Transaction,
    before: { row: IntegrationRow; config: IntegrationConfig },
    after: { row: IntegrationRow; config: IntegrationConfig },
    undoes: number | null,
  ): Promise<void> {
    const fields = differences(stateOf(before.row, before.config), stateOf(after.row, after.config));
    if (fields.length === 0) return;
    const { id: integrationId, updatedAt: at } = after.row;
    const sealed = vault.sealJson(fields, context(integrationId, at));
    await store.insert(tx, { integrationId, at, undoes, sealed });
  }

  /** Throws `not_found` when the change was removed, and `conflict` when one of its fields was changed again since. */
  async function readUndo(
    tx: Transaction,
    { row, config }: { row: IntegrationRow; config: IntegrationConfig },
    changeId: number,
  ): Promise<UndoneFields> {
    const found = await store.find(tx, row.id, changeId, since());
    if (!found) throw new HomeportError('not_found', 'This change is no longer kept; changes are kept for 30 days.');
    const fields = open(found);
    const changed = changedSince(fields, stateOf(row, config));
    if (changed.length > 0)
      throw new HomeportError(
        'conflict',
        `These fields were changed again later: ${changed.map(nameOf).join(', ')}. Undo the later change first, or enter the value by hand.`,
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

  /** Also removes the secrets in its changes. */
  async function remove(tx: Transaction, integrationId: number): Promise<void> {
    await store.removeOfIntegration(tx, integrationId);
  }

  function since(): number {
    return clock.now() - CHANGES_KEPT_MS;
  }

  function open({ integrationId, at, sealed }: IntegrationChangeRow): FieldChange[] {
    return vault.openJson(sealed, context(integrationId, at));
  }

  return { list, record, readUndo, remove };
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
