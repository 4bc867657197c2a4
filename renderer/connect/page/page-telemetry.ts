import type { ApiTarget } from '../../api/connect-api.ts';

export type TelemetryEvent =
  | 'open'
  | 'view:list'
  | 'view:integration'
  | 'view:unknown_error'
  | 'view:credentials_error'
  | 'view:success'
  | 'click:integration'
  | 'click:doc'
  | 'click:doc_section'
  | 'click:connect'
  | 'click:close'
  | 'click:finish'
  | 'click:outside'
  | 'popup:blocked_by_browser'
  | 'popup:closed_early';

export type Track = (event: TelemetryEvent, integration?: string) => void;

/** Reports the person's steps to the log of the session, on this computer; a beacon is sent even while the page closes. */
export function createTrack({ apiUrl, token }: ApiTarget): Track {
  return (event, integration) => {
    const dimensions = integration === undefined ? {} : { dimensions: { integration } };
    const body = JSON.stringify({ token, event, timestamp: new Date().toISOString(), ...dimensions });
    navigator.sendBeacon(`${apiUrl}/connect/telemetry`, new Blob([body], { type: 'application/json' }));
  };
}
