import { z } from 'zod';
import { toVerdict } from './credential-verdict.ts';
import type { VerificationStep } from './step-context.ts';

/** JSON-RPC answers failures with status 200. */
const keyDetails = z.object({ result: z.looseObject({}) });

export const bitdefenderCredentialsVerification: VerificationStep = async (context) => {
  const answer = await context.request({
    method: 'POST',
    endpoint: '/v1.0/jsonrpc/general',
    json: { jsonrpc: '2.0', id: context.provider, method: 'getApiKeyDetails', params: {} },
  });
  return toVerdict(answer, ({ json }) => keyDetails.safeParse(json).success);
};
