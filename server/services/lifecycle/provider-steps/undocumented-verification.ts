import { toVerdict } from './credential-verdict.ts';
import type { VerificationStep } from './step-context.ts';

/**
 * CDW and Vantage Apparel publish no request that could tell: their base address is asked, and only a clear refusal
 * counts. Anything else says nothing about the credentials, which are then accepted as if there were no test.
 */
export const undocumentedVerification: VerificationStep = async (context) => {
  const answer = await context.request({ endpoint: '/' });
  return answer.status === 401 || answer.status === 403 ? toVerdict(answer) : { ok: true };
};
