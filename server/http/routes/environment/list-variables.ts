import { empty } from '../../../contract/api/fields.ts';
import type { EnvironmentService } from '../../../services/environment/environment-service.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';

/** A bare array (http-api.md 12). */
export function listVariables(use: { environments: EnvironmentService }): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    validateBody(empty, request.body ?? {});
    return ok(await use.environments.listVariables(request.environment.id));
  };
}
