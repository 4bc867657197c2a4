import { z } from 'zod';
import { anyId, ask, requireSuccess } from './step-answer.ts';
import type { PostConnectionStep, PreDeletionStep } from './step-context.ts';

const accountDetails = z.object({ portalId: anyId });

export const hubspotPostConnection: PostConnectionStep = async (context) => {
  const { portalId } = await ask(context, 'its account', { endpoint: '/account-info/v3/details' }, accountDetails);
  return { portalId };
};

/** Revokes the refresh token, unless the connection's metadata says that others share it. */
export const hubspotPreConnectionDeletion: PreDeletionStep = async (context) => {
  const { credentials, metadata } = context.connection;
  const token = credentials['refresh_token'];
  if (typeof token !== 'string' || token === '' || metadata['skipTokenRevocation'] === true) return;
  const answer = await context.requestPlain({
    method: 'DELETE',
    url: `https://api.hubapi.com/oauth/v1/refresh-tokens/${encodeURIComponent(token)}`,
  });
  requireSuccess(context, 'the revocation of the token', answer);
};
