import { toVerdict } from './credential-verdict.ts';
import type { VerificationStep } from './step-context.ts';

/** A wrong token gets a page to sign in, with status 203. */
export const azureDevopsCredentialsVerification: VerificationStep = async (context) => {
  const answer = await context.request({ endpoint: '/_apis/projects' });
  return toVerdict(answer, ({ status }) => status === 200);
};
