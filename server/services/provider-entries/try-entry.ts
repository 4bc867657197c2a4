import type { CatalogLookup } from '../../catalog/catalog.ts';
import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Ids } from '../../lib/ids.ts';
import { readStart } from '../../lib/outbound-body.ts';
import { OutboundError } from '../../lib/outbound-error.ts';
import type { OutboundHttp } from '../../lib/outbound-http.ts';
import { buildAuthorizationUrl } from '../authorization/authorization-service.ts';
import type { EnvironmentService } from '../environment/environment-service.ts';
import { ProxyRequestError, ProxyService, type ProxyTarget } from '../proxy/proxy-service.ts';

export interface TrialOptions {
  http: Pick<OutboundHttp, 'request'>;
  clock: Clock;
  ids: Ids;
  environments: EnvironmentService;
  publicBase: () => string;
}

export interface TriedText {
  text: string;
  provider: string;
  connectionConfig: Record<string, string>;
  credentials: Record<string, string>;
  clientId: string;
  /** Comma-separated. */
  scopes: string;
  /** Undefined means the authorization address. */
  request?: { method: string; endpoint: string } | undefined;
}

export interface TrialResult {
  method: string;
  url: string;
  status: number | null;
  contentType: string | null;
  body: string;
  durationMs: number;
  error: string | null;
}

interface Trial {
  catalog: CatalogLookup;
  entry: ProviderEntry;
  trial: TriedText;
  signal: AbortSignal | undefined;
}

const SHOWN_BYTES = 65_536;
const LONGEST_MS = 20_000;

type Answer = Pick<TrialResult, 'method' | 'url' | 'status' | 'contentType' | 'body' | 'error'>;

/**
 * Sends one request by the rules of the entry, with values that a person entered. A refusal by the provider is a
 * result.
 */
export async function tryEntry(options: TrialOptions, trial: Trial): Promise<TrialResult> {
  const startedAt = options.clock.now();
  const answer = trial.trial.request ? await tryRequest(options, trial) : await tryAuthorization(options, trial);
  return { ...answer, durationMs: options.clock.now() - startedAt };
}

/** Whether the address answers: with a page of the provider, or its complaint about the sample client. */
async function tryAuthorization(options: TrialOptions, { entry, trial, signal }: Trial): Promise<Answer> {
  const { ids, http, publicBase } = options;
  const given = Object.entries(entry.authorization_params ?? {});
  const url = buildAuthorizationUrl({
    entry,
    clientId: trial.clientId || 'sample-client',
    redirectUri: `${publicBase()}/oauth/callback`,
    state: ids.uuid(),
    scopes: trial.scopes || (entry.default_scopes ?? []).join(','),
    connectionConfig: trial.connectionConfig,
    entryParams: Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
    params: {},
    isFromPage: false,
  });
  const sent = { method: 'GET', url };
  try {
    const response = await http.request({
      ...sent,
      // The address is in the person's own file (design.md 7.4).
      allowedHosts: [new URL(url).host],
      maxRedirects: 0,
      headers: { accept: 'text/html' },
      signal: limited(signal),
    });
    return { ...sent, ...(await readAnswer(response)) };
  } catch (error) {
    return { ...sent, ...failureOf(error) };
  }
}

async function tryRequest(options: TrialOptions, { catalog, entry, trial, signal }: Trial): Promise<Answer> {
  const { method, endpoint } = trial.request ?? { method: 'GET', endpoint: '/' };
  const proxy = new ProxyService({
    ...options,
    catalog,
    resolveTarget: () => Promise.reject(new HomeportError('not_found', 'A trial has no connection.')),
  });
  const target: ProxyTarget = {
    environmentId: options.environments.workspaceEnvironment.id,
    providerName: entry.name,
    integration: { uniqueKey: entry.name, clientId: trial.clientId },
    connection: {
      id: 0,
      connectionId: 'trial',
      credentials: { type: entry.auth_mode, ...trial.credentials },
      connectionConfig: trial.connectionConfig,
      metadata: {},
    },
  };
  try {
    const response = await proxy.callOnce(target, { method, endpoint }, limited(signal));
    const { url } = response.describeRequest();
    return { method, url, ...(await readAnswer(response)) };
  } catch (error) {
    const url = error instanceof ProxyRequestError ? error.request.url : endpoint;
    return { method, url, ...failureOf(error) };
  }
}

async function readAnswer(response: Awaited<ReturnType<OutboundHttp['request']>> | ReadableAnswer) {
  const { start, isCut } = await readStart(response.body, SHOWN_BYTES);
  if (isCut) response.body.destroy();
  const type = response.headers['content-type'];
  return {
    status: response.status,
    contentType: type === undefined ? null : String(type),
    body: start.toString('utf8'),
    error: null,
  };
}

type ReadableAnswer = Awaited<ReturnType<ProxyService['callOnce']>>;

/** A failure of the network, or a missing value; any other error is a fault of the program and is thrown. */
function failureOf(error: unknown): Pick<Answer, 'status' | 'contentType' | 'body' | 'error'> {
  const isExpected =
    error instanceof ProxyRequestError || error instanceof OutboundError || error instanceof HomeportError;
  if (!isExpected) throw error;
  return { status: null, contentType: null, body: '', error: error.message };
}

function limited(signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(LONGEST_MS);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}
