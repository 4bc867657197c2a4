import { z } from 'zod';
import { anyId, ask } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

const siteList = z.tuple([z.object({ company_id: anyId, site_id: anyId })], z.unknown());

export const sage200PostConnection: PostConnectionStep = async (context) => {
  const request = { baseUrl: 'https://api.columbus.sage.com', endpoint: '/uk/sage200extra/accounts/v1/sites' };
  const [site] = await ask(context, 'its sites', request, siteList);
  return { company_id: site.company_id, site_id: site.site_id };
};
