import { createHash, randomBytes } from 'node:crypto';
import { FakeProvider, type RecordedRequest, type ScriptedResponse } from './fake-provider.ts';

export const STRICT_CLIENT = { id: 'strict-client', secret: 'strict-client-secret' };

/** A consent of the person; a code stands for it. */
interface Grant {
  redirectUri: string;
  challenge: string | null;
  clientId: string | null;
}

/** A parsed request to the token endpoint. */
export interface ReceivedTokenRequest {
  params: Record<string, string>;
  request: RecordedRequest;
}

/** The token endpoint of OAuth 2 with all its checks; the person agrees to everything at once. */
export class StrictAuthorizer {
  readonly provider: FakeProvider;
  /** The response to a valid request. */
  tokens: (request: ReceivedTokenRequest) => ScriptedResponse = () => ({
    body: { access_token: 'strict-access', refresh_token: 'strict-refresh', expires_in: 3600 },
  });
  /** Comes first, before a request for tokens is answered. */
  gate: () => Promise<unknown> = async () => {};
  /** Accepted pairs of client id and secret. */
  readonly clients = new Map([[STRICT_CLIENT.id, STRICT_CLIENT.secret]]);
  readonly received: ReceivedTokenRequest[] = [];
  readonly #grants = new Map<string, Grant>();

  private constructor(provider: FakeProvider) {
    this.provider = provider;
    provider.on('POST /token', (request) => this.#respond(request));
  }

  static async start(): Promise<StrictAuthorizer> {
    return new StrictAuthorizer(await FakeProvider.start());
  }

  get address(): string {
    return this.provider.address;
  }

  /** The address after the person agrees on the page at `location`. */
  consent(location: string, { codeParam = 'code', more = {} as Record<string, string> } = {}): URL {
    const query = new URL(location).searchParams;
    const target = new URL(query.get('redirect_uri') ?? '');
    const code = randomBytes(12).toString('hex');
    this.#grants.set(code, {
      redirectUri: target.href,
      challenge: query.get('code_challenge'),
      clientId: query.get('client_id'),
    });
    for (const [name, value] of Object.entries({ [codeParam]: code, state: query.get('state') ?? '', ...more })) {
      target.searchParams.set(name, value);
    }
    return target;
  }

  /** Serves further token endpoints in the same way. */
  serveTokens(path: string): void {
    this.provider.on(`POST ${path}`, (request) => this.#respond(request));
  }

  stop(): Promise<void> {
    return this.provider.stop();
  }

  async #respond(request: RecordedRequest): Promise<ScriptedResponse> {
    await this.gate();
    const isJson = String(request.headers['content-type']).startsWith('application/json');
    const text = request.body.toString();
    const params = (isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))) as Record<
      string,
      string
    >;
    const received = { params, request };
    this.received.push(received);
    const refusal =
      this.#clientTrouble(received) ??
      (params['grant_type'] === 'refresh_token' ? undefined : this.#codeTrouble(params));
    return refusal === undefined ? this.tokens(received) : { status: 400, body: { error: refusal } };
  }

  #clientTrouble({ params, request }: ReceivedTokenRequest): string | undefined {
    const header = String(request.headers['authorization'] ?? '').replace(/^Basic /, '');
    const [id = '', secret = ''] =
      params['client_id'] === undefined
        ? Buffer.from(header, 'base64').toString().split(':').map(decodeForm)
        : [params['client_id'], params['client_secret']];
    return this.clients.get(id) === secret ? undefined : 'invalid_client';
  }

  #codeTrouble({
    code = '',
    redirect_uri: redirectUri,
    code_verifier: verifier,
    grant_type: grantType,
  }: Record<string, string>) {
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    if (grantType !== 'authorization_code') return 'unsupported_grant_type';
    if (!grant || grant.redirectUri !== redirectUri) return 'invalid_grant';
    const made = verifier === undefined ? null : createHash('sha256').update(verifier).digest('base64url');
    return made === grant.challenge ? undefined : 'pkce_failed';
  }
}

function decodeForm(text: string): string {
  return new URLSearchParams(`x=${text}`).get('x') ?? '';
}
