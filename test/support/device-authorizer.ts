import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClientMetadata, Provider } from 'oidc-provider';

export const DEVICE_CLIENTS = { public: 'a-public-client', confidential: { id: 'with secret', secret: 's:e+c' } };
const GRANTS = ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'];

/** A certified authorization server on a free port that signs in people with a code, and registers clients. */
export class DeviceAuthorizer {
  /** Requests with their method: `POST /token`. */
  readonly asked: string[] = [];
  /** Delays the answers of the token endpoint until it resolves. */
  tokenGate: Promise<void> | undefined;
  readonly #server: Server;
  readonly #cookies = new Map<string, string>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start({ codeSeconds = 600 } = {}): Promise<DeviceAuthorizer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const authorizer = new DeviceAuthorizer(server);
    const provider = new Provider(authorizer.address, {
      clients: clients(),
      cookies: { keys: ['a key for tests'] },
      clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
      features: {
        devInteractions: { enabled: false },
        deviceFlow: { enabled: true },
        registration: { enabled: true },
      },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      issueRefreshToken: () => true,
      pkce: { required: () => true },
      rotateRefreshToken: true,
      ttl: {
        AccessToken: 20,
        DeviceCode: codeSeconds,
        Grant: 3600,
        IdToken: 3600,
        Interaction: 3600,
        RefreshToken: 3600,
        Session: 3600,
      },
    });
    server.on('request', (request, response) => {
      authorizer.asked.push(`${request.method} ${request.url?.split('?')[0]}`);
      if (request.url?.startsWith('/interaction/')) void interact(provider, request, response);
      else if (request.url === '/token')
        void Promise.resolve(authorizer.tokenGate).then(() => provider.callback()(request, response));
      else void provider.callback()(request, response);
    });
    return authorizer;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The entry of a provider that offers only the sign-in with a code; `changes` replace its members. */
  entry(changes: object = {}): object {
    return {
      display_name: 'Certified',
      auth_mode: 'OAUTH2',
      device_authorization_url: `${this.address}/device/auth`,
      token_url: `${this.address}/token`,
      token_expiration_buffer: 30,
      proxy: { base_url: this.address },
      ...changes,
    };
  }

  /** A person opens the page of a code, and signs in and agrees, or refuses; returns the last page. */
  async enterCode(page: string, { agrees = true } = {}): Promise<string> {
    await this.#open(page);
    const code = new URL(page).searchParams.get('user_code') ?? '';
    const confirmed = await this.#send(code, {});
    if (!confirmed.includes('Confirm Device')) throw new Error(`The code was not taken: ${confirmed}`);
    return this.#send(code, agrees ? { confirm: 'yes' } : { abort: 'yes' });
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  #xsrf = '';

  async #send(code: string, answer: Record<string, string>): Promise<string> {
    const body = new URLSearchParams({ xsrf: this.#xsrf, user_code: code, ...answer });
    return this.#open(`${this.address}/device`, { method: 'POST', body });
  }

  /** Follows redirects with the cookies of a browser. */
  async #open(address: string, init: RequestInit = {}): Promise<string> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address, { ...init, redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    const target = response.headers.get('location');
    if (target !== null) return this.#open(new URL(target, address).href);
    const page = await response.text();
    this.#xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
    return page;
  }
}

function clients(): ClientMetadata[] {
  const common = { grant_types: GRANTS, redirect_uris: [], response_types: [] };
  const { id, secret } = DEVICE_CLIENTS.confidential;
  return [
    { client_id: DEVICE_CLIENTS.public, token_endpoint_auth_method: 'none', ...common },
    { client_id: id, client_secret: secret, token_endpoint_auth_method: 'client_secret_basic', ...common },
  ];
}

/** The person signs in and agrees to everything. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params, prompt, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: 'person' } });
    return;
  }
  const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params['client_id']) });
  grant.addOIDCScope(String(params['scope']));
  const result = { consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}
