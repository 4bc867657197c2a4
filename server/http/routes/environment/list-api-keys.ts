import { listKeysQuery } from '../../../contract/api/environment.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { EnvironmentService } from '../../../services/environment/environment-service.ts';
import { isoDate, isoDateOrNull } from '../../present/dates.ts';
import { type Handler, ok } from '../../route.ts';
import { validateQuery } from '../../validate.ts';

export function listApiKeys(use: { environments: EnvironmentService }): Handler {
  return async (request) => {
    const query = validateQuery(listKeysQuery, request.query);
    const environmentId = query.environment_id ?? request.environment.id;
    if (!use.environments.find(environmentId)) throw new HomeportError('not_found', 'There is no such environment.');
    const keys = await use.environments.keys.list(environmentId);
    return ok({
      data: keys.map((key) => ({
        id: key.id,
        display_name: key.displayName,
        scopes: key.scopes,
        created_at: isoDate(key.createdAt),
        last_used_at: isoDateOrNull(key.lastUsedAt),
      })),
    });
  };
}
