import { environmentParams } from '../../../contract/api/environment.ts';
import { empty } from '../../../contract/api/fields.ts';
import type { EnvironmentRemoval } from '../../../services/lifecycle/environment-removal.ts';
import type { Handler } from '../../route.ts';
import { validateParams, validateQuery } from '../../validate.ts';

export function deleteEnvironment(use: { environmentRemoval: EnvironmentRemoval }): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { id } = validateParams(environmentParams, request.params);
    await use.environmentRemoval.remove(id);
    return { status: 204 };
  };
}
