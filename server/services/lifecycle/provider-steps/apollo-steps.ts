import { z } from 'zod';
import { toVerdict } from './credential-verdict.ts';
import type { VerificationStep } from './step-context.ts';

const loggedIn = z.object({ is_logged_in: z.literal(true) });

/** Apollo answers 200 to everybody and says inside whom it knows. */
export const apolloCredentialsVerification: VerificationStep = async (context) => {
  const answer = await context.request({ endpoint: '/v1/auth/health' });
  return toVerdict(answer, ({ json }) => loggedIn.safeParse(json).success);
};
