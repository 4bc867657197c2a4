import { listFunctionsQuery } from '../../../contract/api/functions.ts';
import { integrationParams } from '../../../contract/api/integrations.ts';
import { presentFunction } from '../../present/function.ts';
import { type Handler, ok } from '../../route.ts';
import { validateParams, validateQuery } from '../../validate.ts';
import { type FunctionFinders, listLive } from './live-functions.ts';

export function listFunctions(use: FunctionFinders): Handler {
  return async (request) => {
    const { type, search, page, limit } = validateQuery(listFunctionsQuery, request.query);
    const { uniqueKey } = validateParams(integrationParams, request.params);
    const live = await listLive(use, { environmentId: request.environment.id, uniqueKey, type });
    const wanted = search?.toLowerCase() ?? '';
    const found = live.filter(({ name }) => name.toLowerCase().includes(wanted));
    const data = found.slice(page * limit, (page + 1) * limit).map(presentFunction);
    return ok({ data, pagination: { total: found.length, page, limit } });
  };
}
