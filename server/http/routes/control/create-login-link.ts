import { timingSafeEqual } from 'node:crypto';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { created, type Handler } from '../../route.ts';

/** A new login link for callers that can read the control key in the data folder (`homeport open`). */
export function createLoginLink(use: { controlHeader: string; controlKey: string; loginUrl: () => string }): Handler {
  const expected = Buffer.from(use.controlKey);
  return (request) => {
    const sent = Buffer.from(String(request.http.headers[use.controlHeader] ?? ''));
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
      throw new HomeportError('forbidden', 'Only the user who runs Homeport can create a login link.');
    }
    return created({ url: use.loginUrl() });
  };
}
