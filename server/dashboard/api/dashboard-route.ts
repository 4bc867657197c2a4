import type { Request, Response } from 'express';
import { z } from 'zod';
import {
  type DashboardRoute,
  type DashboardRouteKey,
  type DashboardRoutes,
  dashboardRoutes as table,
} from '../../contract/dashboard/dashboard-routes.ts';
import type { AuditService } from '../../environments/audit.service.ts';
import type { Environment, EnvironmentService } from '../../environments/environment.service.ts';
import { type ApiRequest, ok, type Route } from '../../platform/http/route.ts';
import { validateBody, validateParams, validateQuery } from '../../platform/http/validate.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import { type AuditedCall, recordAct } from './audited-acts.ts';

type Part<K extends DashboardRouteKey, Name extends string> =
  DashboardRoutes[K] extends Record<Name, infer S extends z.ZodType> ? z.output<S> : undefined;

/** A request whose parts were checked by the schemas of its row. */
export interface DashboardCall<K extends DashboardRouteKey> {
  params: Part<K, 'params'>;
  query: Part<K, 'query'>;
  body: Part<K, 'body'>;
  /** The environment that `env` names. Reading it throws `not_found` when it does not exist. */
  readonly environment: Environment;
  http: Request;
  response: Response;
}

export type DashboardResponse<K extends DashboardRouteKey> = z.output<DashboardRoutes[K]['response']>;
export type DashboardHandler<K extends DashboardRouteKey> = (
  call: DashboardCall<K>,
) => Promise<DashboardResponse<K>> | DashboardResponse<K>;
export type DashboardHandlers<K extends DashboardRouteKey = DashboardRouteKey> = { [Key in K]: DashboardHandler<Key> };

/** The only route that needs no session, because it creates one. */
const OPEN_ROW: DashboardRouteKey = 'POST /api/v1/session';

/** Returns the route of one row of the table. The schemas of the row check the request. */
export function toRoute<K extends DashboardRouteKey>(
  key: K,
  handler: DashboardHandler<K>,
  { audit, environments }: { audit: Pick<AuditService, 'record'>; environments: EnvironmentService },
): Route {
  const [method = '', path = ''] = key.split(' ');
  const { params, query, body }: DashboardRoute = table[key];
  const knownQuery = query instanceof z.ZodObject ? query.strict() : z.strictObject({});
  return {
    method: method.toLowerCase() as Route['method'],
    path,
    access: key === OPEN_ROW ? 'public' : 'dashboard',
    handler: async (request: ApiRequest) => {
      request.response.setHeader('Cache-Control', 'no-store');
      request.response.setHeader('X-Content-Type-Options', 'nosniff');
      const call = {
        params: params && validateParams(params, request.params),
        query: validateQuery(knownQuery, request.query),
        body: body && validateBody(body, request.body),
        get environment() {
          return findEnvironment(environments, this.query);
        },
        http: request.http,
        response: request.response,
      };
      // Read before the call, which may delete this environment.
      const environmentId = environments.findByName(String(call.query['env']))?.id ?? null;
      const response = await handler(call as DashboardCall<K>);
      // A deletion that waits is recorded when it happens.
      if (!isHeld(response)) await recordAct(audit, key, call as AuditedCall, environmentId);
      return ok(response);
    },
  };
}

const isHeld = (response: unknown): boolean => isJsonObject(response) && response['held'] !== undefined;

function findEnvironment(environments: EnvironmentService, query: Record<string, unknown>): Environment {
  const name = String(query['env']);
  const environment = environments.findByName(name);
  if (!environment) throw new HomeportError('not_found', `There is no environment "${name}".`);
  return environment;
}
