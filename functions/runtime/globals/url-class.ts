import type { CallSync, UrlParts } from '../guest-link.ts';
import { URLSearchParams } from './url-search-params.ts';

/** The type of the global URL, as far as the guest uses it. */
export type UrlClass = new (input: unknown, base?: unknown) => object;

/**
 * Creates the URL class of the URL standard. The worker's Node parses addresses, so there is one parser, and the
 * isolate loads no tables.
 */
export function createUrlClass(callSync: CallSync): UrlClass {
  return class URL {
    #parts: UrlParts;
    #params: URLSearchParams | undefined;

    constructor(input: unknown, base?: unknown) {
      const parts = callSync('parseUrl', String(input), base === undefined ? undefined : String(base));
      if (!parts) throw Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input: String(input) });
      this.#parts = parts;
    }

    static canParse(input: unknown, base?: unknown): boolean {
      return callSync('parseUrl', String(input), base === undefined ? undefined : String(base)) !== null;
    }

    static parse(input: unknown, base?: unknown): URL | null {
      return URL.canParse(input, base) ? new URL(input, base) : null;
    }

    get searchParams(): URLSearchParams {
      this.#params ??= URLSearchParams.ofUrl(this.#parts.search, () => {
        this.#parts = callSync('setUrlPart', this.#parts.href, 'search', this.#params?.toString() ?? '');
      });
      return this.#params;
    }

    get href() {
      return this.#parts.href;
    }
    set href(value) {
      this.#set('href', value);
    }
    get origin() {
      return this.#parts.origin;
    }
    get protocol() {
      return this.#parts.protocol;
    }
    set protocol(value) {
      this.#set('protocol', value);
    }
    get username() {
      return this.#parts.username;
    }
    set username(value) {
      this.#set('username', value);
    }
    get password() {
      return this.#parts.password;
    }
    set password(value) {
      this.#set('password', value);
    }
    get host() {
      return this.#parts.host;
    }
    set host(value) {
      this.#set('host', value);
    }
    get hostname() {
      return this.#parts.hostname;
    }
    set hostname(value) {
      this.#set('hostname', value);
    }
    get port() {
      return this.#parts.port;
    }
    set port(value) {
      this.#set('port', value);
    }
    get pathname() {
      return this.#parts.pathname;
    }
    set pathname(value) {
      this.#set('pathname', value);
    }
    get search() {
      return this.#parts.search;
    }
    set search(value) {
      this.#set('search', value);
    }
    get hash() {
      return this.#parts.hash;
    }
    set hash(value) {
      this.#set('hash', value);
    }

    toString(): string {
      return this.#parts.href;
    }

    toJSON(): string {
      return this.#parts.href;
    }

    get [Symbol.toStringTag](): string {
      return 'URL';
    }

    #set(part: keyof UrlParts, value: unknown): void {
      this.#parts = callSync('setUrlPart', this.#parts.href, part, String(value));
      if (this.#params) URLSearchParams.reload(this.#params, this.#parts.search);
    }
  };
}
