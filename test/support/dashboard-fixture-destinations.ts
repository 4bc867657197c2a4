import type {
  RecordDestinationPage,
  recordDestinationRouteShapes,
} from '../../server/destinations/dashboard-destinations.contract.ts';
import { type Handler, need } from './dashboard-fixture-lists.ts';

type Progress = RecordDestinationPage['progress'];

const PROGRESS: Progress = [
  { integrationKey: 'hubspot', model: 'Contact', connections: 3, delivered: 41_210, waiting: 0, lagMs: 0 },
  { integrationKey: 'github', model: 'Issue', connections: 12, delivered: 7300, waiting: 240, lagMs: 95_000 },
];
const NO_SETTINGS = { schema: null, tls: null, certificate: null, isMarking: false };
const ALL = { integrations: [], models: [], connections: [] };
const AT = '2026-01-05T09:00:00.000Z';

const FIXTURE_DESTINATIONS: RecordDestinationPage[] = [
  {
    ...ALL,
    id: '7f2c0a34-0b1e-4a53-9c56-0d9f5f1f6a01',
    name: 'Warehouse',
    kind: 'postgres',
    target: 'hub@warehouse.internal:5432/data',
    ...{ schema: 'homeport', tls: 'verify', certificate: null, isMarking: false },
    ...{ state: 'failing', waiting: 240, lagMs: 95_000, delivered: 48_510 },
    ...{ deliveredAt: AT, nextAttemptAt: AT },
    failure: {
      message: 'PostgreSQL at warehouse.internal:5432 cannot be reached: ECONNREFUSED.',
      times: 4,
      at: AT,
    },
    progress: PROGRESS,
  },
  {
    ...ALL,
    ...NO_SETTINGS,
    id: '7f2c0a34-0b1e-4a53-9c56-0d9f5f1f6a02',
    name: 'Files for pandas',
    kind: 'ndjson',
    target: '/home/kim/records',
    ...{ state: 'up_to_date', waiting: 0, lagMs: 0, delivered: 41_210 },
    ...{ deliveredAt: AT, nextAttemptAt: AT, failure: null },
    models: ['Contact'],
    progress: PROGRESS.slice(0, 1),
  },
];

type Key = keyof typeof recordDestinationRouteShapes;
const find = (id: string): RecordDestinationPage => need(FIXTURE_DESTINATIONS.find((one) => one.id === id));

/** Two destinations: a database that cannot be reached, and a folder. */
export const destinationHandlers: { [K in Key]: Handler<K> } = {
  'GET /api/v1/record-destinations': () => ({ data: FIXTURE_DESTINATIONS }),
  'POST /api/v1/record-destinations': () => need(FIXTURE_DESTINATIONS[1]),
  'POST /api/v1/record-destinations/test': () => ({
    ok: false,
    message: 'PostgreSQL at localhost:5432 cannot be reached: ECONNREFUSED.',
  }),
  'GET /api/v1/record-destinations/:destinationId': ({ params }) => find(params.destinationId),
  'PATCH /api/v1/record-destinations/:destinationId': ({ params }) => find(params.destinationId),
  'DELETE /api/v1/record-destinations/:destinationId': () => ({ success: true }),
  'POST /api/v1/record-destinations/:destinationId/test': () => ({ ok: true, message: 'PostgreSQL 15.3 answers.' }),
  'POST /api/v1/record-destinations/:destinationId/pause': ({ params }) => find(params.destinationId),
  'POST /api/v1/record-destinations/:destinationId/resume': ({ params }) => find(params.destinationId),
  'POST /api/v1/record-destinations/:destinationId/retry': ({ params }) => find(params.destinationId),
  'POST /api/v1/record-destinations/:destinationId/replay': ({ params }) => find(params.destinationId),
};
