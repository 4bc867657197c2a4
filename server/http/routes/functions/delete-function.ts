import { deleteFunctionQuery, functionParams } from '../../../contract/api/functions.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { type Handler, ok } from '../../route.ts';
import { validateParams, validateQuery } from '../../validate.ts';
import { type FunctionFinders, listNamed } from './live-functions.ts';

/** What stands in a file goes with its file, what a project deployed with its next deploy (design.md 7.23). */
export function deleteFunction(use: FunctionFinders): Handler {
  return async (request) => {
    const { type } = validateQuery(deleteFunctionQuery, request.query);
    const params = validateParams(functionParams, request.params);
    const [found] = await listNamed(use, { environmentId: request.environment.id, ...params, type });
    if (found.origin === 'standalone') {
      await use.deployments.pushed.remove(found);
      return ok({ data: { success: true } });
    }
    throw new HomeportError(
      'function_managed_by_deploy',
      found.origin === 'workspace'
        ? `Remove the file ${found.path} from the functions folder instead.`
        : 'Remove it from the project that deployed it, and deploy again.',
    );
  };
}
