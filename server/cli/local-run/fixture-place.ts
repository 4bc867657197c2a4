import type { Fixture, FixtureContext } from '../../../functions/testing/fixture-file.ts';
import type { LocalPlace } from './local-place.ts';

const WEBHOOK_URL = 'https://example.com/webhook';

/** The surroundings of a recorded run: what the fixture holds, and an error for what it does not. */
export class FixturePlace implements LocalPlace {
  readonly #recorded: FixtureContext;
  #hasMissed = false;

  constructor({ nango = {} }: Fixture) {
    this.#recorded = nango;
  }

  /** Members of a connection that were not recorded; the runtime reads both off one answer. */
  get unrecorded(): string[] {
    return ['getConnection', 'getMetadata'].filter((member) => this.#recorded[member] === undefined);
  }

  /** Whether something was asked that a mock might have refused. */
  get hasMissed(): boolean {
    return this.#hasMissed;
  }

  async getConnection(): Promise<Record<string, unknown>> {
    const { getConnection, getMetadata } = this.#recorded;
    this.#hasMissed ||= this.unrecorded.length > 0;
    // The runtime reads metadata off the connection; functions look for either text.
    if (getConnection === undefined && getMetadata === undefined)
      throw new Error('Missing mock data for getConnection. Missing mock data for getMetadata.');
    return { ...getConnection, ...(getMetadata === undefined ? {} : { metadata: getMetadata }) };
  }

  async setMetadata(): Promise<Record<string, unknown>> {
    return {};
  }

  async updateMetadata(): Promise<Record<string, unknown>> {
    return (this.#recorded.updateMetadata ?? {}) as Record<string, unknown>;
  }

  async getIntegration({ include }: { include: string[] }): Promise<Record<string, unknown>> {
    // `getWebhookURL` asks this; what it answers is fixed where nothing is recorded (functions.md 8.4).
    if (this.#recorded['getIntegration'] === undefined && include.join() === 'webhook')
      return { webhook_url: WEBHOOK_URL };
    return this.#get('getIntegration') as Record<string, unknown>;
  }

  async listVariables(): Promise<Array<{ name: string; value: string }>> {
    return this.#get('getEnvironmentVariables') as Array<{ name: string; value: string }>;
  }

  async triggerAction(): Promise<never> {
    throw missing('triggerAction');
  }

  async triggerSync(): Promise<null> {
    return null;
  }

  async getRecordsByIds(): Promise<{ records: [] }> {
    return { records: [] };
  }

  async listRecords(): Promise<{ records: []; nextCursor: null }> {
    return { records: [], nextCursor: null };
  }

  async uncontrolledFetch(): Promise<never> {
    throw missing('uncontrolledFetch');
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
