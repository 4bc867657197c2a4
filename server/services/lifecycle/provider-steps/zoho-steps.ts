import { z } from 'zod';
import { stepFailure } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

const tokenResponse = z.object({ api_domain: z.string() });

/** One step for all Zoho providers: the region of an account is the end of its API domain. */
export const zohoPostConnection: PostConnectionStep = async ({ provider, connection }) => {
  const { connectionConfig, credentials } = connection;
  if (connectionConfig['extension']) return undefined;
  const source = [credentials.raw, connectionConfig]
    .map((value) => tokenResponse.safeParse(value))
    .find((it) => it.success);
  const extension = /\.zohoapis\.([a-z]+(?:\.[a-z]+)?)$/.exec(
    URL.parse(source?.data?.api_domain ?? '')?.hostname ?? '',
  )?.[1];
  if (extension === undefined)
    throw stepFailure(
      `${provider} does not say where the account lives. Set "extension" in the connection configuration.`,
    );
  return { extension };
};
