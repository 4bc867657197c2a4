import { createConnectionBody } from '../../../contract/api/connections.ts';
import { empty } from '../../../contract/api/fields.ts';
import type { LifecycleService } from '../../../services/lifecycle/lifecycle-service.ts';
import { presentFullConnection } from '../../present/connection.ts';
import { created, type Handler } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';

export function createConnection(use: { lifecycle: LifecycleService }): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(createConnectionBody, request.body);
    const { connection, credentials, config } = await use.lifecycle.importConnection(request.environment, body);
    return created(presentFullConnection({ connection, credentials, config, withRefreshToken: true, form: 'post' }));
  };
}
