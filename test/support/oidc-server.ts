import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

export interface OidcServer {
  /** Issuer, without a trailing slash. */
  readonly address: string;
  /** The requested paths with their methods: `POST /reg`. */
  readonly asked: string[];
  /** Opens an authorization address as a person's browser would, signs in and allows; returns the callback address. */
  authorize(url: string): Promise<URL>;
  stop(): Promise<void>;
}

/** A certified OpenID provider on a free loopback port: clients register themselves, tokens expire after an hour. */
export async function startOidcServer(): Promise<OidcServer> {
  const asked: string[] = [];
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?')[0]}`);
    handle(request, response);
  });
  const address = await listen(server);
  const provider = new Provider(address, configuration());
  const serve = provider.callback();
  handle = (request, response) => {
    if (request.url?.startsWith('/interaction/')) void allow(provider, request, response);
    else void serve(request, response);
  };
  return {
    address,
    asked,
    authorize: followToCallback,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function configuration(): Configuration {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    scopes: ['openid', 'offline_access', 'tools:read'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 60,
      IdToken: 3600,
      RefreshToken: 86_400,
      Grant: 3600,
      Session: 3600,
      Interaction: 600,
    },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => [],
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          scope: 'tools:read',
          audience: resource,
          accessTokenFormat: 'opaque',
        }),
      },
    },
  };
}

/** Every client is signed in and every scope is granted. */
async function allow(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params, session, prompt } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'person' } });
  }
  const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params['client_id']) });
  const scope = String(params['scope'] ?? '');
  grant.addOIDCScope(scope);
  for (const resource of [params['resource'] ?? []].flat()) grant.addResourceScope(String(resource), scope);
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

async function followToCallback(start: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const origin = new URL(start).origin;
  for (let url = new URL(start), hops = 0; hops < 10; hops++) {
    const header = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: header } });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const target = response.headers.get('location');
    if (target === null)
      throw new Error(`The sign-in ended at ${url.pathname}: ${response.status} ${await response.text()}`);
    url = new URL(target, url);
    if (url.origin !== origin) return url;
  }
  throw new Error('The sign-in led nowhere.');
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}
