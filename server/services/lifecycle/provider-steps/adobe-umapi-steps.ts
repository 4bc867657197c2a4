import { stepFailure } from './step-answer.ts';
import type { PostConnectionStep } from './step-context.ts';

/** Adobe wants the client id in a header of every request. */
export const adobeUmapiPostConnection: PostConnectionStep = async ({ provider, app, connection }) => {
  const clientId = connection.credentials['client_id'] ?? app.clientId;
  if (typeof clientId !== 'string' || clientId === '')
    throw stepFailure(`The connection to ${provider} has no client id. Connect again.`);
  return { clientId };
};
