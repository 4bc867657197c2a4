import { z } from 'zod';
import { toVerdict } from './credential-verdict.ts';
import type { VerificationStep } from './step-context.ts';

const subscriptions = z.object({ data: z.object({ Subscriptions: z.array(z.unknown()) }) });

/** GraphQL refuses with status 200 and no data. */
export const skioCredentialsVerification: VerificationStep = async (context) => {
  const answer = await context.request({
    method: 'POST',
    baseUrl: 'https://graphql.skio.com',
    endpoint: '/v1/graphql',
    json: { query: '{ Subscriptions(limit: 1) { id } }' },
  });
  return toVerdict(answer, ({ json }) => subscriptions.safeParse(json).success);
};
