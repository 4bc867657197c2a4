import type { HostMethods } from '../bridge.ts';
import { Buffer, bufferBytes } from '../globals/buffer-global.ts';
import { ArrayIsArray, JSONParse, ObjectEntries, toText } from '../primordials.ts';

type Wire = HostMethods['http.uncontrolledFetch']['result'];

/** The response of `uncontrolledFetch`: the reading members of a web `Response`. */
export class FetchResponse {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly url: string;
  readonly headers: FetchHeaders;
  readonly #body: Uint8Array;
  #isUsed = false;

  constructor(wire: Wire) {
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
    return this.#take().slice().buffer as ArrayBuffer;
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

  constructor(headers: Wire['headers']) {
    for (const [name, value] of ObjectEntries(headers)) {
      this.#values.set(name.toLowerCase(), ArrayIsArray(value) ? value.join(', ') : value);
    }
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
