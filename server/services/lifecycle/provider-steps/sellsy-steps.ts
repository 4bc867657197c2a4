import { unverifiedClaim } from './access-token.ts';
import type { PostConnectionStep } from './step-context.ts';

/** The account as its webhooks call it; tokens spell the claim differently. */
export const sellsyPostConnection: PostConnectionStep = async (context) => ({
  corpid: unverifiedClaim(context, 'corpId', 'corpid'),
});
