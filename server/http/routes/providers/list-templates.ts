import { empty } from '../../../contract/api/fields.ts';
import { providerParams } from '../../../contract/api/providers.ts';
import type { FunctionTemplates } from '../../../services/deployments/function-templates.ts';
import { presentTemplate } from '../../present/function.ts';
import { type Handler, ok } from '../../route.ts';
import { validateParams, validateQuery } from '../../validate.ts';

/** Empty for a provider that does not exist (http-api.md 2). */
export function listTemplates(use: { templates: FunctionTemplates }): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { provider } = validateParams(providerParams, request.params);
    return ok({ data: (await use.templates.list(provider)).map(presentTemplate) });
  };
}
