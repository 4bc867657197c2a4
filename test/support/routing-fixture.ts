import type {
  FetchedDocument,
  ProviderWebhook,
  RoutedConnection,
  RoutingContext,
  RoutingResult,
} from '../../server/webhooks-in/routing/webhook-routing.ts';
import { WEBHOOK_ROUTINGS } from '../../server/webhooks-in/routing/webhook-routings.ts';

/** A webhook as its provider sends it; the raw body is the JSON of the body by default. */
export interface SentWebhook {
  /** Default POST. */
  method?: string;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  rawBody?: string | Buffer;
}

/** The result of a routing. */
export interface RoutingSetup {
  app?: RoutingContext['integration']['app'];
  connections?: RoutedConnection[];
  /** Responses by address; other addresses fail. */
  documents?: Record<string, Pick<FetchedDocument, 'json' | 'headers'> & { text?: string }>;
  skipsSignature?: boolean;
  /** Default `NOW`. */
  now?: number;
  /** Address that the provider called; default the first of `ADDRESSES`. */
  url?: string;
  onSignature?: RoutingContext['onSignature'];
}

export const NOW = Date.parse('2026-03-01T12:00:00.000Z');
export const NOW_SECONDS = String(NOW / 1000);
export const ADDRESSES = ['https://hub.test/webhook/e-1/my-key', 'https://hub.test/webhook/e-1/acme'];

export function route(name: string, sent: SentWebhook, setup: RoutingSetup = {}): Promise<RoutingResult> {
  const routing = WEBHOOK_ROUTINGS.get(name);
  if (!routing) throw new Error(`There is no routing ${name}.`);
  return Promise.resolve(routing(receive(sent), routingContext(setup, sent.query)));
}

export function rawBodyOf({ body = {}, rawBody }: SentWebhook): string {
  return String(rawBody ?? JSON.stringify(body));
}

function receive(sent: SentWebhook): ProviderWebhook {
  const { method = 'POST', headers = {}, query = {}, body = {} } = sent;
  return { method, headers, query, body, rawBody: Buffer.from(rawBodyOf(sent)) };
}

function routingContext(
  { app = {}, connections = [], documents = {}, skipsSignature, onSignature, now = NOW, url }: RoutingSetup,
  query: Record<string, string> = {},
): RoutingContext {
  const search = new URLSearchParams(query).toString();
  return {
    integration: { uniqueKey: 'my-key', provider: 'acme', app },
    match: async (target) => connections.filter(({ connectionId }) => isNamed(target, connectionId)),
    now: () => now,
    addresses: ADDRESSES,
    urls: url ? [url] : ADDRESSES.map((address) => (search === '' ? address : `${address}?${search}`)),
    fetchDocument: async (url) => {
      const document = documents[url];
      if (!document) throw new Error(`${url} cannot be had.`);
      return { text: JSON.stringify(document.json), ...document };
    },
    ...(skipsSignature === undefined ? {} : { skipsSignature }),
    ...(onSignature === undefined ? {} : { onSignature }),
  };
}

function isNamed(target: Parameters<RoutingContext['match']>[0], connectionId: string): boolean {
  return target === 'all' || (target.property === 'connectionId' && target.value === connectionId);
}
