import { empty } from '../../../contract/api/fields.ts';
import type { EnvironmentService } from '../../../services/environment/environment-service.ts';
import { type Handler, ok } from '../../route.ts';
import { validateQuery } from '../../validate.ts';

export function listEnvironments(use: { environments: EnvironmentService }): Handler {
  return (request) => {
    validateQuery(empty, request.query);
    return ok({ data: use.environments.list().map(({ id, name }) => ({ id, name })) });
  };
}
