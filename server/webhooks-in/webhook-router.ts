import { ConnectionMatchesStore, type ConnectionMatchFilter } from '../connections/connection-matches.store.ts';
import { webhookAddress } from '../contract/webhook-address.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Integration, IntegrationAppCredentials } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { ReadHandle } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { readBody } from '../platform/lib/outbound-exchange.ts';
import type { OutboundHttp } from '../platform/lib/outbound-http.ts';
import { parseJson } from '../platform/lib/parse-json.ts';
import { SingleFlight } from '../platform/lib/single-flight.ts';
import { type IncomingRequest, type IncomingResponse, type ReadWebhook, readWebhook } from './incoming-request.ts';
import type { SignatureState, WebhookDecision } from './incoming-webhooks.store.ts';
import type {
  CheckedSignature,
  CompletedInstallation,
  FetchedDocument,
  MatchTarget,
  RoutedConnection,
  RoutingResult,
  WebhookRouting,
} from './routing/webhook-routing.ts';
import { genericRouting } from './routing/webhook-routings.ts';

export interface WebhookContext {
  environment: Environment;
  integration: Integration;
}

/** How the user repeats a webhook. */
export interface Repetition {
  /** The user chose these connections, whatever the webhook says. */
  connectionIds?: readonly string[] | undefined;
  skipsSignature?: boolean | undefined;
}

/** An event at the provider, and the connections that it concerns. */
interface MatchedEvent {
  types: readonly string[];
  payload: unknown;
  connections: MatchedConnection[];
}

