import { environmentQuery } from '../../../contract/dashboard/dashboard-lists.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { EnvironmentService } from '../../../services/environment/environment-service.ts';
import type { SignIn } from '../../../services/environment/sign-in.ts';
import type { EventBroadcaster } from '../../dashboard/event-broadcaster.ts';
import { sessionIdOf } from '../../dashboard/session-cookie.ts';
import type { Handler } from '../../route.ts';
import { validateQuery } from '../../validate.ts';

/** `GET /api/v1/events`: writes the answer itself, as long as the page listens. */
export function streamEvents(use: {
  environments: EnvironmentService;
  broadcaster: EventBroadcaster;
  signIn: SignIn;
}): Handler {
  return ({ http, query, response }) => {
    const { env } = validateQuery(environmentQuery.strict(), query);
    const environment = use.environments.findByName(env);
    if (!environment) throw new HomeportError('not_found', `There is no environment "${env}".`);
    response.once(
      'close',
      use.signIn.onEnd(sessionIdOf(response), () => response.end()),
    );
    use.broadcaster.open(environment.id, response, http.get('last-event-id'));
    return undefined;
  };
}
