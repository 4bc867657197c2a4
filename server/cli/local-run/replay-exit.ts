import type { GuestHttpRequest } from '../../../functions/runtime/bridge.ts';
import { Cassette } from '../../../functions/testing/cassette.ts';
import type { FixtureApi } from '../../../functions/testing/fixture-file.ts';
import { recordedBody } from '../../../functions/testing/recorded-answer.ts';
import { type ExitAnswer, type ProviderExit, toRequestParts } from './provider-exit.ts';

/** Answers from a recording; there is no network behind it. */
export class ReplayExit implements ProviderExit {
  readonly #cassette: Cassette;
  #hasRefused = false;

  constructor(api: FixtureApi | undefined) {
    this.#cassette = new Cassette(api);
  }

  /** Whether an answer outside 2xx was given. */
  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  async send(request: GuestHttpRequest): Promise<ExitAnswer> {
    const entry = this.#cassette.find(toRequestParts(request));
    const status = entry.status ?? 200;
    if (status < 200 || status > 299) this.#hasRefused = true;
    const body = recordedBody(entry);
    return {
      status,
      statusText: '',
      headers: lowerCased(entry.headers ?? {}),
      body: request.expect === 'bytes' ? Buffer.from(body) : body.toString(),
      config: { method: request.method, url: request.endpoint, headers: request.headers ?? {} },
    };
  }
}

function lowerCased(headers: Record<string, string | string[]>): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
