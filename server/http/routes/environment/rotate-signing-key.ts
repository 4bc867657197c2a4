import type { EnvironmentService } from '../../../services/environment/environment-service.ts';
import { type Handler, ok } from '../../route.ts';

export function rotateSigningKey(use: { environments: EnvironmentService }): Handler {
  return async (request) =>
    ok({ data: { webhook_signing_key: await use.environments.rotateSigningKey(request.environment.id) } });
}
