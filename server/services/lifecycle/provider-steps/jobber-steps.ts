import { z } from 'zod';
import { anyId, askGraphql } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

const accountData = z.object({ account: z.object({ id: anyId }) });

/** Jobber refuses requests without a version; the id of the account is in every one. */
const VERSION = { 'x-jobber-graphql-version': '2025-04-16' };

export const jobberPostConnection: PostConnectionStep = async (context) => {
  const request = { endpoint: '/api/graphql', query: '{ account { id } }', headers: VERSION };
  const { account } = await askGraphql(context, 'its account', request, accountData);
  return { accountId: account.id };
};
