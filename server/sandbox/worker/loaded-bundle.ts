import type ivm from 'isolated-vm';

/** The code of one function, and V8's cache of having compiled it once. */
export class LoadedBundle {
  readonly #source: string;
  readonly #fileName: string;
  #cachedData: ivm.ExternalCopy<ArrayBuffer> | undefined;

  constructor(code: string, fileName: string) {
    // On one line with the code, so that line numbers stay those of the bundle.
    this.#source = `(function (exports, require, module, __filename, __dirname) {${code}\n})`;
    this.#fileName = fileName;
  }

  async compile(isolate: ivm.Isolate): Promise<ivm.Script> {
    const cache = this.#cachedData ? { cachedData: this.#cachedData } : { produceCachedData: true };
    const script: ivm.Script & { cachedData?: ivm.ExternalCopy<ArrayBuffer> } = await isolate.compileScript(
      this.#source,
      { filename: this.#fileName, ...cache },
    );
    this.#cachedData ??= script.cachedData;
    return script;
  }
}
