import type { ApprovalEvent, ApprovalRow } from '../../contract/dashboard/dashboard-mcp.ts';
import type { Approval, ApprovalChange } from '../../services/mcp/mcp-service.ts';
import { isoDate } from '../present/dates.ts';

export function viewApproval({ environmentId: _environment, askedAt, expiresAt, ...rest }: Approval): ApprovalRow {
  return { ...rest, askedAt: isoDate(askedAt), expiresAt: isoDate(expiresAt) };
}

export function viewApprovalChange({ approval, end }: ApprovalChange): ApprovalEvent {
  return {
    id: approval.id,
    state: stateOf(end),
    approval: end === undefined ? viewApproval(approval) : null,
  };
}

function stateOf(end: ApprovalChange['end']): ApprovalEvent['state'] {
  if (end === undefined) return 'asked';
  if (end === 'expired' || end === 'withdrawn') return end;
  return end.startsWith('allow') ? 'allowed' : 'denied';
}
