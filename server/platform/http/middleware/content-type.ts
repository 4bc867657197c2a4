import type { Request } from 'express';
import { HomeportError } from '../../lib/homeport-error.ts';

/** First path segments under which only JSON is accepted, also for GET (http-api.md 1.1, step 3). */
const JSON_ONLY = new Set([
  'providers',
  'integrations',
  'connection',
  'connections',
  'connect',
  'environments',
  'environment',
  'environment-variables',
  'sync',
  'records',
  'scripts',
  'functions',
  'action',
  'mcp',
  'pairings',
  'v1',
  'cli',
  'oauth',
  'auth',
  'api-auth',
]);

export function requireJson(request: Request): void {
  const type = request.headers['content-type'];
  if (type && !type.toLowerCase().startsWith('application/json') && JSON_ONLY.has(firstSegment(request.path)))
    throw new HomeportError(
      'invalid_content_type',
      `Send application/json; "${type.slice(0, 100)}" is not accepted here.`,
    );
}

/** Returns the first path segment in lower case. */
export function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return path.slice(1, end === -1 ? undefined : end).toLowerCase();
}
