import type { Act } from './act.ts';
import { readConnection, textOf } from './calls.ts';
import type { ExpectedConnection } from './expectations.ts';
import type { World } from './world.ts';

/** An export of `dev`, and what its connections may have been while it was made. */
export interface MadeExport {
  file: object;
  connections: Map<string, { accounts: ReadonlySet<string>; metadata: ReadonlySet<string> }>;
  /** Accounts whose tokens may be in it. */
  accounts: string[];
}

interface Row {
  kind: string;
  name: string;
  outcome: 'created' | 'replaced' | 'renamed' | 'skipped' | 'failed';
}

const PARTS = ['settings', 'integrations', 'connections'];
const PASSPHRASE = 'a passphrase of the simulation';
const IDS = ['c0', 'c1', 'c2'];

async function exportDev(world: World): Promise<string> {
  if (world.isExporting) return 'one is under way';
  world.isExporting = true;
  const records = IDS.map((id) => {
    const { account, metadata } = world.expected.connection('dev', id);
    return { id, accounts: account.record(), metadata: metadata.record() };
  });
  try {
    const body = { parts: PARTS, passphrase: PASSPHRASE };
    const answer = await world.hub.dashboard('POST', '/api/v1/transfer/export?env=dev', body);
    if (answer.status !== 200) return textOf(answer);
    world.exported = {
      file: answer.body.file,
      connections: new Map(
        records.map(({ id, accounts, metadata }) => [id, { accounts: accounts.values, metadata: metadata.values }]),
      ),
      accounts: [...world.provider.accounts.keys()],
    };
    return `${answer.body.file.connections.length} connections`;
  } finally {
    for (const { accounts, metadata } of records) for (const record of [accounts, metadata]) record.stop();
    world.isExporting = false;
  }
}

/** Into the other environment, or back. */
async function importExport(world: World, pick: number): Promise<string> {
  const { expected, exported, hub, provider } = world;
  if (!exported) return 'there is none';
  const env = pick % 3 === 0 ? 'dev' : 'other';
  const targets = IDS.map((id) => expected.connection(env, id));
  if (targets.some(({ isBusy }) => isBusy)) return `${env} is busy`;
  for (const target of targets) target.isBusy = true;
  try {
    for (const target of targets) mayBecome(target, exported);
    // From now on two connections renew the same tokens, or one has tokens from before.
    for (const name of exported.accounts) {
      const account = provider.accounts.get(name);
      if (account) account.isShared = true;
    }
    const source = { kind: 'file', file: exported.file, passphrase: PASSPHRASE };
    const body = { source, conflict: 'replace', parts: PARTS };
    const answer = await hub.dashboard('POST', `/api/v1/transfer/import?env=${env}`, body);
    if (answer.status !== 200) return `${env}: ${textOf(answer)}`;
    for (const row of answer.body.data as Row[]) noteRow(world, row, targets, exported);
    for (const target of targets) await readConnection(world, target, false);
    return `${env}: ${(answer.body.data as Row[]).map(({ kind, name, outcome }) => `${kind} ${name} ${outcome}`).join(', ')}`;
  } finally {
    for (const target of targets) target.isBusy = false;
  }
}

function mayBecome(target: ExpectedConnection, { connections }: MadeExport): void {
  const { accounts = [], metadata = [] } = connections.get(target.id) ?? {};
  for (const account of accounts) if (account !== 'none') target.account.maybe(account);
  for (const one of metadata) target.metadata.maybe(one);
  target.metadata.maybe('');
  target.pausedAt = undefined;
}

/** What was imported is as it was exported. */
function noteRow(
  world: World,
  { kind, name, outcome }: Row,
  targets: readonly ExpectedConnection[],
  { connections }: MadeExport,
): void {
  const target = kind === 'connection' ? targets.find(({ id }) => name === `sim/${id}`) : undefined;
  const source = target && connections.get(target.id);
  if (!target || !source) return;
  if (outcome === 'failed') return;
  const accounts = [...source.accounts].filter((account) => account !== 'none');
  if (accounts.length === 0) world.violate(`${name} was exported, and did not exist`);
  target.account.become(accounts);
  target.metadata.become(source.metadata);
}

export const TRANSFER_ACTS = {
  'an export is made': { weight: 2, run: exportDev },
  'the export is imported': { weight: 2, run: importExport },
} as const satisfies Record<string, Act>;
