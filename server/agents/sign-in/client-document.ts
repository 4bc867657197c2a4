import { z } from 'zod';
import { readBody } from '../../platform/lib/outbound-exchange.ts';
import type { OutboundHttp } from '../../platform/lib/outbound-http.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';
import { type ClientMetadata, clientMetadata } from './sign-in.contract.ts';

const document = clientMetadata.extend({ client_id: z.string() });

const MAX_BYTES = 50_000;
const TIMEOUT_MS = 10_000;

/** Whether a client names itself by the address of its metadata document, and not by an id that it was given. */
export function isDocumentAddress(clientId: string): boolean {
  const url = URL.parse(clientId);
  return url?.protocol === 'https:' && url.pathname !== '/' && url.hash === '' && url.username === '';
}

/** Reads the metadata document of a client. Throws an Error whose message says what is wrong with it. */
export async function readClientDocument(
  http: Pick<OutboundHttp, 'request'>,
  clientId: string,
): Promise<ClientMetadata> {
  const response = await http.request({
    method: 'GET',
    url: clientId,
    headers: { accept: 'application/json' },
    // The address is the name of the client: another one would be another client.
    maxRedirects: 0,
    silenceMs: TIMEOUT_MS,
  });
  const text = (await readBody(response.body, MAX_BYTES)).toString('utf8');
  if (response.status !== 200) throw new Error(`${clientId} answered with the status ${response.status}.`);
  const found = document.safeParse(parseJson(text));
  if (!found.success) throw new Error(`${clientId} holds no metadata of a client: ${z.prettifyError(found.error)}`);
  if (found.data.client_id !== clientId) throw new Error(`${clientId} names another client: ${found.data.client_id}.`);
  return found.data;
}
