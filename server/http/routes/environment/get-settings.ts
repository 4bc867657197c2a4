import { empty } from '../../../contract/api/fields.ts';
import type { EnvironmentService } from '../../../services/environment/environment-service.ts';
import { presentSettings, presentVariables } from '../../present/environment-settings.ts';
import { type Handler, ok } from '../../route.ts';
import { validateQuery } from '../../validate.ts';

export function getSettings(use: { environments: EnvironmentService }): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { id, settings } = request.environment;
    const variables = presentVariables(await use.environments.listVariables(id), request.caller.scopes);
    return ok({ data: presentSettings(settings, variables) });
  };
}
