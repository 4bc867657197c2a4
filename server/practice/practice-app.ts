import express, { type Express, type RequestHandler } from 'express';
import type { Clock } from '../platform/lib/clock.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { createPracticeAuthorization, requireScope } from './authorization/practice-authorization.ts';
import { isSignedRequest, keepFormText } from './authorization/practice-signatures.ts';
import { practiceApi } from './practice-api.ts';
import { PracticeError, practiceErrorHandler } from './practice-error.ts';
import { practiceFaults } from './practice-faults.ts';
import type { PracticeSimulation } from './practice-simulation.ts';
import { createPracticeTracker } from './practice-tracker.ts';

/** For authenticated callers. */
const BODY_LIMIT = '10mb';
/** For a signed form, which is read before the caller is known. */
const SIGNED_FORM_LIMIT = '100kb';

/**
 * Routes above `requireAccess` are open to everyone: `/docs`, OAuth 2 at
 * `/oauth/{authorize,token,revoke,userinfo}` (`practice_lifetime` sets the seconds of its access tokens, default 300)
 * and OAuth 1.0a at `/oauth1/{request_token,authorize,access_token}` with HMAC-SHA1 or PLAINTEXT. The API is below
 * `/v1`.
 */
export function createPracticeApp(options: {
  clock: Clock;
  ids: Ids;
  seed: string;
  logger: Logger;
  callbackAddresses: () => string[];
  simulation: Pick<PracticeSimulation, 'handler'>;
}): Express {
  const { clock, ids, callbackAddresses } = options;
  const faults = practiceFaults(clock);
  const { router, requireAccess } = createPracticeAuthorization({ clock, ids, callbackAddresses, faults });
  const app = express();
  app.disable('x-powered-by');
  app.use(refuseForeignHost);
  app.get('/', (_request, response) => {
    response.json({
      name: 'Practice tracker',
      start: '/v1/issues',
      key: 'any bearer key that starts with "practice-"',
      guide: '/docs',
    });
  });
  app.use(router);
  // A signature of OAuth 1.0a covers the fields of a form. Every other body is read after authentication.
  const signedForm = express.urlencoded({ extended: true, limit: SIGNED_FORM_LIMIT, verify: keepFormText });
  app.use('/v1', (request, response, next) =>
    isSignedRequest(request) ? signedForm(request, response, next) : next(),
  );
  app.use('/v1', requireAccess, options.simulation.handler, faults);
  app.use(['/v1/issues', '/v1/comments', '/v1/export', '/v1/files'], requireScope('issues:read', 'issues:write'));
  app.use(['/v1/users', '/v1/labels'], requireScope('directory:read'));
  app.use('/v1', express.urlencoded({ extended: true, limit: BODY_LIMIT }));
  app.use('/v1', express.json({ limit: BODY_LIMIT, strict: false }));
  app.use('/v1', express.raw({ limit: BODY_LIMIT, type: () => true }));
  app.use('/v1', practiceApi(createPracticeTracker({ clock, seed: options.seed })));
  app.use(() => {
    throw new PracticeError(404, 'not_found', 'The tracker has no such path. GET /docs lists those that it has.');
  });
  app.use(practiceErrorHandler(options.logger));
  return app;
}

/**
 * Refuses foreign host names: a page of another site whose name resolves to this computer would have the provider's own
 * origin.
 */
const refuseForeignHost: RequestHandler = (request, _response, next) => {
  if (['127.0.0.1', 'localhost'].includes(request.hostname)) return next();
  throw new PracticeError(421, 'foreign_host', 'Use the address that the practice provider listens on.');
};
