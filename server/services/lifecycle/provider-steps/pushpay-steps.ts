import { toVerdict } from './credential-verdict.ts';
import type { VerificationStep } from './step-context.ts';

/** Answers are XML and carry their errors with status 200. */
export const pushpayChmsV1CredentialsVerification: VerificationStep = async (context) => {
  const answer = await context.request({
    endpoint: '/api.php',
    query: { srv: 'api_status' },
    headers: { accept: 'application/xml' },
  });
  return toVerdict(answer, ({ text }) => /<ccb_api[\s>]/.test(text) && !/<error[\s>]/.test(text));
};