/** The decision about a webhook. */
export interface Decision {
  outcome: WebhookDecision;
  response: IncomingResponse;
  /** The result of the signature check; null when there was none. */
  signature: SignatureState | null;
  /** Why it was refused or could not be handled. */
  message?: string;
  /** An error that the caller throws instead of returning `response`. */
  refusal?: HomeportError;
  /** Whether the provider only checked the address. */
  isAddressCheck?: boolean;
  events: MatchedEvent[];
  /** Present when the caller's app must be notified: the JSON text for it. */
  forward?: { json: string };
  installation?: CompletedInstallation;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Asks the provider's routing what a webhook means, and finds its connections. */
export function createWebhookRouter({
  http,
  clock,
  database,
  catalog,
  integrations,
  routings,
  publicBase,
  logger,
}: {
  http: Pick<OutboundHttp, 'request'>;
  clock: Clock;
  database: { reader: ReadHandle };
  catalog: { find(name: string): ProviderEntry | undefined };
  integrations: Pick<IntegrationsService, 'readAppCredentials' | 'readCustom'>;
  /** By the catalogue's `webhook_routing_script`. */
  routings: ReadonlyMap<string, WebhookRouting>;
  /** Origin of the addresses that providers call. */
  publicBase(): string;
  logger: Logger;
}) {
  const documents = createDocumentCache({
    fetch: (url) => fetchDocument(http, clock, url),
    now: () => clock.now(),
  });

  async function route(
    { environment, integration }: WebhookContext,
    request: IncomingRequest,
    webhook: ReadWebhook,
    match: Matcher,
    { skipsSignature = false, onSignature }: Repetition & { onSignature: (result: CheckedSignature) => void },
  ): Promise<RoutingResult> {
    const { provider, uniqueKey } = integration;
    const script = catalog.find(provider)?.webhook_routing_script;
    const routing = (script !== undefined && routings.get(script)) || genericRouting;
    const addresses = [uniqueKey, provider].map((name) => webhookAddress(publicBase(), environment.uuid, name));
    return routing(webhook, {
      integration: { provider, uniqueKey, app: await readApp(environment.id, uniqueKey) },
      match,
      now: () => clock.now(),
      addresses,
      urls: calledUrls(request, addresses, publicBase()),
      fetchDocument: (url) => documents.fetch(url),
      skipsSignature,
      onSignature,
    });
  }

  /** Integrations without app credentials have their webhook secret among their custom values. */
  async function readApp(environmentId: number, uniqueKey: string): Promise<IntegrationAppCredentials> {
    const [app, { webhookSecret }] = await Promise.all([
      integrations.readAppCredentials(environmentId, uniqueKey),
      integrations.readCustom(environmentId, uniqueKey),
    ]);
    return { ...(webhookSecret ? { webhookSecret } : {}), ...app };
  }

  /** Several events of one webhook often name the same connection; it is searched once. */
  function matcher({ integration }: WebhookContext, chosen: readonly string[] | undefined): Matcher {
    const found = new Map<string, Promise<MatchedConnection[]>>();
    const find = (target: MatchTarget) => matchConnections(database, integration.id, target);
    const findChosen = async (ids: readonly string[]): Promise<MatchedConnection[]> => {
      const each = await Promise.all(ids.map((value) => find({ property: 'connectionId', value })));
      return each.flat();
    };
    return (target) => {
      const key = chosen ? '' : JSON.stringify(target);
      const known = found.get(key) ?? (chosen ? findChosen(chosen) : find(target));
      found.set(key, known);
      return known;
    };
  }

  return {
    async decide(context: WebhookContext, request: IncomingRequest, repetition: Repetition = {}): Promise<Decision> {
      const webhook = readOrRefuse(request);
      if (webhook instanceof HomeportError) {
        const response = { status: webhook.status };
        return {
          outcome: 'refused',
          response,
          signature: null,
          message: webhook.message,
          refusal: webhook,
          events: [],
        };
      }
      const match = matcher(context, repetition.connectionIds);
      try {
        let checked: CheckedSignature | undefined;
        const onSignature = (result: CheckedSignature): void => {
          checked = result;
        };
        const result = await route(context, request, webhook, match, { ...repetition, onSignature });
        const decision = {
          ...(await toDecision(result, match, webhook)),
          signature: checked ?? (result.kind === 'handled' ? ('unsupported' as const) : null),
        };
        // An installation is accepted only when its signature was checked (design.md 7.32).
        if (repetition.skipsSignature) delete decision.installation;
        return decision;
      } catch (error) {
        // Anyone may send webhooks, so errors of a routing must not be sent to the caller.
        logger.error({ err: error, integration: context.integration.uniqueKey }, 'A webhook was not handled.');
        return failedDecision(error instanceof HomeportError ? error.message : 'The hub could not read the webhook.');
      }
    },
    /** Ids of the connections in which every one of these fields has the value, or one of the values. */
    async findWhere({ integration }: WebhookContext, where: CompletedInstallation['where']): Promise<string[]> {
      const each = await Promise.all(
        Object.entries(where).map(async ([property, wanted]) => {
          const targets = [wanted].flat().map((value) => ({ property, value }));
          const found = await Promise.all(targets.map((one) => matchConnections(database, integration.id, one)));
          return new Set(found.flat().map(({ connectionId }) => connectionId));
        }),
      );
      const [first = new Set<string>(), ...others] = each;
      return [...first].filter((id) => others.every((one) => one.has(id)));
    },
  };
}

type Matcher = (target: MatchTarget) => Promise<MatchedConnection[]>;

/** The address as the provider knows it: a tunnel may have changed the host, and says so in its headers. */
function calledUrls({ headers, path, query }: IncomingRequest, addresses: string[], publicBase: string): string[] {
  const host = headers['x-forwarded-host'] ?? headers['host'];
  const bases = [publicBase, ...(host === undefined ? [] : [`https://${host}`, `http://${host}`])];
  const urls = [...bases.map((base) => `${base}${path}`), ...addresses];
  return [...new Set(urls)].map((url) => (query === '' ? url : `${url}?${query}`));
}

function readOrRefuse(request: IncomingRequest): ReadWebhook | HomeportError {
  try {
    return readWebhook(request);
  } catch (error) {
    if (error instanceof HomeportError) return error;
    throw error;
  }
}

async function toDecision(
  result: RoutingResult,
  match: Matcher,
  { body, json }: ReadWebhook,
): Promise<Omit<Decision, 'signature'>> {
  switch (result.kind) {
    case 'refused': {
      const { status, message, isAddressCheck = false } = result;
      const response = jsonResponse(status, { error: message });
      return { outcome: 'refused', response, message, isAddressCheck, events: [] };
    }
    case 'answered': {
      const { status = 200, contentType, text, headers } = result;
      const response = {
        status,
        ...(status === 204 ? {} : { contentType: `${contentType}; charset=utf-8`, text }),
        ...(headers ? { headers } : {}),
      };
      return { outcome: 'handshake', response, isAddressCheck: true, events: [] };
    }
    case 'handled': {
      const events: MatchedEvent[] = [];
      for (const { targets, types, payload } of result.events)
        events.push({ types, payload, connections: await firstMatch(targets, match) });
      const { response, forward, installation } = result;
      return {
        outcome: 'handled',
        response: response === undefined ? jsonResponse(200, { status: 'success' }) : { status: 200, text: response },
        events,
        // The whole body is passed on as it came; a part of it keeps the digits.
        forward: { json: forward === body ? json : (JSON.stringify(forward) ?? '{}') },
        ...(installation ? { installation } : {}),
      };
    }
  }
}

async function firstMatch(targets: readonly MatchTarget[], match: Matcher): Promise<MatchedConnection[]> {
  for (const target of targets) {
    const connections = await match(target);
    if (connections.length > 0) return connections;
  }
  return [];
}

/** The response to the provider does not say what went wrong (webhooks.md 2.1). */
export function failedDecision(message: string): Decision {
  const response = jsonResponse(500, { error: 'internal_error' });
  return { outcome: 'error', response, signature: null, message, events: [] };
}

function jsonResponse(status: number, body: unknown): IncomingResponse {
  return { status, contentType: JSON_TYPE, text: JSON.stringify(body) };
}

/** Short, because the provider waits for its response. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1_048_576;

/** Fetches a public document that is needed to check signatures. */
async function fetchDocument(http: Pick<OutboundHttp, 'request'>, clock: Clock, url: string): Promise<FetchedDocument> {
  if (URL.parse(url)?.protocol !== 'https:') throw unavailable('its address is not https');
  const tooLate = new AbortController();
  const timer = clock.after(TIMEOUT_MS, () => tooLate.abort(new DOMException('No response in time', 'TimeoutError')));
  try {
    const { status, headers, body } = await http.request({ method: 'GET', url, signal: tooLate.signal });
    const text = (await readBody(body, MAX_BYTES)).toString('utf8');
    if (status !== 200) throw unavailable(`it answered with status ${status}`);
    const flat = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    return { text, json: parseJson(text), headers: Object.fromEntries(flat) };
  } finally {
    timer.cancel();
  }
}

function unavailable(why: string): HomeportError {
  return new HomeportError('server_error', `A document for the signature check could not be fetched: ${why}.`);
}

/** A connection that a webhook concerns. */
export interface MatchedConnection extends RoutedConnection {
  id: number;
  webhookUrlOverride: string | null;
}

const METADATA = 'metadata.';

/** Connections of an integration that match (webhooks.md 2.2). */
export async function matchConnections(
  database: { reader: ReadHandle },
  integrationId: number,
  target: MatchTarget,
): Promise<MatchedConnection[]> {
  const filter = target === 'all' ? undefined : toFilter(target);
  if (filter?.text === '') return [];
  const matches = new ConnectionMatchesStore();
  const rows = filter
    ? await matches.list(database.reader, integrationId, filter)
    : await matches.listAll(database.reader, integrationId);
  return rows.map((row) => ({ ...row, metadata: row.metadata ?? {} }));
}

function toFilter({ property, value }: Exclude<MatchTarget, 'all'>): ConnectionMatchFilter {
  const text = textOf(value);
  if (property === 'connectionId') return { in: 'connectionId', key: '', text };
  if (property.startsWith(METADATA)) return { in: 'metadata', key: property.slice(METADATA.length), text };
  return { in: 'config', key: property, text };
}

/** Values compare as text; other values become an empty text, which matches no connection. */
function textOf(value: unknown): string {
  if (JSON.isRawJSON(value)) return value.rawJSON;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Limited, because webhooks contain the addresses and anyone may send webhooks. */
const MAX_DOCUMENTS = 100;

export type DocumentCache = ReturnType<typeof createDocumentCache>;

/** Keeps public documents until their `expires` header; documents without it are fetched each time. */
export function createDocumentCache({
  fetch: fetchNow,
  now,
}: {
  fetch: (url: string) => Promise<FetchedDocument>;
  /** Milliseconds since the epoch. */
  now: () => number;
}) {
  const kept = new Map<string, { document: FetchedDocument; until: number }>();
  const fetches = new SingleFlight<FetchedDocument>();

  async function fetchAnew(url: string): Promise<FetchedDocument> {
    const document = await fetchNow(url);
    const until = Date.parse(document.headers['expires'] ?? '');
    if (until > now()) keep(url, document, until);
    return document;
  }

  function keep(url: string, document: FetchedDocument, until: number): void {
    const [oldest] = kept.keys();
    if (kept.size >= MAX_DOCUMENTS && oldest !== undefined) kept.delete(oldest);
    kept.set(url, { document, until });
  }

  return {
    /** Rejects when the document is not in memory and cannot be fetched. */
    async fetch(url: string): Promise<FetchedDocument> {
      const known = kept.get(url);
      if (known && known.until > now()) return known.document;
      kept.delete(url);
      return fetches.run(url, () => fetchAnew(url));
    },
  };
}
