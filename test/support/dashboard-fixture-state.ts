import type { PlaygroundRun, SavedPlaygroundInput } from '../../server/dashboard/dashboard-playground.contract.ts';
import type { EnvironmentListItem, SessionRow } from '../../server/environments/dashboard-environment.contract.ts';
import type { ShownIntegrationChange } from '../../server/integrations/dashboard-integrations.contract.ts';
import type { RecordDetail } from '../../server/records/dashboard-records.contract.ts';
import { DRIFT_OFF } from './dashboard-fixture-drift.ts';
import {
  at,
  operation,
  seedConnections,
  seedFunctions,
  seedIntegrations,
  seedProviders,
  seedSyncs,
} from './dashboard-fixture-seeds.ts';
import { DEFAULT_SETTINGS, seedDestinations, seedIncoming, seedWebhooks } from './dashboard-fixture-webhook-seeds.ts';

export interface FixtureRecord {
  detail: RecordDetail;
  preview: Record<string, string | number | boolean | null>;
}

export interface FixtureOptions {
  /** An empty hub, as on the first start. */
  isEmpty?: boolean;
  /** The time on which all others are based, in milliseconds; default: the current one. */
  now?: number;
  operations?: number;
  records?: number;
  /** Whether versions of records are kept; default: true. */
  hasHistory?: boolean;
  /** The session must be obtained with the pairing code. */
  isLocked?: boolean;
}

const CONTACTS = [
  'Brightwell Foods',
  'Dune Robotics',
  'Ember Post',
  'Kestrel Health',
  'Orchard Legal',
  'Marlow Textiles',
  'Fernhill Dental',
];

function seedRecords(now: number, count: number): FixtureRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const action = index % 9 === 4 ? 'DELETED' : index % 3 === 0 ? 'UPDATED' : 'ADDED';
    const total = ([96.5, 96, 96.25][index % 3] ?? 0) + ((index * 7919) % 18_400);
    const contact = CONTACTS[index % CONTACTS.length] ?? '';
    const id = `INV-${20_418 - index}`;
    return {
      preview: { contact, total, status: index % 4 ? 'PAID' : 'AUTHORISED' },
      detail: {
        id,
        action,
        firstSeenAt: at(now, -60 * 24 * 9),
        modifiedAt: at(now, -index * 3),
        deletedAt: action === 'DELETED' ? at(now, -index * 3) : null,
        cursor: Buffer.from(`${index}||${id}`).toString('base64'),
        payload: {
          id,
          contact,
          status: 'PAID',
          currency: 'EUR',
          total,
          paid_on: '2026-11-20',
          lines: [
            { sku: 'OAT-12', qty: 40, price: 12.5 },
            { sku: 'RYE-03', qty: 8, price: 4.25 },
          ],
          note: null,
          isReconciled: true,
        },
      },
    };
  });
}

function seedSessions(now: number): SessionRow[] {
  const day = 24 * 60;
  return [
    {
      id: 's1',
      browser: 'Chrome on Linux',
      isCurrent: true,
      createdAt: at(now, -2 * day),
      lastUsedAt: at(now, -1),
      expiresAt: at(now, 28 * day),
    },
    {
      id: 's2',
      browser: 'Homeport app on macOS',
      isCurrent: false,
      createdAt: at(now, -9 * day),
      lastUsedAt: at(now, -180),
      expiresAt: at(now, 21 * day),
    },
    {
      id: 's3',
      browser: 'Firefox on Windows',
      isCurrent: false,
      createdAt: at(now, -29 * day),
      lastUsedAt: at(now, -12 * day),
      expiresAt: at(now, day),
    },
  ];
}

/** A long list is made when something reads it for the first time: most tests never do. */
function atFirstRead<Row>(make: () => Row[]): () => Row[] {
  let rows: Row[] | undefined;
  return () => {
    rows ??= make();
    return rows;
  };
}

/** The state of the fixture server; tests may change it. */
export function createFixtureState(options: FixtureOptions) {
  const now = options.now ?? Date.now();
  const providers = seedProviders();
  const integrations = options.isEmpty ? [] : seedIntegrations(now, providers);
  const connections = options.isEmpty ? [] : seedConnections(now, integrations);
  const functions = options.isEmpty ? [] : seedFunctions(now);
  const count = options.isEmpty ? 0 : (options.operations ?? 1318);
  for (const one of integrations) {
    const own = connections.filter(({ detail }) => detail.integrationKey === one.key);
    one.connectionCount = own.length;
    one.errorCount = own.filter(({ detail }) => detail.errors.length > 0).length;
    const mine = functions.filter((fn) => fn.integrationKey === one.key);
    one.functionCount = mine.length;
    one.functionsEnabled = mine.filter((fn) => fn.isEnabled).length;
  }
  // An operation keeps the names that its connection had at its time.
  const owners = connections.map((one) => ({ ...one, detail: { ...one.detail } }));
  const operations = atFirstRead(() =>
    Array.from({ length: count }, (_, index) => operation(now, index, owners, 3 + index * 11)),
  );
  const records = atFirstRead(() => (options.isEmpty ? [] : seedRecords(now, options.records ?? 3412)));
  return {
    now,
    isLocked: options.isLocked ?? false,
    sessions: seedSessions(now),
    /** The setting of the environment; null: the hub's own address. */
    callbackUrl: null as string | null,
    environments: [
      { name: 'dev', isProduction: false, colour: 'petrol' },
      { name: 'prod', isProduction: true, colour: 'orange' },
    ] as EnvironmentListItem[],
    providers,
    integrations,
    integrationChanges: [] as ShownIntegrationChange[],
    driftWatch: DRIFT_OFF,
    connections,
    functions,
    playground: [] as PlaygroundRun[],
    savedInputs: [] as SavedPlaygroundInput[],
    syncs: seedSyncs(now),
    get operations() {
      return operations();
    },
    webhooks: options.isEmpty ? [] : seedWebhooks(now, connections),
    incoming: options.isEmpty ? [] : seedIncoming(now, connections),
    settings: structuredClone(DEFAULT_SETTINGS),
    destinations: options.isEmpty ? [] : seedDestinations(),
    signingKey: '5f1c2e0a-7b34-4d52-9a86-0c1f6e4d2b90',
    traffic: { isOn: false, mostMegabytes: 200, usedBytes: 12_400_000 },
    history: { isOn: options.hasHistory ?? true, mostVersions: 50, mostDays: 30 },
    get records() {
      return records();
    },
  };
}

export type FixtureState = ReturnType<typeof createFixtureState>;
