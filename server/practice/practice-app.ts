import express, { type Express } from 'express';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import { requireScope } from './authorization/practice-access.ts';
import { createPracticeAuthorization } from './authorization/practice-authorization.ts';
import { keepFormText } from './authorization/practice-signed-request.ts';
import { practiceBulkRouter } from './practice-bulk-router.ts';
import { PracticeError, practiceErrorHandler } from './practice-error.ts';
import { practiceFaults } from './practice-faults.ts';
import { practiceIssuesRouter } from './practice-issues-router.ts';
import { practiceListsRouter } from './practice-lists-router.ts';
import { practiceProbeRouter } from './practice-probe-router.ts';
import { PracticeTracker } from './practice-tracker.ts';

const BODY_LIMIT = '50mb';

export interface PracticeAppOptions {
  clock: Clock;
  ids: Ids;
  seed: string;
  logger: Logger;
  callbackAddresses: () => string[];
}

/** One router per area; whatever stands above `requireAccess` is open to everybody. */
export function createPracticeApp(options: PracticeAppOptions): Express {
  const tracker = new PracticeTracker(options);
  const faults = practiceFaults(options.clock);
  const { router, requireAccess } = createPracticeAuthorization({ ...options, faults });
  const app = express();
  app.disable('x-powered-by');
  app.get('/', (_request, response) => {
    response.json({
      name: 'Practice tracker',
      start: '/v1/issues',
      key: 'any bearer key that starts with "practice-"',
      guide: '/docs',
    });
  });
  app.use(router);
  // Forms are read before the caller is known: a signature of OAuth 1.0a covers their fields.
  app.use('/v1', express.urlencoded({ extended: true, limit: BODY_LIMIT, verify: keepFormText }));
  app.use('/v1', requireAccess, faults);
  app.use(['/v1/issues', '/v1/comments', '/v1/export', '/v1/files'], requireScope('issues:read', 'issues:write'));
  app.use(['/v1/users', '/v1/labels'], requireScope('directory:read'));
  app.use('/v1', express.json({ limit: BODY_LIMIT, strict: false }));
  app.use('/v1', express.raw({ limit: BODY_LIMIT, type: () => true }));
  app.use(
    '/v1',
    practiceIssuesRouter(tracker),
    practiceListsRouter(tracker),
    practiceProbeRouter(),
    practiceBulkRouter(),
  );
  app.use(() => {
    throw new PracticeError(404, 'not_found', 'The tracker has no such path.');
  });
  app.use(practiceErrorHandler(options.logger));
  return app;
}
