import { settingsBody } from '../../../contract/api/environment.ts';
import { empty } from '../../../contract/api/fields.ts';
import type { EnvironmentService } from '../../../services/environment/environment-service.ts';
import { presentSettings, presentVariables, readSettingsChanges } from '../../present/environment-settings.ts';
import { refuseOwnWebhooks } from '../../refuse-own-address.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';

/** Takes any part; answers all settings as they are then. */
export function patchSettings(use: {
  environments: EnvironmentService;
  publicBase: () => string;
  dashboardUrl: () => string;
}): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(settingsBody, request.body);
    refuseOwnWebhooks(body, { local: use.dashboardUrl(), public: use.publicBase() });
    const { id, settings } = await use.environments.change(
      request.environment.id,
      readSettingsChanges(body),
      body.variables,
    );
    const variables = presentVariables(await use.environments.listVariables(id), request.caller.scopes);
    return ok({ data: presentSettings(settings, variables) });
  };
}
