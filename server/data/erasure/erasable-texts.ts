import type { KeyObject } from 'node:crypto';
import { inputContext, runContext } from '../../dashboard/playground/playground.service.ts';
import { callContext } from '../../functions/actions.service.ts';
import { recordingContext } from '../../log/logs.service.ts';
import { sealBytes, unsealBytes } from '../../platform/vault/seal.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import { webhookContext } from '../../webhooks-in/incoming.service.ts';
import { attemptContext, deliveryContext } from '../../webhooks-out/notifications.service.ts';
import { type PersonRow, type PersonTableName, type PersonValue, textColumnsOf } from '../person-texts.store.ts';
import { eraseBytes } from './person.ts';

export interface ErasableTextsOptions {
  vault: Pick<Vault, 'openBytes' | 'seal'>;
  /** Key of recorded bodies. */
  recordingKey: () => KeyObject;
}

/** Contexts of the sealed columns. Columns that are not named are plain text. */
const SEALED: Partial<Record<PersonTableName, Record<string, (row: Pick<PersonRow, 'id' | 'key'>) => string>>> = {
  webhook_deliveries: { content: ({ id }) => deliveryContext(id, 'content') },
  webhook_attempts: {
    response: ({ id, key: [, destination, attempt] }) =>
      attemptContext(id, { destination: Number(destination), attempt: Number(attempt) }),
  },
  incoming_webhooks: {
    request: ({ id }) => webhookContext(id, 'request'),
    body: ({ id }) => webhookContext(id, 'body'),
  },
  action_calls: {
    request: ({ id }) => callContext(id, 'request'),
    response: ({ id }) => callContext(id, 'answer'),
  },
  playground_inputs: { request: ({ id }) => inputContext(id) },
  playground_runs: { run: ({ id }) => runContext(id) },
  traffic_recordings: {
    request: ({ id }) => recordingContext(id, 'request'),
    response: ({ id }) => recordingContext(id, 'answer'),
  },
};

/** Columns that hold a person's id or name and nothing else. */
const OF_PERSON: ReadonlySet<string> = new Set(['end_user_id', 'end_user_name']);

/** Removes a person from the values of a row. */
export function createErasableTexts({ vault, recordingKey }: ErasableTextsOptions) {
  /** The values without what `erase` removes; undefined when nothing changes. `isPersons`: the row's end user is the person. */
  function erased(
    table: PersonTableName,
    row: PersonRow,
    { erase, isPersons }: { erase: (text: string) => string; isPersons: boolean },
  ): PersonValue[] | undefined {
    const values = textColumnsOf(table).map((column, index): PersonValue => {
      const value = row.values[index] ?? null;
      if (value === null) return null;
      if (OF_PERSON.has(column)) return isPersons ? null : value;
      const context = SEALED[table]?.[column]?.(row);
      if (context === undefined) return typeof value === 'string' ? erase(value) : value;
      return eraseSealed(value, context, erase);
    });
    return values.some((value, index) => value !== row.values[index]) ? values : undefined;
  }

  /** The same value when nothing changes. */
  function eraseSealed(value: string | Buffer, context: string, erase: (text: string) => string): string | Buffer {
    const bytes =
      typeof value === 'string' ? vault.openBytes(value, context) : unsealBytes(recordingKey(), value, context);
    const erased = eraseBytes(bytes, erase);
    if (erased === bytes) return value;
    return typeof value === 'string' ? vault.seal(erased, context) : sealBytes(recordingKey(), erased, context);
  }

  return { erased };
}
