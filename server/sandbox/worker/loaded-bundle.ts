import type ivm from 'isolated-vm';

/** On one line with the code, and taken off its columns, so that positions stay those of the bundle. */
const HEAD = '(function (exports, require, module, __filename, __dirname) {';

/**
 * What esbuild makes of `import * as z from 'zod'`: a copy of all its names, made again in each run. What `require`
 * gives here is such an object already. Both are equally long, so that columns stay.
 */
const COPIED_ZOD = '__toESM(require("zod"))';
const ZOD = '        require("zod") ';

/** The code of one function, and V8's cache of having compiled it once. */
export class LoadedBundle {
  readonly #source: string;
  readonly #fileName: string;
  #cachedData: ivm.ExternalCopy<ArrayBuffer> | undefined;

  constructor(code: string, fileName: string) {
    this.#source = `${HEAD}${code.replaceAll(COPIED_ZOD, ZOD)}\n})`;
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
