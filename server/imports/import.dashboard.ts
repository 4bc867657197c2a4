import { findConnection } from '../connections/resolve-connection.api.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import { ok, type Route } from '../platform/http/route.ts';
import { validateParams, validateQuery } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { dashboardImportQuery, importParams } from './dashboard-imports.contract.ts';
import { IMPORT_PATH } from './import-path.contract.ts';
import { importFromBody } from './imports.api.ts';

type Use = Pick<DashboardParts, 'audit' | 'connections' | 'environments' | 'imports' | 'integrations'>;

/** A file with records, sent by a window of this computer. */
export function importRoute(use: Use): Route {
  return {
    method: 'post',
    path: IMPORT_PATH,
    access: 'dashboard',
    takesStream: true,
    handler: async ({ http, params, query, response }) => {
      const { env, ...call } = validateQuery(dashboardImportQuery, query);
      const environment = use.environments.findByName(env);
      if (!environment) throw new HomeportError('not_found', `There is no environment "${env}".`);
      const named = validateParams(importParams, params);
      const { connection } = await findConnection(use, environment, named);
      response.setHeader('Cache-Control', 'no-store');
      const result = await importFromBody(
        use.imports,
        { http, response },
        { ...call, environment, connection, trigger: 'ui' },
      );
      if (!result.dry_run)
        await use.audit.record({
          action: 'imported',
          environmentId: environment.id,
          integrationKey: named.integrationKey,
          connectionId: named.connectionId,
          subject: `records of ${result.model}`,
        });
      return ok(result);
    },
  };
}
