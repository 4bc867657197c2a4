import type ivm from 'isolated-vm';

/**
 * Precedes the code on its first line. Its length is subtracted from the columns, so that positions are those of the
 * bundle.
 */
const HEAD = '(function (exports, require, module, __filename, __dirname) {';

/**
 * esbuild's output for `import * as z from 'zod'`: it copies all names in each run. `require` already returns such an
 * object here. Both texts have the same length, so that columns stay.
 */
const COPIED_ZOD = '__toESM(require("zod"))';
const ZOD = '        require("zod") ';

/** The code of one function, and V8's compile cache for it. */
export class LoadedBundle {
  readonly #source: string;
  readonly #fileName: string;
  #cachedData: ivm.ExternalCopy<ArrayBuffer> | undefined;

  constructor(code: string, fileName: string) {
    this.#source = `${HEAD}${code.replaceAll(COPIED_ZOD, ZOD)}\n})`;
    this.#fileName = fileName;
  }

  /** Size of the code; the cache is about as large. */
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
