import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import type { Clock } from '../../server/platform/lib/clock.ts';
import { FakeProvider, type RecordedRequest, type ScriptedResponse } from './fake-provider.ts';

const HOUR_MS = 3_600_000;

/** The part of GitHub that matters to an installed app whose users authorize with it. */
export class FakeGithub {
  readonly server: FakeProvider;
  readonly appId = '12345';
  readonly client = { id: 'Iv1.client', secret: 'github-client-secret' };
  /** PKCS#1, as GitHub issues it. */
  readonly privateKey: string;
  /** Replaces every response to a request for a token of an installation. */
  installationAnswer: ScriptedResponse | undefined;
  /** Delays every response to a request for a token of an installation. */
  beforeInstallationAnswer: (() => Promise<void>) | undefined;
  /** Replaces every response to a refresh of a user's token. */
  userAnswer: ScriptedResponse | undefined;
  readonly #publicKey;
  readonly #clock: Clock;
  #count = 0;
  /** A used refresh token becomes invalid. */
  #refreshToken = '';

  private constructor(server: FakeProvider, clock: Clock) {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.server = server;
    this.privateKey = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString().trim();
    this.#publicKey = publicKey;
    this.#clock = clock;
  }

  static async start(clock: Clock, installations: readonly string[]): Promise<FakeGithub> {
    const github = new FakeGithub(await FakeProvider.start(), clock);
    for (const id of installations) {
      github.server.on(`POST ${installationPath(id)}`, (request) => github.#giveInstallationToken(id, request));
    }
    github.server.on('POST /login/oauth/access_token', (request) => github.#giveUserToken(request));
    return github;
  }

  /** Requests for tokens of one installation. */
  installationCalls(id: string): RecordedRequest[] {
    return this.server.requestsTo(installationPath(id));
  }

  /** The token requests for users, as forms. */
  userCalls(): Array<Record<string, string>> {
    return this.server
      .requestsTo('/login/oauth/access_token')
      .map(({ body }) => Object.fromEntries(new URLSearchParams(body.toString())));
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  async #giveInstallationToken(id: string, { headers }: RecordedRequest): Promise<ScriptedResponse> {
    const jwt = String(headers['authorization']).replace(/^Bearer /, '');
    const now = this.#clock.now();
    try {
      const { payload } = await jwtVerify(jwt, this.#publicKey, { issuer: this.appId, currentDate: new Date(now) });
      if (Number(payload.exp) - now / 1000 > 600) return { status: 401, body: { message: 'exp is too far away' } };
    } catch (error) {
      return { status: 401, body: { message: `A JSON web token could not be decoded: ${String(error)}` } };
    }
    await this.beforeInstallationAnswer?.();
    if (this.installationAnswer) return this.installationAnswer;
    this.#count += 1;
    const expiresAt = new Date(now + HOUR_MS).toISOString().replace(/\.\d+Z$/, 'Z');
    return { status: 201, body: { token: `ghs_${id}_${this.#count}`, expires_at: expiresAt, permissions: {} } };
  }

  /** GitHub reports errors with status 200. */
  #giveUserToken({ body }: RecordedRequest): ScriptedResponse {
    const form = Object.fromEntries(new URLSearchParams(body.toString()));
    const isClient = form['client_id'] === this.client.id && form['client_secret'] === this.client.secret;
    if (!isClient) return { body: { error: 'incorrect_client_credentials' } };
    const isRefresh = form['grant_type'] === 'refresh_token';
    if (isRefresh && this.userAnswer) return this.userAnswer;
    if (isRefresh && form['refresh_token'] !== this.#refreshToken) return { body: { error: 'bad_refresh_token' } };
    if (!isRefresh && form['code'] !== 'good-code') return { body: { error: 'bad_verification_code' } };
    this.#count += 1;
    this.#refreshToken = `ghr_${this.#count}`;
    const lifetimes = { expires_in: 28_800, refresh_token_expires_in: 15_811_200 };
    return { body: { access_token: `ghu_${this.#count}`, refresh_token: this.#refreshToken, ...lifetimes } };
  }
}

function installationPath(id: string): string {
  return `/app/installations/${id}/access_tokens`;
}
