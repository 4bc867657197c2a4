import type { AuditAction } from '../../api/contract.ts';

/** The names of audited actions, in the order of the filter. */
export const AUDIT_ACTIONS: Record<AuditAction, string> = {
  token_read: 'Credentials read',
  proxy_call: 'Proxy call',
  scope_refused: 'Call refused',
  first_use: 'First use',
  new_process: 'New program',
  secret_revealed: 'Secret revealed',
  exported: 'Exported',
  key_created: 'Key created',
  key_changed: 'Key changed',
  key_revoked: 'Key revoked',
  app_paired: 'App paired',
  app_refused: 'App refused',
  environment_created: 'Environment created',
  environment_changed: 'Environment changed',
  environment_deleted: 'Environment deleted',
  imported: 'Imported',
  integration_created: 'Integration created',
  integration_changed: 'Integration changed',
  integration_deleted: 'Integration deleted',
  connection_imported: 'Connection imported',
  connection_changed: 'Connection changed',
  connection_deleted: 'Connection deleted',
  functions_changed: 'Functions changed',
  settings_changed: 'Settings changed',
  signing_key_changed: 'Signing key changed',
  master_key_changed: 'Master key changed',
  provider_approved: 'Provider approved',
  provider_removed: 'Provider removed',
  approval_answered: 'Call answered',
  mcp_policy_changed: 'Tool policy changed',
  limits_changed: 'Limits changed',
  agent_session_created: 'Agent session created',
  agent_session_changed: 'Agent session changed',
  agent_session_ended: 'Agent session ended',
  agent_call_undone: 'Call of an agent undone',
  command_run_started: 'Command started with placeholders',
  backup_made: 'Backup made',
  backup_deleted: 'Backup deleted',
};

export const AUDIT_ACTION_OPTIONS = Object.entries(AUDIT_ACTIONS).map(([value, label]) => ({ value, label }));
export const AUDIT_RESULT_OPTIONS = [
  { value: 'done', label: 'Done' },
  { value: 'refused', label: 'Refused' },
];
