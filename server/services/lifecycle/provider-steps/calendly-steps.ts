import { z } from 'zod';
import { ask } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

const currentUser = z.object({ resource: z.object({ current_organization: z.url() }) });

/** Calendly names things by address; the id is its last part. */
export const calendlyPostConnection: PostConnectionStep = async (context) => {
  const { resource } = await ask(context, 'its organization', { endpoint: '/users/me' }, currentUser);
  return { organizationId: new URL(resource.current_organization).pathname.split('/').at(-1) };
};
