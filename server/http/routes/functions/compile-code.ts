import { empty } from '../../../contract/api/fields.ts';
import { compileBody } from '../../../contract/api/functions-api.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { SentCode } from '../../../services/deployments/sent-code.ts';
import { isoDate } from '../../present/dates.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';

/** Compiles a function and stores nothing. */
export function compileCode(use: { sentCode: SentCode; clock: Clock }): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { bundle } = await use.sentCode.compileAny(validateBody(compileBody, request.body).code);
    return ok({
      bundle_size_bytes: Buffer.byteLength(bundle),
      bundled_js: bundle,
      compiled_at: isoDate(use.clock.now()),
    });
  };
}
