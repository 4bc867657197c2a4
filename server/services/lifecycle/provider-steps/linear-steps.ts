import { z } from 'zod';
import { askGraphql, requireSuccess } from './step-answer.ts';
import type { PostConnectionStep, PreDeletionStep } from './step-context.ts';

const organizationData = z.object({ organization: z.object({ id: z.string() }) });

export const linearPostConnection: PostConnectionStep = async (context) => {
  const request = { endpoint: '/graphql', query: '{ organization { id } }' };
  const { organization } = await askGraphql(context, 'its organization', request, organizationData);
  return { organizationId: organization.id };
};

/** The token to revoke is the one that the request carries. */
export const linearPreConnectionDeletion: PreDeletionStep = async (context) => {
  const answer = await context.request({ method: 'POST', endpoint: '/oauth/revoke' });
  requireSuccess(context, 'the revocation of the token', answer);
};
