import type { RecordDiffResponse, RecordVersionRow } from '../../server/records/dashboard-history.contract.ts';
import type { ShownRecordAction } from '../../server/records/dashboard-records.contract.ts';
import { diffRecords } from '../../server/records/record-history.ts';
import type { FixtureRecord } from './dashboard-fixture-state.ts';

/** The versions of a fixture record, newest first. */
const LIVES: Record<ShownRecordAction, ShownRecordAction[]> = {
  ADDED: ['ADDED'],
  UPDATED: ['UPDATED', 'UPDATED', 'UPDATED', 'ADDED'],
  DELETED: ['DELETED', 'ADDED'],
};
const DAY_MS = 86_400_000;

export function fixtureVersions({ detail }: FixtureRecord): RecordVersionRow[] {
  return LIVES[detail.action].map((action, index) => ({
    at: new Date(Date.parse(detail.modifiedAt) - index * DAY_MS).toISOString(),
    action,
    operationId: action === 'ADDED' && index > 1 ? null : `op-${index}`,
    isPruned: false,
  }));
}

/** The newest version of the invoice is paid; its lines were added one by one. */
function contentAt(record: FixtureRecord, at: string): Record<string, unknown> {
  const age = fixtureVersions(record).findIndex((version) => version.at === at);
  const payload = { ...record.detail.payload };
  if (age === 0) return payload;
  const { paid_on: _paid, ...unpaid } = payload;
  const lines = (unpaid['lines'] as unknown[]).slice(0, age > 1 ? 1 : 2);
  return { ...unpaid, status: age > 2 ? 'DRAFT' : 'AUTHORISED', note: 'Waiting for approval', lines };
}

export function fixtureDiff(record: FixtureRecord, between: { from: string; to: string }): RecordDiffResponse {
  const from = contentAt(record, between.from);
  const to = contentAt(record, between.to);
  return { from, to, changes: diffRecords(from, to) };
}
