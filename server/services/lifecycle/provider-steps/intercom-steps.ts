import { requireSuccess } from './step-answer.ts';
import type { PreDeletionStep } from './step-context.ts';

/** Uninstalls the app from the workspace, whose region does not matter here. */
export const intercomPreConnectionDeletion: PreDeletionStep = async (context) => {
  const answer = await context.request({
    method: 'POST',
    baseUrl: 'https://api.intercom.io',
    endpoint: '/auth/uninstall',
  });
  requireSuccess(context, 'the removal of the app', answer);
};
