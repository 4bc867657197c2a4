import { z } from 'zod';
import { unverifiedClaim } from './access-token.ts';
import { ask, stepFailure } from './step-answer.ts';
import type { PostConnectionStep, StepContext } from './step-context.ts';

const tenantList = z.array(z.object({ tenantId: z.string(), authEventId: z.string().nullish() }));

/** Of several tenants the one that was chosen in this authorization. */
export const xeroPostConnection: PostConnectionStep = async (context) => {
  const tenants = await ask(context, 'its tenants', { endpoint: '/connections' }, tenantList);
  const tenant = tenants.length > 1 ? findAuthorized(context, tenants) : tenants[0];
  if (!tenant)
    throw stepFailure(`${context.provider} names no organisation for this connection. Connect again and choose one.`);
  return { tenant_id: tenant.tenantId };
};

function findAuthorized(context: StepContext, tenants: z.infer<typeof tenantList>) {
  const event = unverifiedClaim(context, 'authentication_event_id');
  return tenants.find(({ authEventId }) => authEventId === event);
}
