import type { GuestHttpRequest } from '../../../functions/runtime/bridge.ts';
import { Cassette } from '../../../functions/testing/cassette.ts';
import type { Fixture } from '../../../functions/testing/fixture-file.ts';
import { mockedBody, recordedBody } from '../../../functions/testing/recorded-response.ts';
import { isSuccessStatus } from '../../platform/lib/success-status.ts';
import { type ProviderRequestSender, type ProviderResponse, toRequestParts } from './provider-request-sender.ts';

/** Answers requests from a recording, without a network. */
export class ReplayRequestSender implements ProviderRequestSender {
  readonly #cassette: Cassette;
  readonly #isMocked: boolean;
  #hasRefused = false;
  #differsFromMock = false;

  /** `isMocked`: texts are returned in the form of the mock classes instead of the provider's. */
  constructor({ api, legacyName }: Fixture, { isMocked = false }: { isMocked?: boolean } = {}) {
    this.#cassette = new Cassette(api, legacyName);
    this.#isMocked = isMocked;
  }

  /** Whether a response outside 2xx was returned. */
  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  /** Whether a response was returned that the mock classes would return as a different value. */
  get differsFromMock(): boolean {
    return this.#differsFromMock;
  }

  /** Recorded requests that were not sent. */
  get unsent(): string[] {
    return this.#cassette.unsent;
  }

  async send(request: GuestHttpRequest): Promise<ProviderResponse> {
    const entry = this.#cassette.find(toRequestParts(request));
    const status = entry.status ?? 200;
    if (!isSuccessStatus(status)) this.#hasRefused = true;
    const mocked = mockedBody(entry, request.expect);
    const real = recordedBody(entry);
    if (String(mocked) !== String(real)) this.#differsFromMock = true;
    const body = this.#isMocked ? mocked : real;
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
