import { requireSuccess, stepFailure } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

/** Sentry shows an app as installed only once the app says so. */
export const sentryOauthPostConnection: PostConnectionStep = async (context) => {
  const installation = context.connection.connectionConfig['installation.uuid'];
  if (typeof installation !== 'string' || installation === '')
    throw stepFailure('Sentry has not told the installation yet. Install the app there to complete the connection.');
  const answer = await context.request({
    method: 'PUT',
    baseUrl: 'https://sentry.io',
    endpoint: `/api/0/sentry-app-installations/${encodeURIComponent(installation)}/`,
    json: { status: 'installed' },
  });
  requireSuccess(context, 'the installation', answer);
  return { pending: undefined };
};
