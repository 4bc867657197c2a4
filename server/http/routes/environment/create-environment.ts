import { createEnvironmentBody, PRODUCTION_NAME } from '../../../contract/api/environment.ts';
import { empty } from '../../../contract/api/fields.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { EnvironmentService } from '../../../services/environment/environment-service.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';

export function createEnvironment(use: { environments: EnvironmentService }): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(createEnvironmentBody, request.body);
    if (body.is_production !== undefined && body.is_production !== (body.name === PRODUCTION_NAME)) {
      throw new HomeportError(
        'invalid_is_prod_flag',
        `The production environment is the one called "${PRODUCTION_NAME}".`,
      );
    }
    const settings = body.callback_url === undefined ? {} : { callbackUrl: body.callback_url };
    const { id, name } = await use.environments.create(body.name, settings);
    return ok({ data: { id, name } });
  };
}
