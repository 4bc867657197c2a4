import { deleteFunctionQuery, functionParams } from '../../../contract/api/functions.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { Handler } from '../../route.ts';
import { validateParams, validateQuery } from '../../validate.ts';
import { type FunctionFinders, listNamed } from './live-functions.ts';

/** Every function is a file of the workspace (design.md 7.23), and only removing the file removes it. */
export function deleteFunction(use: FunctionFinders): Handler {
  return async (request) => {
    const { type } = validateQuery(deleteFunctionQuery, request.query);
    const params = validateParams(functionParams, request.params);
    const [found] = await listNamed(use, { environmentId: request.environment.id, ...params, type });
    throw new HomeportError(
      'function_managed_by_deploy',
      `Remove the file ${found.path} from the functions folder instead.`,
    );
  };
}
