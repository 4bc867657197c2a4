import { functionParams, functionTypeQuery } from '../../../contract/api/functions.ts';
import { presentFunction } from '../../present/function.ts';
import { type Handler, ok } from '../../route.ts';
import { validateParams, validateQuery } from '../../validate.ts';
import { type FunctionFinders, listNamed } from './live-functions.ts';

export function getFunction(use: FunctionFinders): Handler {
  return async (request) => {
    const { type } = validateQuery(functionTypeQuery, request.query);
    const params = validateParams(functionParams, request.params);
    const [found] = await listNamed(use, { environmentId: request.environment.id, ...params, type });
    return ok({ data: presentFunction(found) });
  };
}
