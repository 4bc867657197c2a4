import { z } from 'zod';
import { anyId, ask } from './step-answer.ts';
import type { ConfigPatch, PostConnectionStep } from './step-context.ts';

const authorization = z.object({ accounts: z.array(z.looseObject({ id: anyId })) });

export const basecampPostConnection: PostConnectionStep = async (context) => {
  const request = { baseUrl: 'https://launchpad.37signals.com', endpoint: '/authorization.json' };
  const { accounts } = await ask(context, 'its accounts', request, authorization);
  const patch: ConfigPatch = { accounts };
  const [only, ...others] = accounts;
  const isChosen = Boolean(context.connection.connectionConfig['accountId']);
  // As text, as the connect form writes it.
  if (only && others.length === 0 && !isChosen) patch['accountId'] = String(only.id);
  return patch;
};
