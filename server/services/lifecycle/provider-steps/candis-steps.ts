import { z } from 'zod';
import { ask } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

const organization = z.object({ id: z.string() });

export const candisPostConnection: PostConnectionStep = async (context) => {
  const request = { baseUrl: 'https://api.candis.io', endpoint: '/v1/organizations/info' };
  const { id } = await ask(context, 'its organization', request, organization);
  return { organizationId: id };
};
