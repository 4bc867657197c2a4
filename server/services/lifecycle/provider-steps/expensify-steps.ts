import { z } from 'zod';
import { toVerdict } from './credential-verdict.ts';
import type { VerificationStep } from './step-context.ts';

/** The status is inside; the one of HTTP is always 200. */
const goodResponse = z.object({ responseCode: z.literal(200) });

/** Expensify takes credentials in a job description and nowhere else; listing policies is the lightest job. */
export const expensifyCredentialsVerification: VerificationStep = async (context) => {
  const { username, password } = context.connection.credentials;
  const job = {
    type: 'get',
    credentials: { partnerUserID: username, partnerUserSecret: password },
    inputSettings: { type: 'policyList' },
  };
  const answer = await context.request({
    method: 'POST',
    endpoint: '/ExpensifyIntegrations',
    form: { requestJobDescription: JSON.stringify(job) },
  });
  return toVerdict(answer, ({ json }) => goodResponse.safeParse(json).success);
};
