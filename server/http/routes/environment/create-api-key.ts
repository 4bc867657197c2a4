import { createKeyBody } from '../../../contract/api/environment.ts';
import { empty } from '../../../contract/api/fields.ts';
import { WHOLE_ENVIRONMENT } from '../../../contract/api/key-scopes.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { EnvironmentService } from '../../../services/environment/environment-service.ts';
import { isoDate } from '../../present/dates.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';

/** The only answer that shows the secret. */
export function createApiKey(use: { environments: EnvironmentService }): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(createKeyBody, request.body);
    const environmentId = body.environment_id ?? request.environment.id;
    if (!use.environments.find(environmentId)) throw new HomeportError('not_found', 'There is no such environment.');
    const key = await use.environments.keys.create(
      environmentId,
      body.display_name,
      body.scopes ?? [WHOLE_ENVIRONMENT],
    );
    const { id, displayName, scopes, secret, createdAt } = key;
    return ok({ data: { id, display_name: displayName, scopes, secret, created_at: isoDate(createdAt) } });
  };
}
