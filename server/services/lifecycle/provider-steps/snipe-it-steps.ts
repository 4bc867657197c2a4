import { z } from 'zod';
import { toVerdict } from './credential-verdict.ts';
import type { VerificationStep } from './step-context.ts';

/** Refusals come with status 200, too; a page means that the address is not Snipe-IT's API. */
const userList = z.object({ rows: z.array(z.unknown()) });

export const snipeItCredentialsVerification: VerificationStep = async (context) => {
  const answer = await context.request({ endpoint: '/api/v1/users', query: { limit: '1' } });
  return toVerdict(answer, ({ json }) => userList.safeParse(json).success);
};
