import { z } from 'zod';
import { ask } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

const account = z.object({ account_id: z.string(), base_uri: z.string(), is_default: z.boolean().optional() });
const userInfo = z.object({ accounts: z.tuple([account], account) });

/** Serves `docusign-sandbox` too, whose accounts live on a host of their own. */
export const docusignPostConnection: PostConnectionStep = async (context) => {
  const baseUrl = context.provider.endsWith('-sandbox')
    ? 'https://account-d.docusign.com'
    : 'https://account.docusign.com';
  const { accounts } = await ask(context, 'its accounts', { baseUrl, endpoint: '/oauth/userinfo' }, userInfo);
  const chosen = accounts.find(({ is_default: isDefault }) => isDefault) ?? accounts[0];
  return { baseUri: chosen.base_uri, accountId: chosen.account_id };
};
