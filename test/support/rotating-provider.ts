import { FakeProvider, type ScriptedAnswer } from './fake-provider.ts';

/** A token endpoint that hands out each refresh token for one use, and an API that takes the newest access token only. */
export class RotatingProvider {
  readonly server: FakeProvider;
  /** What the token endpoint answers instead, while it is set. */
  refusal: ScriptedAnswer | undefined;
  /** Seconds that a new access token lives; undefined leaves `expires_in` out. */
  lifetimeSeconds: number | undefined = 3600;
  /** Whether a refresh gives a new refresh token. */
  isRotating = true;
  /** Held back before the answer goes out. */
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

  /** A provider of the workspace, by any name. */
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

  async #refresh(params: URLSearchParams): Promise<ScriptedAnswer> {
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
