import type { Expectations, ExpectedConnection } from './expectations.ts';
import type { Account, SimulatedProvider } from './simulated-provider.ts';
import type { World } from './world.ts';

interface Kept {
  accounts: Set<string>;
  metadata: Set<string>;
}

/** A token that was renewed so recently may not be in the database yet. */
const STORED_WITHIN_MS = 60_000;

/**
 * What the hub holds, as far as the callers know, at one moment of a time span: while it makes a backup it chooses the
 * moment.
 */
export class KeptState {
  readonly #expected: Expectations;
  readonly #connections = new Map<ExpectedConnection, Kept>();
  readonly #signedIn: ReadonlySet<string>;
  readonly #createdInDev: Map<string, number>;
  /** Of the accounts that are renewed since long. */
  readonly #generations = new Map<string, number>();
  readonly #stops: Array<() => void> = [];

  constructor({ expected, machine, provider }: World) {
    this.#expected = expected;
    this.#signedIn = new Set(expected.signedIn);
    this.#createdInDev = new Map(expected.createdInDev);
    for (const { generation, name, renewedAt } of provider.accounts.values())
      if (machine.clock.awakeMs - renewedAt > STORED_WITHIN_MS) this.#generations.set(name, generation);
    for (const connection of expected.connections.values()) this.#add(connection);
    expected.onNew = (connection) => this.#add(connection);
    this.#stops.push(() => {
      expected.onNew = () => {};
    });
  }

  #add(connection: ExpectedConnection): void {
    const accounts = connection.account.record();
    const metadata = connection.metadata.record();
    this.#connections.set(connection, { accounts: accounts.values, metadata: metadata.values });
    this.#stops.push(accounts.stop, metadata.stop);
  }

  /** The end of the time span. */
  end(): void {
    for (const stop of this.#stops) stop();
    for (const [id, at] of this.#createdInDev)
      if (this.#expected.createdInDev.get(id) !== at) this.#createdInDev.delete(id);
  }

  /** The hub has this state again. */
  apply(provider: SimulatedProvider): void {
    const { createdInDev, signedIn } = this.#expected;
    for (const connection of this.#expected.connections.values()) {
      const { accounts, metadata } = this.#connections.get(connection) ?? {};
      connection.pausedAt = undefined;
      connection.account.reset(accounts ?? ['none']);
      connection.metadata.reset(metadata ?? ['']);
    }
    this.#expected.loosenVersions();
    signedIn.clear();
    for (const name of this.#signedIn) signedIn.add(name);
    createdInDev.clear();
    for (const [id, at] of this.#createdInDev) createdInDev.set(id, at);
    for (const account of provider.accounts.values()) this.#noteLost(account);
  }

  /** What was under way then goes on: a new connection may still be refused. */
  keepDoubts(): void {
    for (const [{ account }, { accounts }] of this.#connections)
      if (accounts.size > 1) for (const one of accounts) account.maybe(one);
  }

  #noteLost(account: Account): void {
    if (this.#generations.get(account.name) !== account.generation)
      account.lostBecause = 'its newest token is younger than the backup that was restored';
  }
}
