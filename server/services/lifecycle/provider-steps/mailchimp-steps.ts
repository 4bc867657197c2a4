import { z } from 'zod';
import { ask } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

/** The data centre goes into the host of every later request. */
const oauthMetadata = z.object({ dc: z.string().regex(/^[a-z]+\d*$/) });

export const mailchimpPostConnection: PostConnectionStep = async (context) => {
  const request = { baseUrl: 'https://login.mailchimp.com', endpoint: '/oauth2/metadata' };
  const { dc } = await ask(context, 'its data centre', request, oauthMetadata);
  return { dc };
};
