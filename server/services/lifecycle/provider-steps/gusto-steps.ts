import { z } from 'zod';
import { ask } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

const tokenInfo = z.object({ resource: z.object({ type: z.string(), uuid: z.string() }).nullish() });

/** A token may also belong to a person or an app; then there is no company to write. */
export const gustoPostConnection: PostConnectionStep = async (context) => {
  const { resource } = await ask(context, 'its company', { endpoint: '/v1/token_info' }, tokenInfo);
  return resource?.type === 'Company' ? { companyUuid: resource.uuid } : undefined;
};
