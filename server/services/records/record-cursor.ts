import { HomeportError } from '../../lib/homeport-error.ts';
import { formatMicros, parseMicros } from './record-time.ts';

const INTERNAL_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Names a position in the stream of changes: stays valid whatever becomes of the record. */
export function encodeCursor(stamp: number, internalId: string): string {
  return Buffer.from(`${formatMicros(stamp)}||${internalId}`, 'latin1').toString('base64');
}

/** The position's stamp. No two records share one, so the internal id is not needed to compare. */
export function decodeCursor(cursor: string, parameter = 'cursor'): number {
  const [time, id, ...rest] = Buffer.from(cursor, 'base64').toString('latin1').split('||');
  const stamp = time === undefined ? undefined : parseMicros(time);
  if (stamp === undefined || id === undefined || rest.length > 0 || !INTERNAL_ID.test(id)) {
    throw new HomeportError('invalid_query_params', 'The cursor is not one that this server gave out.', {
      issues: [{ code: 'custom', message: 'invalid cursor', path: [parameter] }],
    });
  }
  return stamp;
}
