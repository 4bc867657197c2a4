import { z } from 'zod';
import { toVerdict } from './credential-verdict.ts';
import type { StepAnswer, VerificationStep } from './step-context.ts';

const failure = z.union([z.object({ status: z.literal('FAIL') }), z.object({ error: z.unknown() })]);

/** LastPass takes the account number and the provisioning hash in the body, and refuses with status 200. */
export const lastpassCredentialsVerification: VerificationStep = async (context) => {
  const { username, password } = context.connection.credentials;
  const answer = await context.request({
    method: 'POST',
    endpoint: '/enterpriseapi.php',
    json: { cid: username, provhash: password, cmd: 'getuserdata', data: { pagesize: '1', pageindex: '0' } },
  });
  return toVerdict(answer, hasData);
};

function hasData({ json }: StepAnswer): boolean {
  return z.looseObject({}).safeParse(json).success && !failure.safeParse(json).success;
}
