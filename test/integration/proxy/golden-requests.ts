import { Readable } from 'node:stream';
import type { FlowStates } from '../../../server/authorization/flow-states.ts';
import { createRedirectFlow, type RedirectStart } from '../../../server/authorization/redirect-flow.ts';
import {
  type CredentialsContext,
  createCredentialsService,
  discoveredClient,
  type IssuedCredentials,
  isDiscovered,
  type StoredCredentials,
} from '../../../server/connections/credentials/credentials.service.ts';
import type { ProviderDefinition, ProviderEntry } from '../../../server/integrations/catalog/entry-schema.ts';
import { CONFIG_READ_BY_MODE } from '../../../server/integrations/catalog/provider-modes.ts';
import { createProviderSteps } from '../../../server/lifecycle/provider-steps-runner.ts';
import type { Clock } from '../../../server/platform/lib/clock.ts';
import type { OutboundHttp, OutboundRequest } from '../../../server/platform/lib/outbound-http.ts';
import { createProxyService, type ProxyTarget } from '../../../server/proxy/proxy.service.ts';
import { onlyPart } from '../../support/only-part.ts';
import { describeSent } from './describe-sent.ts';
import {
  SAMPLE_APP,
  sampleCustom,
  sampleInput,
  sampleOf,
  sampleOfResponse,
  sampleResponse,
} from './sample-connection.ts';

const NOW = Date.UTC(2026, 0, 1);
const UUID = '00000000-0000-4000-8000-000000000000';
const CALLBACK = 'http://localhost:3003/oauth/callback';
const CLIENT = { id: SAMPLE_APP.clientId, secret: SAMPLE_APP.clientSecret };

const clock = onlyPart<Clock>('clock', { now: () => NOW, sleep: async () => {} });
const ids = { uuid: () => UUID, hex: (count: number) => 'ab'.repeat(count) };
const environments = { allowedHosts: () => [], find: () => undefined };

/**
 * The requests of the hub for an entry, from the authorization to a call, as text for a reviewer: every request is built
 * by the services themselves and recorded instead of sent. A step that fails is marked with `!`.
 */
export async function describeRequests(name: string, definition: ProviderDefinition): Promise<string> {
  const entry: ProviderEntry = { ...definition, name, source: 'builtin' };
  const recorder = new Recorder(entry);
  const made = await connect(entry, recorder);
  await recorder.note('refresh', () => renew(entry, recorder, made));
  const { proxy, steps } = callers(entry, recorder);
  // Without a base address every caller supplies one.
  const base = entry.proxy?.base_url === undefined ? { baseUrlOverride: 'https://own.test' } : {};
  const call = (from: Made) => proxy.callOnce(targetOf(entry, from), { method: 'GET', endpoint: '/x', ...base });
  await recorder.note('call', () => call(made));
  const least = withoutOptional(entry, made);
  if (least) await recorder.note('call, with required fields only', () => call(least));
  await recorder.note('verification', async () => {
    const target = targetOf(entry, made);
    if (!(await steps.verify(entry, target))) await proxy.verify(target, 'interactive');
  });
  return [`== ${name} (${entry.auth_mode})`, ...recorder.lines].join('\n');
}

interface Made {
  credentials: StoredCredentials;
  config: Record<string, unknown>;
}

const REDIRECTED = new Set(['OAUTH2', 'OAUTH1', 'CUSTOM', 'MCP_OAUTH2', 'MCP_OAUTH2_GENERIC', 'APP']);

