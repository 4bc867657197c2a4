import type { ShownConflictRule, ShownTransferPart, ShownTransferRow } from '../../api/contract.ts';

type Kind = ShownTransferRow['kind'];

export const KIND_NAMES: Record<Kind, string> = {
  settings: 'Settings',
  destination: 'Webhook destination',
  'record-destination': 'Destination of records',
  query: 'Saved query',
  provider: 'Provider',
  integration: 'Integration',
  connection: 'Connection',
  function: 'Function file',
};

/** The parts that can be selected, and the rows that belong to them. */
export const PARTS: ReadonlyArray<{ id: ShownTransferPart; label: string; kinds: readonly Kind[] }> = [
  { id: 'integrations', label: 'Integrations and their providers', kinds: ['integration', 'provider'] },
  { id: 'connections', label: 'Connections with metadata', kinds: ['connection'] },
  { id: 'functions', label: 'Functions', kinds: ['function'] },
  {
    id: 'settings',
    label: 'Settings and variables',
    kinds: ['settings', 'destination', 'record-destination', 'query'],
  },
];

export const CONFLICT_RULES: ReadonlyArray<{ id: ShownConflictRule; label: string; text: string }> = [
  { id: 'skip', label: 'Skip', text: 'Existing items stay as they are.' },
  { id: 'rename', label: 'Rename', text: 'Both stay: the imported item gets a number at the end of its ID.' },
  { id: 'replace', label: 'Replace', text: 'Imported items replace existing ones.' },
];

export const OUTCOME_NAMES: Record<ShownTransferRow['outcome'], string> = {
  created: 'Created',
  replaced: 'Replaced',
  renamed: 'Renamed',
  skipped: 'Skipped',
  failed: 'Failed',
};
