import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrorCode } from '../lib/error-code.ts';

export interface BuiltPage {
  html: string;
  /** Content security policy that lets exactly this page's inline scripts run. */
  policy: string;
}

/** Directives that a page changes in the strictest policy. */
export type PolicyChanges = Readonly<Record<string, string>>;

const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g;

/** Reads the built start page of a folder, again after a new build. Undefined while the file does not exist. */
export class PageFolder {
  readonly #file: string;
  readonly #changes: PolicyChanges;
  #page: BuiltPage | undefined;
  #modifiedMs = 0;

  constructor(folder: string, changes: PolicyChanges = {}) {
    this.#file = join(folder, 'index.html');
    this.#changes = changes;
  }

  async read(): Promise<BuiltPage | undefined> {
    try {
      const { mtimeMs } = await stat(this.#file);
      if (this.#page && mtimeMs === this.#modifiedMs) return this.#page;
      const html = await readFile(this.#file, 'utf8');
      this.#page = { html, policy: contentPolicy(html, this.#changes) };
      this.#modifiedMs = mtimeMs;
      return this.#page;
    } catch (error) {
      if (hasErrorCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }
}

/** Returns a policy that allows our own files and, by hash, the inline scripts of the page. */
export function contentPolicy(html: string, changes: PolicyChanges = {}): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  );
  const directives = {
    'default-src': "'none'",
    'script-src': ["'self'", ...hashes].join(' '),
    'style-src': "'self'",
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'font-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    ...changes,
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}
