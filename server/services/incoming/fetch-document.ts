import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import { readBody } from '../../lib/outbound-body.ts';
import type { OutboundHttp } from '../../lib/outbound-http.ts';
import { parseJson } from '../../lib/parse-json.ts';
import type { FetchedDocument } from './routing/webhook-routing.ts';

export interface FetchDocumentUse {
  http: Pick<OutboundHttp, 'request'>;
  clock: Clock;
}

/** The provider waits for its answer meanwhile. */
const TIMEOUT_MS = 5_000;
const MOST_BYTES = 1_048_576;

/** A public document that signatures are checked with. */
export async function fetchDocument({ http, clock }: FetchDocumentUse, url: string): Promise<FetchedDocument> {
  if (URL.parse(url)?.protocol !== 'https:') throw unavailable('its address is not https');
  const tooLate = new AbortController();
  const timer = clock.after(TIMEOUT_MS, () => tooLate.abort(new DOMException('No answer in time', 'TimeoutError')));
  try {
    const { status, headers, body } = await http.request({ method: 'GET', url, signal: tooLate.signal });
    const text = (await readBody(body, MOST_BYTES)).toString('utf8');
    if (status !== 200) throw unavailable(`it answered with status ${status}`);
    const flat = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    return { json: parseJson(text), headers: Object.fromEntries(flat) };
  } finally {
    timer.cancel();
  }
}

function unavailable(why: string): HomeportError {
  return new HomeportError('server_error', `A document that the signature is checked with cannot be had: ${why}.`);
}
