import {
  createOpenApiDocument as createFrom,
  type OpenApiDocument,
} from '../../server/contract/openapi/openapi-document.ts';
import type { RouteDescription } from '../../server/contract/openapi/route-description.ts';
import { describedRoutes, type RouteServices } from '../../server/route-table.ts';

/** The handlers are created but never run, so their services are never used. */
const routes = describedRoutes({} as RouteServices);

/** The descriptions of every public route, by `METHOD /path`; `ALL` is any method. */
export const ROUTE_DESCRIPTIONS = Object.fromEntries(
  routes.map(({ access, method, openapi, path, scopes }) => [
    `${method.toUpperCase()} ${openapi.path ?? path}`,
    { ...openapi, access, scopes: scopes?.map((scope) => scope.replace(/^environment:/, '')) },
  ]),
) as Record<string, RouteDescription & { access: string; scopes: string[] | undefined }>;

/** The document of the public API, as a hub at `serverUrl` serves it. */
export function createOpenApiDocument(about: { serverUrl: string; version: string }): OpenApiDocument {
  return createFrom(routes, about);
}
