import { HomeportError } from '../../lib/homeport-error.ts';
import { refusedByProvider } from '../../sandbox/refused-request.ts';

/** A refusal of the hub's own API, as a function that called it over HTTP would see it (functions.md 3.5). */
export function refusedByHub(error: unknown, bodyOf: (error: HomeportError) => Record<string, unknown>): unknown {
  if (!(error instanceof HomeportError)) return error;
  const answer = {
    status: error.status,
    statusText: '',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(bodyOf(error)),
  };
  return refusedByProvider(answer, { method: 'POST', url: '/action/trigger', headers: {} });
}
