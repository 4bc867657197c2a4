import type { DashboardRouteKey } from '../../server/contract/dashboard/dashboard-routes.ts';
import type { Handler } from './dashboard-fixture-lists.ts';

type Keys = Extract<DashboardRouteKey, `${string} /api/v1/traffic-recording` | `${string}/recordings/:recordingId`>;

const INVOICES = {
  Invoices: [
    { InvoiceID: 'INV-20418', Contact: 'Brightwell Foods', Total: 1841.5, Status: 'PAID' },
    { InvoiceID: 'INV-20417', Contact: 'Dune Robotics', Total: 96.5, Status: 'AUTHORISED' },
  ],
  pagination: { page: 1, pageCount: 3 },
};

/** Some recorded bodies, with space for more. */
export const trafficHandlers: { [K in Keys]: Handler<K> } = {
  'GET /api/v1/traffic-recording': (_, { traffic }) => traffic,
  'PUT /api/v1/traffic-recording': ({ body }, state) => {
    state.traffic = { ...state.traffic, ...body };
    return state.traffic;
  },
  'DELETE /api/v1/traffic-recording': (_, state) => {
    state.traffic.usedBytes = 0;
    return { success: true };
  },
  'GET /api/v1/logs/operations/:operationId/recordings/:recordingId': () => ({
    request: null,
    response: {
      text: JSON.stringify(INVOICES),
      encoding: 'utf8',
      contentType: 'application/json',
      sizeBytes: 412_000,
      isCut: true,
    },
  }),
};
