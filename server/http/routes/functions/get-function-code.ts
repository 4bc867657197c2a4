import { functionParams, functionTypeQuery } from '../../../contract/api/functions.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { type Handler, ok } from '../../route.ts';
import { validateParams, validateQuery } from '../../validate.ts';
import { type FunctionFinders, listNamed } from './live-functions.ts';

/** TypeScript of the version that is live. */
export function getFunctionCode(use: FunctionFinders): Handler {
  return async (request) => {
    const { type } = validateQuery(functionTypeQuery, request.query);
    const params = validateParams(functionParams, request.params);
    const [found, ...others] = await listNamed(use, { environmentId: request.environment.id, ...params, type });
    if (others.length > 0) {
      const matches = [found, ...others].map((one) => ({ type: one.type, name: one.name }));
      throw new HomeportError('ambiguous_function', `Several functions are called "${params.name}". Name the type.`, {
        payload: { matches },
      });
    }
    const code = await use.deployments.readSource(found);
    if (code === undefined) throw new HomeportError('not_found', 'The source of the function is not stored.');
    return ok({ type: found.type, code });
  };
}
