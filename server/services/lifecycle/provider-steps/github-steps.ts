import { z } from 'zod';
import { askPlain } from './step-answer.ts';
import type { PostConnectionStep, StepContext } from './step-context.ts';

const userCredentials = z.looseObject({ access_token: z.string().min(1) });
const profile = z.object({ login: z.string() });

/** Stores the person's part of a combined connection. A connection that an administrator completed has no such part. */
export const githubAppOauthPostConnection: PostConnectionStep = async (context) => {
  const user = findUserCredentials(context);
  if (!user) return undefined;
  const request = {
    url: 'https://api.github.com/user',
    headers: { authorization: `Bearer ${user.access_token}`, accept: 'application/vnd.github+json' },
  };
  const { login } = await askPlain(context, 'its user', request, profile);
  return { handle: login, userCredentials: user };
};

/** Both parts together, the person's part alone (until the app is installed), or the part that was stored before. */
function findUserCredentials({ connection }: StepContext) {
  const { credentials, connectionConfig } = connection;
  const candidates = [
    credentials['user'],
    credentials.type === 'OAUTH2' ? credentials : undefined,
    connectionConfig['userCredentials'],
  ];
  return candidates.map((value) => userCredentials.safeParse(value)).find((parsed) => parsed.success)?.data;
}
