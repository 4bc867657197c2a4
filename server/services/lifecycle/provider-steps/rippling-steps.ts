import { requireSuccess } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

/** Rippling shows an app as installed only once the app says so. */
export const ripplingShopAppPostConnection: PostConnectionStep = async (context) => {
  const answer = await context.request({
    method: 'POST',
    baseUrl: 'https://api.rippling.com',
    endpoint: '/platform/api/mark_app_installed',
    json: {},
  });
  requireSuccess(context, 'the installation', answer);
  return undefined;
};
