import { isSuccess, requireSuccess } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

/** Refusals that say nothing about the account: the token, the rate, the server. */
const isInconclusive = (status: number): boolean => status === 401 || status === 429 || status >= 500;

/** Only accounts with a hierarchy may list its nodes. */
export const checkrPartnerPostConnection: PostConnectionStep = async (context) => {
  const answer = await context.request({ endpoint: '/v1/nodes', query: { page: '1', per_page: '1' } });
  if (isInconclusive(answer.status)) requireSuccess(context, 'its account hierarchy', answer);
  return { accountHierarchyEnabled: isSuccess(answer) };
};