async function connect(entry: ProviderEntry, recorder: Recorder): Promise<Made> {
  const credentials = createCredentialsService({ http: recorder, clock, ids, environments });
  const fields = Object.entries(entry.connection_config ?? {});
  const samples = (names: string[]): Record<string, string> =>
    Object.fromEntries(
      names.map((name) => {
        const field = entry.connection_config?.[name];
        return [name, field ? sampleOf(name, field) : sampleOfResponse(name)];
      }),
    );
  const readByMode = (CONFIG_READ_BY_MODE[entry.auth_mode] ?? []).filter((name) => name === 'accountId');
  const entered = samples([...readByMode, ...fields.filter(([, field]) => !field.automated).map(([field]) => field)]);
  const context = { ...credentialsContextOf(entry, entered), connectionId: 'sample' };
  const issued: IssuedCredentials[] = [];
  let config: Record<string, unknown> = entered;
  if (REDIRECTED.has(entry.auth_mode)) {
    const states = onlyPart<FlowStates>('states', {
      newId: () => 'state',
      save: async (_id: string, state: { connectionConfig: Record<string, unknown> }) => {
        config = state.connectionConfig;
      },
    });
    const flow = createRedirectFlow({
      credentials,
      states,
      registration: onlyPart('registration', { ensure: async () => CLIENT }),
      ids,
    });
    const start = {
      context: { ...context, integration: {}, session: {}, operation: { log: () => {} } },
      callbackUrl: CALLBACK,
      credentials: {},
      authorizationParams: {},
    };
    // Installed at the provider, whose webhook contains the code.
    const isOutbound = entry.installation === 'outbound';
    const begin = isOutbound
      ? async () => {}
      : async () => {
          const { url } = await flow.start(start as unknown as RedirectStart);
          recorder.add({ method: 'GET', url });
        };
    await recorder.note('authorization', begin);
    config = {
      ...config,
      ...samples([...(entry.redirect_uri_metadata ?? []), ...(entry.webhook_response_metadata ?? [])]),
    };
    const back = { ...context, connectionConfig: config };
    await recorder.note('token', async () => {
      if (entry.auth_mode === 'APP') issued.push(await credentials.issue(back, { installation_id: '1' }));
      else if (entry.auth_mode === 'OAUTH1')
        issued.push(
          await credentials.exchangeOAuth1Token(
            back,
            CLIENT,
            { key: 'request-token', secret: 'request-secret' },
            'verifier',
          ),
        );
      else
        issued.push(
          await credentials.exchangeCode(back, {
            client: isDiscovered(entry) ? discoveredClient(config) : CLIENT,
            code: 'code',
            redirectUri: CALLBACK,
            codeVerifier: entry.disable_pkce ? undefined : 'code-verifier',
          }),
        );
    });
    if (entry.auth_mode === 'CUSTOM')
      await recorder.note('token of the installation', async () => {
        issued[0] = await credentials.issue(back, { installation_id: '1' });
      });
  } else {
    await recorder.note('token', async () => void issued.push(await credentials.issue(context, sampleInput(entry))));
  }
  const [got] = issued;
  // Steps after connecting fill the fields that no person enters.
  const filled = samples(fields.filter(([, field]) => field.automated).map(([field]) => field));
  return { credentials: got?.credentials ?? {}, config: { ...filled, ...config, ...got?.config } };
}

async function renew(entry: ProviderEntry, recorder: Recorder, { credentials, config }: Made): Promise<void> {
  const isRenewed = ['OAUTH2', 'OAUTH2_CC', 'TWO_STEP', 'APP', 'BILL', 'JWT', 'SIGNATURE'].includes(
    credentials.type ?? '',
  );
  if (!isRenewed) return;
  const service = createCredentialsService({ http: recorder, clock, ids, environments });
  await service.renew(credentialsContextOf(entry, config), credentials, { onlyAppJwt: false, keep: () => {} });
}

function credentialsContextOf(entry: ProviderEntry, connectionConfig: Record<string, unknown>): CredentialsContext {
  const scopes = (entry.default_scopes ?? ['scope-one', 'scope-two']).join(',');
  return { environmentId: 1, entry, app: { ...SAMPLE_APP, scopes }, custom: sampleCustom(entry), connectionConfig };
}

