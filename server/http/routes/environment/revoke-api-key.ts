import { revokeKeyBody } from '../../../contract/api/environment.ts';
import { empty } from '../../../contract/api/fields.ts';
import type { EnvironmentService } from '../../../services/environment/environment-service.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';

export function revokeApiKey(use: { environments: EnvironmentService }): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(revokeKeyBody, request.body);
    await use.environments.keys.revoke(body.environment_id ?? request.environment.id, body.key_id);
    return ok({ success: true });
  };
}
