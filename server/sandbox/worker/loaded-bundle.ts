import type ivm from 'isolated-vm';

/** On one line with the code, and taken off its columns, so that positions stay those of the bundle. */
const HEAD = '(function (exports, require, module, __filename, __dirname) {';

/** The code of one function, and V8's cache of having compiled it once. */
export class LoadedBundle {
  readonly #source: string;
  readonly #fileName: string;
  #cachedData: ivm.ExternalCopy<ArrayBuffer> | undefined;

  constructor(code: string, fileName: string) {
    this.#source = `${HEAD}${code}\n})`;
    this.#fileName = fileName;
  }

  /** Of the code; the cache is about as large. */
  get bytes(): number {
    return 2 * this.#source.length;
  }

  async compile(isolate: ivm.Isolate): Promise<ivm.Script> {
    const cache = this.#cachedData ? { cachedData: this.#cachedData } : { produceCachedData: true };
    const script: ivm.Script & { cachedData?: ivm.ExternalCopy<ArrayBuffer> } = await isolate.compileScript(
      this.#source,
      { filename: this.#fileName, columnOffset: -HEAD.length, ...cache },
    );
    this.#cachedData ??= script.cachedData;
    return script;
  }
}
