import { isAppPage } from '../rules/address-rules.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';

/** The dashboard session that all windows share: the first page opens it, the others use it. */
export class PageSession {
  readonly #supervisor: ServerSupervisor;
  /** Address of the server for which this profile has a session since the start. */
  #address: string | undefined;

  constructor({ supervisor }: { supervisor: ServerSupervisor }) {
    this.#supervisor = supervisor;
  }

  get address(): string | undefined {
    return this.#address;
  }

  /** Call it when the session has ended. The next page then opens a new one. */
  invalidate(): void {
    this.#address = undefined;
  }

  /**
   * Addresses to load one after the other to show a page below `/app`. Empty for any other page, and while there is no
   * server. `loadURL` fires no `will-navigate`, so the navigation guard does not check these addresses.
   */
  async addressesOf(page: string): Promise<string[]> {
    const { ready } = this.#supervisor;
    if (!ready) return [];
    const target = new URL(page, ready.address);
    if (!isAppPage(target.href, ready.address)) return [];
    if (this.#address === ready.address) return [target.href];
    const hash = await this.#requestHash();
    if (hash === undefined) return [];
    this.#address = ready.address;
    const login = new URL(target);
    login.hash = hash;
    return target.hash === '' ? [login.href] : [login.href, target.href];
  }

  /** A one-time code for a page that is open. Undefined while there is no server. */
  async loginCode(): Promise<string | undefined> {
    return (await this.#requestHash())?.replace('#code=', '');
  }

  async #requestHash(): Promise<string | undefined> {
    // The server may stop meanwhile; its next state asks again.
    const link = await this.#supervisor.requestLoginLink().catch(() => undefined);
    return link && new URL(link).hash;
  }
}
