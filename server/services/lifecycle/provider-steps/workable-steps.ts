import { z } from 'zod';
import { ask } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

/** It goes into the host of every later request. */
const subdomain = z.string().regex(/^[a-z0-9_-]+$/);
const accountList = z.object({ accounts: z.tuple([z.object({ subdomain })], z.unknown()) });

export const workablePostConnection: PostConnectionStep = async (context) => {
  if (context.connection.connectionConfig['subdomain']) return undefined;
  const request = { baseUrl: 'https://workable.com', endpoint: '/spi/v3/accounts' };
  const { accounts } = await ask(context, 'its accounts', request, accountList);
  return { subdomain: accounts[0].subdomain };
};
