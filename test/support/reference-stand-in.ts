import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Wire = Record<string, unknown>;

const PROVIDERS = new Set(['practice', 'github']);
const INTEGRATION = new Set(['unique_key', 'provider', 'display_name', 'credentials', 'forward_webhooks', 'custom']);
const CONNECTION = new Set([
  ...['provider_config_key', 'connection_id', 'credentials', 'metadata', 'connection_config', 'end_user', 'tags'],
  'webhook_url_override',
]);

/**
 * The public API of a server that is no Homeport, as strict as the specification says (http-api.md): unknown members and
 * unknown providers are refused, and what the API does not have answers with a page.
 */
export class ReferenceStandIn {
  readonly secretKey = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
  readonly integrations = new Map<string, Wire>();
  readonly connections = new Map<string, Wire>();
  readonly functions = new Set<string>();
  /** Writes to routes that the API has, so far. */
  writes = 0;
  /** After this many writes the connection is cut; undefined means never. */
  cutAfter: number | undefined;
  /** Connections that are refused, with the message. */
  readonly refused = new Map<string, string>();
  readonly #server: Server = createServer((request, response) => {
    void this.#answer(request).then(
      ({ status, body }) => {
        const isPage = typeof body === 'string';
        response.writeHead(status, { 'content-type': isPage ? 'text/html' : 'application/json' });
        response.end(isPage ? body : JSON.stringify(body));
      },
      () => request.socket.destroy(),
    );
  });

  static async start(): Promise<ReferenceStandIn> {
    const standIn = new ReferenceStandIn();
    await new Promise<void>((resolve) => standIn.#server.listen(0, '127.0.0.1', resolve));
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.headers.authorization !== `Bearer ${this.secretKey}`)
      return refusal(401, 'unknown_account', 'Authentication failed.');
    const url = new URL(request.url ?? '/', 'http://x');
    const [first = '', second] = url.pathname.split('/').slice(1).map(decodeURIComponent);
    const body = chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as Wire);
    if (request.method !== 'GET') {
      if (this.cutAfter === this.writes) throw new Error('cut');
      if (/^\/(integrations|connections|sync\/deploy$)/.test(url.pathname)) this.writes += 1;
    }
    switch (`${request.method} /${first}${second === undefined ? '' : '/:id'}`) {
      case 'GET /integrations':
        return { status: 200, body: { data: [...this.integrations.values()] } };
      case 'GET /integrations/:id':
        return url.pathname.split('/').length > 3 ? page : this.#one(this.integrations.get(second ?? ''));
      case 'POST /integrations':
        return this.#create(body);
      case 'GET /providers/:id':
        return PROVIDERS.has(second ?? '')
          ? { status: 200, body: { data: { name: second } } }
          : refusal(404, 'not_found', `Unknown provider ${second}`);
      case 'GET /connections':
        return { status: 200, body: { connections: [...this.connections.values()] } };
      case 'GET /connections/:id': {
        const found = this.connections.get(`${url.searchParams.get('provider_config_key')}/${second}`);
        return found ? { status: 200, body: found } : refusal(404, 'not_found', 'No such connection');
      }
      case 'POST /connections':
        return this.#connect(body);
      case 'POST /sync/:id':
        return url.pathname.endsWith('/confirmation') ? this.#confirm(body) : this.#deploy(body);
      default:
        return page;
    }
  }

  #one(found: Wire | undefined): { status: number; body: unknown } {
    return found ? { status: 200, body: { data: found } } : refusal(404, 'not_found', 'Integration does not exist');
  }

  #create(body: Wire) {
    const unknown = Object.keys(body).filter((name) => !INTEGRATION.has(name));
    if (unknown.length > 0) return unrecognized(unknown);
    if (!PROVIDERS.has(String(body['provider']))) return refusal(400, 'invalid_body', 'invalid provider');
    const { credentials: _credentials, ...kept } = body;
    this.integrations.set(String(body['unique_key']), kept);
    return { status: 200, body: { data: kept } };
  }

  #connect(body: Wire) {
    const unknown = Object.keys(body).filter((name) => !CONNECTION.has(name));
    if (unknown.length > 0) return unrecognized(unknown);
    const { provider_config_key: key, connection_id: id } = body as {
      provider_config_key: string;
      connection_id: string;
    };
    if (!this.integrations.has(key)) return refusal(400, 'unknown_provider_config', 'No such integration');
    const why = this.refused.get(id);
    if (why !== undefined) return refusal(400, 'invalid_body', why);
    this.connections.set(`${key}/${id}`, body);
    return { status: 201, body };
  }

  /** What a deploy would create. */
  #confirm(body: Wire) {
    const isNew = (name: string): boolean => !this.functions.has(name);
    const configs = namesOf(body).filter(isNew);
    return { status: 200, body: { newSyncs: [], newActions: configs, newOnEventScripts: [] } };
  }

  #deploy(body: Wire) {
    if (!Array.isArray(body['onEventScriptsByProvider']))
      return refusal(400, 'invalid_body', 'onEventScriptsByProvider is missing');
    for (const name of namesOf(body)) this.functions.add(name);
    return { status: 200, body: [] };
  }
}

/** `integration/name` of the functions in the body of a deploy. */
function namesOf(body: Wire): string[] {
  const { flowConfigs = [], onEventScriptsByProvider = [] } = body as {
    flowConfigs?: Array<{ providerConfigKey: string; syncName: string }>;
    onEventScriptsByProvider?: Array<{ providerConfigKey: string; scripts: Array<{ name: string }> }>;
  };
  return [
    ...flowConfigs.map(({ providerConfigKey, syncName }) => `${providerConfigKey}/${syncName}`),
    ...onEventScriptsByProvider.flatMap(({ providerConfigKey, scripts }) =>
      scripts.map(({ name }) => `${providerConfigKey}/${name}`),
    ),
  ];
}

const page = { status: 404, body: '<!doctype html><title>Page not found</title>' };

function refusal(status: number, code: string, message: string) {
  return { status, body: { error: { code, message } } };
}

function unrecognized(names: string[]) {
  const errors = [{ code: 'unrecognized_keys', message: `Unrecognized keys: ${names.join(', ')}`, path: [] }];
  return { status: 400, body: { error: { code: 'invalid_body', errors } } };
}
