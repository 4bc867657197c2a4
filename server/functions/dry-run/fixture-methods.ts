import type { HostMethods } from '../../../functions/runtime/bridge.ts';
import type { Fixture, FixtureContext } from '../../../functions/testing/fixture-file.ts';
import type { LocalMethods } from './local-host.ts';

const WEBHOOK_URL = 'https://example.com/webhook';

/** Host methods that return what a fixture contains, and throw for anything else. */
export class FixtureMethods {
  readonly #recorded: FixtureContext;
  #hasMissed = false;

  constructor({ nango = {} }: Fixture) {
    this.#recorded = nango;
  }

  /** Members of the connection that were not recorded. The runtime reads both from one response. */
  get unrecorded(): string[] {
    return ['getConnection', 'getMetadata'].filter((member) => this.#recorded[member] === undefined);
  }

  /** Whether a connection was requested although one of its two parts was not recorded. */
  get hasMissed(): boolean {
    return this.#hasMissed;
  }

  methods(): Partial<LocalMethods> {
    return {
      'http.uncontrolledFetch': () => Promise.reject(missing('uncontrolledFetch')),
      'connection.get': async () => this.#connection(),
      'metadata.set': async () => ({}),
      'metadata.update': async () => (this.#recorded.updateMetadata ?? {}) as Record<string, unknown>,
      'integration.get': async ({ include }) => this.#integration(include),
      'environment.variables': async () =>
        this.#get('getEnvironmentVariables') as HostMethods['environment.variables']['result'],
      'action.trigger': () => Promise.reject(missing('triggerAction')),
      'sync.trigger': async () => null,
      'records.getByIds': async () => ({ records: [] }),
      'records.list': async () => ({ records: [], nextCursor: null }),
    };
  }

  #connection(): Record<string, unknown> {
    const { getConnection, getMetadata } = this.#recorded;
    this.#hasMissed ||= this.unrecorded.length > 0;
    // The runtime reads metadata from the connection; functions check for either of the two error texts.
    if (getConnection === undefined && getMetadata === undefined)
      throw new Error('Missing mock data for getConnection. Missing mock data for getMetadata.');
    return { ...getConnection, ...(getMetadata === undefined ? {} : { metadata: getMetadata }) };
  }

  #integration(include: string[]): Record<string, unknown> {
    // `getWebhookURL` calls this. Without a recording its response is fixed (functions.md 8.4).
    if (this.#recorded['getIntegration'] === undefined && include.join() === 'webhook')
      return { webhook_url: WEBHOOK_URL };
    return this.#get('getIntegration') as Record<string, unknown>;
  }

  #get(member: string): unknown {
    const value = this.#recorded[member];
    if (value === undefined) throw missing(member);
    return value;
  }
}

function missing(member: string): Error {
  return new Error(`Missing mock data for ${member}`);
}