function callers(entry: ProviderEntry, recorder: Recorder) {
  const proxy = createProxyService({
    catalog: { find: () => entry, explainMissing: () => '' },
    resolveTarget: () => Promise.reject(new Error('Calls name their target themselves.')),
    http: recorder,
    clock,
    ids,
    environments,
  });
  const steps = createProviderSteps({ proxy, http: recorder, clock } as never);
  return { proxy, steps };
}

function targetOf(entry: ProviderEntry, { credentials, config }: Made): ProxyTarget {
  return {
    environmentId: 1,
    providerName: entry.name,
    integration: {
      uniqueKey: entry.name,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      custom: sampleCustom(entry),
    },
    connection: { id: 1, connectionId: 'sample', credentials, connectionConfig: config, metadata: {} },
  };
}

/** Undefined when there is no optional field to leave empty, or when a step after connecting may fill one. */
function withoutOptional(entry: ProviderEntry, { credentials, config }: Made): Made | undefined {
  if (entry.post_connection_script) return undefined;
  const optionalOf = (fields: ProviderEntry['credentials']): string[] =>
    Object.entries(fields ?? {}).flatMap(([name, field]) => (field.optional && !field.automated ? [name] : []));
  const [inConfig, inCredentials] = [optionalOf(entry.connection_config), optionalOf(entry.credentials)];
  if (inConfig.length + inCredentials.length === 0) return undefined;
  const drop = (from: Record<string, unknown>, names: string[]) =>
    Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));
  return { credentials: drop(credentials, inCredentials), config: drop(config, inConfig) };
}

/** Replaces the network: records the requests and responses with the members that the entry reads. */
class Recorder implements Pick<OutboundHttp, 'request'> {
  readonly lines: string[] = [];
  readonly #entry: ProviderEntry;
  #sent: string[] = [];
  #blocks = new Map<string, string>();

  constructor(entry: ProviderEntry) {
    this.#entry = entry;
  }

  add(request: Pick<OutboundRequest, 'method' | 'url' | 'rawPath' | 'headers' | 'body' | 'tls'>): void {
    this.#sent.push(...describeSent(request));
  }

  /** Requests of `work`, under a title; repeated ones are only named. */
  async note(title: string, work: () => Promise<unknown>): Promise<void> {
    this.#sent = [];
    try {
      await work();
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      this.#sent.push(`  ! ${code ?? 'error'}: ${message}`);
    }
    if (this.#sent.length === 0) return;
    const text = this.#sent.join('\n');
    const same = [...this.#blocks].find(([, block]) => block === text)?.[0];
    if (same === undefined) this.lines.push(`${title}:`, text);
    else this.lines.push(`${title}: as ${same}`);
    this.#blocks.set(title, text);
  }

  request: OutboundHttp['request'] = async (request) => {
    this.add(request);
    const url = new URL(request.url);
    const { body, headers } = sampleResponse(this.#entry);
    const text =
      this.#entry.auth_mode === 'OAUTH1'
        ? 'oauth_token=oauth-token&oauth_token_secret=oauth-secret'
        : JSON.stringify(isMetadata(url) ? metadataAt(url) : body);
    // Refused, so that every address of a verification is tried.
    const status = isCall(request) ? 401 : 200;
    return { status, statusText: '', headers, body: Readable.from([Buffer.from(text)]), url } as never;
  };
}

/** Requests of the proxy include their limit of silence. */
function isCall(request: OutboundRequest): boolean {
  return request.silenceMs !== undefined;
}

function isMetadata({ pathname }: URL): boolean {
  return pathname.startsWith('/.well-known/') || pathname === '/register';
}

/** The metadata of an MCP server and its authorization server. */
function metadataAt({ origin, pathname }: URL): Record<string, unknown> {
  if (pathname === '/register') return { client_id: 'registered-client' };
  return {
    resource: `${origin}/mcp`,
    authorization_servers: [origin],
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
  };
}
