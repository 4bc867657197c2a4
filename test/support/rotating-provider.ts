import { FakeProvider, type ScriptedResponse } from './fake-provider.ts';

/** A token endpoint whose refresh tokens can be used once, and an API that accepts only the newest access token. */
export class RotatingProvider {
  readonly server: FakeProvider;
  /** Replaces the response of the token endpoint while it is set. */
  refusal: ScriptedResponse | undefined;
  /** Lifetime of a new access token in seconds; undefined omits `expires_in`. */
  lifetimeSeconds: number | undefined = 3600;
  /** Whether a refresh returns a new refresh token. */
  isRotating = true;
  /** Delays the response until it resolves. */
  gate: Promise<void> | undefined;
  #generation = 0;

  private constructor(server: FakeProvider) {
    this.server = server;
    server.on('POST /token', (request) => this.#refresh(new URLSearchParams(request.body.toString())));
    server.on('GET /me', ({ headers }) =>
      headers['authorization'] === `Bearer ${this.accessToken}` ? { body: { ok: true } } : { status: 401, body: {} },
    );
  }

  static async start(): Promise<RotatingProvider> {
    return new RotatingProvider(await FakeProvider.start());
  }

  get accessToken(): string {
    return `access-${this.#generation}`;
  }

  get refreshToken(): string {
    return `refresh-${this.isRotating ? this.#generation : 0}`;
  }

  get refreshCount(): number {
    return this.server.requestsTo('/token').length;
  }

  /** A provider of the workspace, with any name. */
  entry(name: string, further = ''): string {
    const { address } = this.server;
    return `
${name}:
  display_name: ${name}
  auth_mode: OAUTH2
  authorization_url: ${address}/authorize
  token_url: ${address}/token
  proxy: { base_url: "${address}" }
  ${further}
`;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  async #refresh(params: URLSearchParams): Promise<ScriptedResponse> {
    await this.gate;
    if (this.refusal) return this.refusal;
    if (params.get('grant_type') !== 'refresh_token' || params.get('refresh_token') !== this.refreshToken) {
      return { status: 400, body: { error: 'invalid_grant', error_description: 'The refresh token was used before' } };
    }
    this.#generation += 1;
    return {
      body: {
        access_token: this.accessToken,
        ...(this.isRotating ? { refresh_token: this.refreshToken } : {}),
        ...(this.lifetimeSeconds === undefined ? {} : { expires_in: this.lifetimeSeconds }),
        token_type: 'Bearer',
      },
    };
  }
}
