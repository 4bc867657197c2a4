import type { GuestHttpRequest, GuestHttpResponse, HostMethods } from '../../../functions/runtime/bridge.ts';
import { readBody } from '../../lib/outbound-body.ts';
import { OutboundError } from '../../lib/outbound-error.ts';
import type { OutboundHttp } from '../../lib/outbound-http.ts';
import { refusedByProvider, withoutAnswer } from '../../sandbox/refused-request.ts';
import { fetchUncontrolled } from '../../sandbox/uncontrolled-fetch.ts';
import { fromGuestRequest, ProxyRequestError, type ProxyService, toGuestResponse } from '../proxy/proxy-service.ts';

import type { RunAnswers } from './answer-budget.ts';
import { logAttempt } from './log-attempt.ts';
import type { RunRequest } from './run-request.ts';

export interface RunHttpOptions {
  proxy: ProxyService;
  http: OutboundHttp;
  /** Milliseconds since the epoch: no wait between attempts goes past it. */
  deadlineMs: number;
  /** Largest answer that a function may receive. */
  bodyLimitBytes: number;
  answers: RunAnswers;
}

/** The network as a run sees it: requests to providers with credentials, and plain fetch. */
export class RunHttp {
  readonly #options: RunHttpOptions;
  readonly #run: RunRequest;

  constructor(options: RunHttpOptions, run: RunRequest) {
    this.#options = options;
    this.#run = run;
  }

  async request(request: GuestHttpRequest, signal: AbortSignal): Promise<HostMethods['http.request']['result']> {
    const { environment, integration, connection, operation } = this.#run;
    const current = {
      environmentId: environment.id,
      integrationKey: integration.uniqueKey,
      connectionId: connection.connectionId,
    };
    const call = fromGuestRequest(request, current);
    const most = (call.retries ?? 0) + 1;
    try {
      const response = await this.#options.proxy.call({
        ...call,
        signal,
        deadlineMs: this.#options.deadlineMs,
        onAttempt: (attempt) => logAttempt(operation, attempt, most, 'script'),
      });
      const { answers, bodyLimitBytes: limitBytes } = this.#options;
      const answer = await answers.hold((reserve) =>
        toGuestResponse(response, request.expect, { limitBytes, reserve }),
      );
      const { config, ...plain } = answer;
      if (answer.status >= 200 && answer.status <= 299) return answer;
      const refused = refusedByProvider(plain, config);
      answers.pass(answer, refused.wire);
      throw refused;
    } catch (error) {
      if (error instanceof ProxyRequestError) throw withoutAnswer(error.code, error.message, error.request);
      if (error instanceof OutboundError) throw withoutAnswer(error.code, error.message);
      throw error;
    }
  }

  async uncontrolledFetch(
    args: HostMethods['http.uncontrolledFetch']['args'],
    signal: AbortSignal,
  ): Promise<GuestHttpResponse & { url: string }> {
    const { environment } = this.#run;
    const response = await fetchUncontrolled(this.#options.http, args, environment.settings.allowedHosts, signal);
    const headers = Object.entries(response.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    return this.#options.answers.hold(async (reserve) => ({
      status: response.status,
      statusText: response.statusText,
      headers: Object.fromEntries(headers),
      body: await readBody(response.body, this.#options.bodyLimitBytes, reserve),
      url: response.url.href,
    }));
  }
}
