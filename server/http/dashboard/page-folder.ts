import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface BuiltPage {
  html: string;
  /** Content security policy that lets exactly this page's inline scripts run. */
  policy: string;
}

const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g;

/** The built start page of a folder; read again when a new build replaced it, undefined while there is none. */
export class PageFolder {
  readonly #file: string;
  #page: BuiltPage | undefined;
  #modifiedMs = 0;

  constructor(folder: string) {
    this.#file = join(folder, 'index.html');
  }

  async read(): Promise<BuiltPage | undefined> {
    try {
      const { mtimeMs } = await stat(this.#file);
      if (this.#page && mtimeMs === this.#modifiedMs) return this.#page;
      const html = await readFile(this.#file, 'utf8');
      this.#page = { html, policy: contentPolicy(html) };
      this.#modifiedMs = mtimeMs;
      return this.#page;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }
}

/** Nothing but our own files, and the inline scripts by their hash. */
export function contentPolicy(html: string): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    ["script-src 'self'", ...hashes].join(' '),
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
