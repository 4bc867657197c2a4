import type { Request } from 'express';
import LinkHeader from 'http-link-header';
import { PracticeError } from './practice-error.ts';

/** A whole number of the query within its limits. Throws a 422 that names the parameter. */
export function queryInt(
  request: Request,
  name: string,
  rule: { low: number; high: number; fallback: number },
): number {
  const text = request.query[name];
  if (text === undefined) return rule.fallback;
  const value = typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= rule.low && value <= rule.high) return value;
  throw new PracticeError(422, 'validation_failed', `${name} is a whole number from ${rule.low} to ${rule.high}.`, {
    members: { fields: [{ field: name }] },
  });
}

/** A position in the change stream; opaque to callers. */
export interface StreamPosition {
  updatedAt: string;
  number: number;
}

export function encodePracticeCursor(position: StreamPosition): string {
  return Buffer.from(`${position.updatedAt} ${position.number}`).toString('base64url');
}

export function decodePracticeCursor(cursor: string): StreamPosition {
  const match = /^(\S{24}) (\d+)$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match?.[1]) throw new PracticeError(422, 'invalid_cursor', 'The cursor was not issued by this tracker.');
  return { updatedAt: match[1], number: Number(match[2]) };
}

/** The `Link` header of one page: absolute addresses of `next` and `prev`, if they exist. */
export function pageLinks(request: Request, page: number, lastPage: number): string {
  const links = new LinkHeader();
  const add = (rel: string, target: number): void => {
    const url = new URL(request.originalUrl, `${request.protocol}://${request.get('host')}`);
    url.searchParams.set('page', String(target));
    links.set({ rel, uri: url.href });
  };
  if (page < lastPage) add('next', page + 1);
  if (page > 1) add('prev', page - 1);
  return links.toString();
}
