import { z } from 'zod';
import { stepFailure } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

const tokenResponse = z.object({ companyId: z.string().optional(), locationId: z.string().optional() });

/** The token response says for what it was given: a location, or an agency as a whole. */
export const highlevelPostConnection: PostConnectionStep = async ({ provider, connection }) => {
  const { companyId, locationId } = tokenResponse.safeParse(connection.credentials.raw).data ?? {};
  if (companyId === undefined && locationId === undefined)
    throw stepFailure(`The token response of ${provider} names neither a company nor a location. Connect again.`);
  return { ...(companyId === undefined ? {} : { companyId }), ...(locationId === undefined ? {} : { locationId }) };
};
