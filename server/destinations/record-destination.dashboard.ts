import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { refuseOwnAddress } from '../platform/http/refuse-own-address.ts';
import type {
  RecordDestinationPage,
  RecordDestinationRow,
  recordDestinationRouteShapes,
} from './dashboard-destinations.contract.ts';
import type { RecordDestinationView } from './destinations.contract.ts';
import type { RecordDestination } from './destinations.service.ts';
import { presentDestinationDetail, presentRecordDestination } from './record-destination.present.ts';

type Use = Pick<DashboardParts, 'about' | 'clock' | 'destinations'>;

export function recordDestinationHandlers({
  about,
  clock,
  destinations,
}: Use): DashboardHandlers<keyof typeof recordDestinationRouteShapes> {
  const detail = async (found: Promise<RecordDestination>): Promise<RecordDestinationPage> => {
    const { progress, ...row } = presentDestinationDetail(await found, clock.now());
    return {
      ...viewRow(row),
      progress: progress.map(({ integration, lag_seconds, ...one }) => ({
        ...one,
        integrationKey: integration,
        lagMs: lag_seconds * 1000,
      })),
    };
  };
  const refuseOwn = (url: string | undefined): void =>
    refuseOwnAddress([{ path: ['url'], url }], { local: about.apiUrl(), public: about.publicBase() });
  const shown = ({ isOk, message }: { isOk: boolean; message: string }) => ({ ok: isOk, message });
  return {
    'GET /api/v1/record-destinations': async ({ environment }) => ({
      data: (await destinations.list(environment.id)).map((one) => viewRow(presentRecordDestination(one, clock.now()))),
    }),
    'POST /api/v1/record-destinations': ({ body, environment }) => {
      if (body.kind === 'http') refuseOwn(body.url);
      return detail(destinations.create(environment.id, body));
    },
    'POST /api/v1/record-destinations/test': async ({ body, environment }) => {
      if (body.kind === 'http') refuseOwn(body.url);
      return shown(await destinations.testNew(environment.id, body));
    },
    'GET /api/v1/record-destinations/:destinationId': ({ environment, params }) =>
      detail(destinations.get(environment.id, params.destinationId)),
    'PATCH /api/v1/record-destinations/:destinationId': ({ body, environment, params }) => {
      refuseOwn(body.url);
      return detail(destinations.change(environment.id, params.destinationId, body));
    },
    'DELETE /api/v1/record-destinations/:destinationId': async ({ environment, params }) => {
      await destinations.remove(environment.id, params.destinationId);
      return { success: true };
    },
    'POST /api/v1/record-destinations/:destinationId/test': async ({ environment, params }) =>
      shown(await destinations.test(environment.id, params.destinationId)),
    'POST /api/v1/record-destinations/:destinationId/pause': ({ environment, params }) =>
      detail(destinations.pause(environment.id, params.destinationId)),
    'POST /api/v1/record-destinations/:destinationId/resume': ({ environment, params }) =>
      detail(destinations.resume(environment.id, params.destinationId)),
    'POST /api/v1/record-destinations/:destinationId/retry': ({ environment, params }) =>
      detail(destinations.retry(environment.id, params.destinationId)),
    'POST /api/v1/record-destinations/:destinationId/replay': ({ body, environment, params }) =>
      detail(
        destinations.replay(environment.id, params.destinationId, body.from === null ? null : Date.parse(body.from)),
      ),
  };
}

function viewRow(view: RecordDestinationView): RecordDestinationRow {
  const { connections, delivered, error, id, integrations, kind, models, name, schema, state, target, tls } = view;
  return {
    ...{ id, name, kind, target, schema, tls, integrations, models, connections, state, delivered },
    waiting: view.waiting,
    lagMs: view.lag_seconds * 1000,
    certificate: view.ca_certificate,
    isMarking: view.deletions === 'mark',
    deliveredAt: view.delivered_at,
    nextAttemptAt: view.next_attempt_at,
    failure: error && { message: error.message, times: error.failures, at: error.at },
  };
}
