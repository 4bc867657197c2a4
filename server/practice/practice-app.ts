import express, { type Express } from 'express';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { requirePracticeKey } from './practice-auth.ts';
import { practiceBulkRouter } from './practice-bulk-router.ts';
import { PracticeError, practiceErrorHandler } from './practice-error.ts';
import { practiceFaults } from './practice-faults.ts';
import { practiceIssuesRouter } from './practice-issues-router.ts';
import { practiceListsRouter } from './practice-lists-router.ts';
import { practiceProbeRouter } from './practice-probe-router.ts';
import { PracticeTracker } from './practice-tracker.ts';

const BODY_LIMIT = '50mb';

/** One router per area; whatever stands above `requirePracticeKey` is open to everybody. */
export function createPracticeApp(options: { clock: Clock; seed: string; logger: Logger }): Express {
  const tracker = new PracticeTracker(options);
  const app = express();
  app.disable('x-powered-by');
  app.get('/', (_request, response) => {
    response.json({
      name: 'Practice tracker',
      start: '/v1/issues',
      key: 'any bearer key that starts with "practice-"',
    });
  });
  app.use('/v1', requirePracticeKey, practiceFaults(options.clock));
  app.use(
    '/v1',
    express.json({ limit: BODY_LIMIT, strict: false }),
    express.urlencoded({ extended: true, limit: BODY_LIMIT }),
  );
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
