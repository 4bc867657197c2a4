import { createConnectionBody } from '../connections/connections.contract.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import type { Environment } from '../environments/environment.service.ts';
import { validateBody } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { transferRouteShapes } from './dashboard-transfer.contract.ts';

type Use = Pick<DashboardParts, 'transfer' | 'integrations' | 'connections' | 'catalog'>;

export function transferHandlers(use: Use): DashboardHandlers<keyof typeof transferRouteShapes> {
  const { transfer } = use;
  return {
    'POST /api/v1/transfer/export': async ({ environment, body }) => ({
      file: { ...(await transfer.export(environment, body.passphrase, body.parts, selectionOf(body))) },
    }),

    'POST /api/v1/transfer/archive': async ({ environment, body }) => {
      const bytes = await transfer.exportArchive(environment, body.passphrase, body.parts, selectionOf(body));
      return { archive: Buffer.from(bytes).toString('base64') };
    },

    'POST /api/v1/transfer/preview': ({ environment, body }) => transfer.preview(environment, body.source),

    'POST /api/v1/transfer/import': async ({ environment, body: { source, ...choice } }) => ({
      data: await transfer.import(environment, source, choice),
    }),

    'POST /api/v1/transfer/send': async ({ environment, body: { target, ...choice } }) => ({
      data: await transfer.send(environment, target, choice),
    }),

    'POST /api/v1/transfer/check-connections': async ({ environment, body: { rows } }) => {
      const data = [];
      for (const row of rows) data.push(await checkRow(use, environment, row));
      return { data };
    },
  };
}

function selectionOf({ integrations, connections }: ExportSelection) {
  return {
    integrations,
    connections: connections?.map(({ integrationKey, connectionId }) => ({
      provider_config_key: integrationKey,
      connection_id: connectionId,
    })),
  };
}

interface ExportSelection {
  integrations?: string[] | undefined;
  connections?: Array<{ integrationKey: string; connectionId: string }> | undefined;
}

interface ListedConnection {
  integrationKey: string;
  connectionId?: string | undefined;
  body: Record<string, unknown>;
}

/** Checks a row as the import would, as far as possible without a request to the provider. */
async function checkRow(use: Use, environment: Environment, { integrationKey, connectionId, body }: ListedConnection) {
  const integration = await use.integrations.find(environment.id, integrationKey);
  if (!integration) return { exists: false, problem: `There is no integration "${integrationKey}".` };
  const exists = connectionId !== undefined && (await use.connections.find(integration, connectionId)) !== undefined;
  const mode = use.catalog.find(integration.provider)?.auth_mode;
  const { credentials } = body as { credentials?: { type?: string } };
  if (credentials?.type !== mode) {
    const sent = credentials?.type === undefined ? ', and the row has none' : `, not ${credentials.type}`;
    return { exists, problem: `${integrationKey} takes credentials of type ${mode}${sent}.` };
  }
  try {
    validateBody(createConnectionBody, body);
    return { exists, problem: null };
  } catch (error) {
    if (!(error instanceof HomeportError)) throw error;
    const issues = (error.issues ?? []).map(({ path, message }) =>
      message.endsWith('received undefined') ? `${path.join('.')} is missing` : `${path.join('.')}: ${message}`,
    );
    return { exists, problem: issues.join('; ') || error.message };
  }
}
