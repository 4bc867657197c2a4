type Tone = 'ok' | 'bad' | 'warn' | 'run' | 'mute';
export type StatusIconName =
  | 'check'
  | 'alert'
  | 'triangle'
  | 'running'
  | 'waiting'
  | 'pause'
  | 'ban'
  | 'timeout'
  | 'plus'
  | 'pencil'
  | 'trash'
  | 'eye';

export interface StatusLook {
  label: string;
  tone: Tone;
  icon: StatusIconName;
}

export const OPERATION_LOOK: Record<string, StatusLook> = {
  waiting: { label: 'Waiting', tone: 'mute', icon: 'waiting' },
  running: { label: 'Running', tone: 'run', icon: 'running' },
  success: { label: 'Success', tone: 'ok', icon: 'check' },
  failed: { label: 'Failed', tone: 'bad', icon: 'alert' },
  timeout: { label: 'Timeout', tone: 'warn', icon: 'timeout' },
  cancelled: { label: 'Cancelled', tone: 'mute', icon: 'ban' },
};

const WARNED: StatusLook = { label: 'Succeeded with a warning', tone: 'warn', icon: 'triangle' };

/** How an operation ended; a success that names an error is one with a warning. */
export const operationLook = ({ state, error }: { state: string; error?: unknown }): StatusLook =>
  state === 'success' && error ? WARNED : lookOf(OPERATION_LOOK, state);

export const CONNECTION_LOOK: Record<string, StatusLook> = {
  ok: { label: 'Healthy', tone: 'ok', icon: 'check' },
  auth_error: { label: 'Sign-in needed', tone: 'bad', icon: 'alert' },
  sync_error: { label: 'Sync failing', tone: 'bad', icon: 'alert' },
  paused: { label: 'Paused', tone: 'mute', icon: 'pause' },
  running: { label: 'Running', tone: 'run', icon: 'running' },
  expires: { label: 'Expires soon', tone: 'warn', icon: 'triangle' },
};

export const SYNC_LOOK: Record<string, StatusLook> = {
  RUNNING: { label: 'Running', tone: 'run', icon: 'running' },
  PAUSED: { label: 'Paused', tone: 'mute', icon: 'pause' },
  STOPPED: { label: 'Stopped', tone: 'mute', icon: 'ban' },
  SUCCESS: { label: 'Succeeded', tone: 'ok', icon: 'check' },
  ERROR: { label: 'Failed', tone: 'bad', icon: 'alert' },
  CANCELLED: { label: 'Cancelled', tone: 'mute', icon: 'ban' },
  NONE: { label: 'Not run', tone: 'mute', icon: 'waiting' },
};

export const FUNCTION_LOOK: Record<string, StatusLook> = {
  ok: { label: 'OK', tone: 'ok', icon: 'check' },
  type_error: { label: 'Type error', tone: 'warn', icon: 'triangle' },
  compile_error: { label: 'Does not compile', tone: 'bad', icon: 'alert' },
  file_missing: { label: 'File missing', tone: 'warn', icon: 'triangle' },
  no_integration: { label: 'No integration', tone: 'warn', icon: 'triangle' },
};

export const RECORD_LOOK: Record<string, StatusLook> = {
  ADDED: { label: 'Added', tone: 'ok', icon: 'plus' },
  UPDATED: { label: 'Updated', tone: 'ok', icon: 'pencil' },
  DELETED: { label: 'Deleted', tone: 'mute', icon: 'trash' },
};

export const DELIVERY_LOOK: Record<string, StatusLook> = {
  waiting: { label: 'Waiting', tone: 'run', icon: 'waiting' },
  delivered: { label: 'Delivered', tone: 'ok', icon: 'check' },
  failed: { label: 'Failed', tone: 'bad', icon: 'alert' },
};

export const INCOMING_LOOK: Record<string, StatusLook> = {
  handled: { label: 'Handled', tone: 'ok', icon: 'check' },
  forwarded: { label: 'Forwarded', tone: 'ok', icon: 'check' },
  ignored: { label: 'Nobody listened', tone: 'mute', icon: 'ban' },
  failed: { label: 'Failed', tone: 'bad', icon: 'alert' },
  handshake: { label: 'Handshake', tone: 'ok', icon: 'check' },
  refused: { label: 'Refused', tone: 'bad', icon: 'ban' },
  error: { label: 'Error', tone: 'bad', icon: 'alert' },
};

/** For an incoming webhook: whether its sender is verified. */
export const SIGNATURE_LOOK: Record<string, StatusLook> = {
  valid: { label: 'Valid', tone: 'ok', icon: 'check' },
  invalid: { label: 'Invalid', tone: 'bad', icon: 'ban' },
  unchecked: { label: 'Not checked', tone: 'mute', icon: 'eye' },
  skipped: { label: 'Skipped', tone: 'mute', icon: 'eye' },
  unsupported: { label: 'Not supported', tone: 'mute', icon: 'ban' },
};

export const WEBHOOK_RUN_LOOK: Record<string, StatusLook> = {
  queued: { label: 'Waiting', tone: 'mute', icon: 'waiting' },
  running: { label: 'Running', tone: 'run', icon: 'running' },
  success: { label: 'Success', tone: 'ok', icon: 'check' },
  failed: { label: 'Failed', tone: 'bad', icon: 'alert' },
  expired: { label: 'Expired', tone: 'warn', icon: 'timeout' },
};

export const TEST_LOOK: Record<string, StatusLook> = {
  none: { label: 'Not run', tone: 'mute', icon: 'waiting' },
  running: { label: 'Running', tone: 'run', icon: 'running' },
  passed: { label: 'Passed', tone: 'ok', icon: 'check' },
  differs: { label: 'Differs', tone: 'bad', icon: 'alert' },
  failed: { label: 'Failed', tone: 'bad', icon: 'alert' },
  broken: { label: 'Cannot run', tone: 'warn', icon: 'triangle' },
};

export const CREDENTIAL_TEST_LOOK: Record<string, StatusLook> = {
  accepted: { label: 'Works', tone: 'ok', icon: 'check' },
  refused: { label: 'Refused', tone: 'bad', icon: 'alert' },
  not_tested: { label: 'Not tested', tone: 'warn', icon: 'triangle' },
  no_test: { label: 'No test', tone: 'mute', icon: 'ban' },
};

const UNKNOWN: StatusLook = { label: 'Unknown', tone: 'mute', icon: 'ban' };

export const lookOf = (table: Record<string, StatusLook>, value: string): StatusLook =>
  table[value] ?? { ...UNKNOWN, label: value };

const TRIGGERS: Readonly<Record<string, string>> = { api: 'API', ui: 'UI', mcp: 'MCP' };

/** Who started an operation: `schedule`, `API`, `UI`, `webhook`, … */
export const triggerName = (trigger: string): string => TRIGGERS[trigger] ?? trigger;
