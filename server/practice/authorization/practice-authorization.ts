import { type RequestHandler, Router } from 'express';
import type { Clock } from '../../platform/lib/clock.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import { describeCaller, requirePracticeAccess } from './practice-access.ts';
import { practiceAuthorizeRouter } from './practice-authorize-router.ts';
import { PRACTICE_CLIENT } from './practice-client.ts';
import { PracticeConsent } from './practice-consent.ts';
import { PracticeGrants } from './practice-grants.ts';
import { practiceGuide } from './practice-guide.ts';
import { STYLE_PATH, sendPage } from './practice-page.ts';
import { PracticeSignatures } from './practice-signatures.ts';
import { practiceSignedRouter } from './practice-signed-router.ts';
import { PracticeSignedTokens } from './practice-signed-tokens.ts';
import { PRACTICE_STYLE } from './practice-style.ts';
import { practiceTokenRouter } from './practice-token-router.ts';

export interface AuthorizationOptions {
  clock: Clock;
  ids: Ids;
  callbackAddresses: () => string[];
  faults: RequestHandler;
}

/** Authorization at the practice provider: its routes, and what its API requires of callers. */
export interface PracticeAuthorization {
  router: Router;
  requireAccess: RequestHandler;
}

export function createPracticeAuthorization(options: AuthorizationOptions): PracticeAuthorization {
  const { callbackAddresses, clock, faults, ids } = options;
  const client = PRACTICE_CLIENT;
  const consent = new PracticeConsent({ clock, ids });
  const grants = new PracticeGrants({ clock, ids });
  const signatures = new PracticeSignatures({ clock, client });
  const tokens = new PracticeSignedTokens({ clock, ids });
  const router = Router();
  router.get(STYLE_PATH, (_request, response) => {
    response.type('css').set('cache-control', 'no-cache').send(PRACTICE_STYLE);
  });
  router.get('/docs', (_request, response) => {
    sendPage(response, {
      title: 'How to connect to the practice tracker',
      content: practiceGuide(client),
      isWide: true,
    });
  });
  router.use(practiceAuthorizeRouter({ client, consent, grants, callbackAddresses }));
  router.use(consent.router());
  router.use(practiceTokenRouter({ client, grants, faults }));
  router.use(practiceSignedRouter({ client, consent, signatures, tokens, callbackAddresses, faults }));
  const requireAccess = requirePracticeAccess({ grants, signatures, tokens });
  router.get('/oauth/userinfo', requireAccess, (_request, response) => {
    response.json(describeCaller(response));
  });
  return { router, requireAccess };
}
