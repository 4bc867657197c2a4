import type { HostMethods } from '../bridge.ts';
import { Buffer, bufferBytes } from '../globals/buffer-global.ts';
import { ArrayIsArray, JSONParse, ObjectEntries, toText } from '../primordials.ts';

type Wire = HostMethods['http.uncontrolledFetch']['result'];

/** The response of `uncontrolledFetch`: a web `Response` whose body is here as a whole. */
export class FetchResponse {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly url: string;
  readonly headers: FetchHeaders;
  readonly redirected: boolean;
  readonly type = 'basic';
  readonly #wire: Wire;
  readonly #body: Uint8Array;
  #isUsed = false;

  constructor(wire: Wire, redirected: boolean) {
    this.#wire = wire;
    this.redirected = redirected;
    this.status = wire.status;
    this.statusText = wire.statusText;
    this.ok = wire.status >= 200 && wire.status < 300;
    this.url = wire.url;
    this.headers = new FetchHeaders(wire.headers);
    this.#body = typeof wire.body === 'string' ? new Uint8Array(Buffer.from(wire.body)) : wire.body;
  }

  get bodyUsed(): boolean {
    return this.#isUsed;
  }

  async text(): Promise<string> {
    return textOf(this.#take());
  }

  async json(): Promise<unknown> {
    return JSONParse(textOf(this.#take()));
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer as ArrayBuffer;
  }

  async bytes(): Promise<Uint8Array> {
    return this.#take().slice();
  }

  clone(): FetchResponse {
    if (this.#isUsed) throw new TypeError('Response.clone: Body has already been consumed.');
    return new FetchResponse(this.#wire, this.redirected);
  }

  get body(): never {
    throw new TypeError('uncontrolledFetch reads the whole body: use text(), json(), arrayBuffer() or blob()');
  }

  async formData(): Promise<never> {
    throw new TypeError('formData() is not available in functions: use text() or arrayBuffer()');
  }

  async blob(): Promise<FetchBlob> {
    return new FetchBlob(this.#take(), this.headers.get('content-type') ?? '');
  }

  #take(): Uint8Array {
    if (this.#isUsed) throw new TypeError('Body is unusable: Body has already been read');
    this.#isUsed = true;
    return this.#body;
  }
}

class FetchBlob {
  readonly type: string;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, type: string) {
    this.#bytes = bytes;
    this.type = type;
  }

  get size(): number {
    return this.#bytes.length;
  }

  async text(): Promise<string> {
    return textOf(this.#bytes);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#bytes.slice().buffer as ArrayBuffer;
  }
}

class FetchHeaders {
  readonly #values = new Map<string, string>();
  #cookies: string[] = [];

  constructor(headers: Wire['headers']) {
    for (const [name, value] of ObjectEntries(headers)) {
      const key = name.toLowerCase();
      this.#values.set(key, ArrayIsArray(value) ? value.join(', ') : value);
      if (key === 'set-cookie') this.#cookies = ArrayIsArray(value) ? value : [value];
    }
  }

  getSetCookie(): string[] {
    return this.#cookies.slice();
  }

  get(name: string): string | null {
    return this.#values.get(toText(name).toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(toText(name).toLowerCase());
  }

  forEach(callback: (value: string, name: string) => void): void {
    for (const [name, value] of this.#values) callback(value, name);
  }

  keys(): IterableIterator<string> {
    return this.#values.keys();
  }

  values(): IterableIterator<string> {
    return this.#values.values();
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries();
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}

function textOf(bytes: Uint8Array): string {
  const own = bufferBytes(bytes) as Uint8Array;
  return Buffer.from(own.buffer as ArrayBuffer).toString('utf8');
}
