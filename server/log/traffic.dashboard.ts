import { isUtf8 } from 'node:buffer';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { RecordedBodyView, TrafficState } from './dashboard-traffic.contract.ts';
import type { RecordedBody } from './traffic-recordings.ts';

type Use = Pick<DashboardParts, 'logs'>;
type Keys =
  | 'GET /api/v1/traffic-recording'
  | 'PUT /api/v1/traffic-recording'
  | 'DELETE /api/v1/traffic-recording'
  | 'GET /api/v1/logs/operations/:operationId/recordings/:recordingId';

const MEGABYTE = 1_000_000;

/** Routes of traffic recording: its switch, its limit, and the recorded bodies of one request. */
export function trafficRoutes({ logs: { traffic } }: Use): DashboardHandlers<Keys> {
  const viewState = async (): Promise<TrafficState> => {
    const { isOn, mostBytes, usedBytes } = await traffic.state();
    return { isOn, mostMegabytes: Math.round(mostBytes / MEGABYTE), usedBytes };
  };
  return {
    'GET /api/v1/traffic-recording': viewState,

    'PUT /api/v1/traffic-recording': async ({ body }) => {
      await traffic.change({ isOn: body.isOn, mostBytes: body.mostMegabytes * MEGABYTE });
      return viewState();
    },

    'DELETE /api/v1/traffic-recording': async () => {
      await traffic.clear();
      return { success: true };
    },

    'GET /api/v1/logs/operations/:operationId/recordings/:recordingId': async ({ environment, params }) => {
      const found = await traffic.find(environment.id, params.operationId, params.recordingId);
      if (!found)
        throw new HomeportError(
          'not_found',
          'The bodies of this request are not kept. The oldest recordings are removed when their limit is reached.',
        );
      return {
        request: found.request && viewRecordedBody(found.request),
        response: found.answer && viewRecordedBody(found.answer),
      };
    },
  };
}

export function viewRecordedBody({ bytes, contentType, isCut, sizeBytes }: RecordedBody): RecordedBodyView {
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64';
  return { text: bytes.toString(encoding), encoding, contentType, sizeBytes, isCut };
}
