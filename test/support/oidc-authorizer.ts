import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClientMetadata, Provider } from 'oidc-provider';

export interface OidcClient {
  id: string;
  secret: string;
  /** How the client authenticates at the token endpoint. */
  method: 'client_secret_post' | 'client_secret_basic';
}

export interface OidcOptions {
  clients: readonly OidcClient[];
  /** The callback address of clients. */
  callbackUrl: string;
  accessTokenSeconds: number;
}

/** A certified authorization server on a free port: PKCE required, refresh tokens rotated, one person who agrees. */
export class OidcAuthorizer {
  readonly #server: Server;
  #provider: Provider | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Opens the port; requests are answered after `serve`. */
  static async start(): Promise<OidcAuthorizer> {
    const server = createServer();
    const authorizer = new OidcAuthorizer(server);
    server.on('request', (request, response) => void authorizer.#respond(request, response));
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return authorizer;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  serve({ clients, callbackUrl, accessTokenSeconds }: OidcOptions): void {
    this.#provider = new Provider(this.address, {
      clients: clients.map(
        ({ id, secret, method }): ClientMetadata => ({
          client_id: id,
          client_secret: secret,
          token_endpoint_auth_method: method,
          redirect_uris: [callbackUrl],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
        }),
      ),
      cookies: { keys: ['a key for tests'] },
      features: { devInteractions: { enabled: false } },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      issueRefreshToken: () => true,
      pkce: { required: () => true },
      rotateRefreshToken: true,
      ttl: {
        AccessToken: accessTokenSeconds,
        AuthorizationCode: 60,
        Grant: 3600,
        IdToken: 3600,
        Interaction: 3600,
        RefreshToken: 3600,
        Session: 3600,
      },
    });
  }

  /** Follows the redirects from the authorization address as a browser does, with its cookies, until they leave the server. */
  async agree(location: string): Promise<URL> {
    const cookies = new Map<string, string>();
    let url = new URL(location);
    while (url.origin === this.address) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      const target = response.headers.get('location');
      if (target === null) throw new Error(`${url.pathname} answered ${response.status}: ${await response.text()}`);
      url = new URL(target, url);
    }
    return url;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider;
    if (!provider) throw new Error('The authorization server does not serve yet.');
    if (!request.url?.startsWith('/interaction/')) return void provider.callback()(request, response);
    await this.#interact(provider, request, response);
  }

  /** The person signs in and agrees to everything. */
  async #interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
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
}
