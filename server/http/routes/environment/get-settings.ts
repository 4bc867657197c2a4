import { empty } from '../../../contract/api/fields.ts';
import type { EnvironmentService } from '../../../services/environment/environment-service.ts';
import { presentSettings } from '../../present/environment-settings.ts';
import { type Handler, ok } from '../../route.ts';
import { validateQuery } from '../../validate.ts';

export function getSettings(use: { environments: EnvironmentService }): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { id, settings } = request.environment;
    return ok({ data: presentSettings(settings, await use.environments.listVariables(id)) });
  };
}
