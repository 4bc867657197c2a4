import { patchConnectionBody } from '../connections/connections.contract.ts';
import { findConnection } from '../connections/resolve-connection.api.ts';
import { viewHeld } from '../data/deletion.dashboard.ts';
import type { DeletedObject } from '../data/deletions.service.ts';
import type { Environment } from '../environments/environment.service.ts';
import { validateBody } from '../platform/http/validate.ts';
import { HomeportError, UNEXPECTED_ERROR } from '../platform/lib/homeport-error.ts';
import type { DashboardParts } from './api/dashboard-parts.ts';
import type { DashboardHandlers } from './api/dashboard-route.ts';
import type { ConnectionCommand, ConnectionTestResult } from './dashboard-bulk.contract.ts';

type Use = Pick<
  DashboardParts,
  | 'connections'
  | 'connectionTests'
  | 'deletions'
  | 'deployments'
  | 'functionSyncs'
  | 'integrations'
  | 'lifecycle'
  | 'logger'
  | 'refreshCredentials'
  | 'schedules'
>;
type Keys = 'POST /api/v1/connections/bulk' | 'POST /api/v1/connections/test' | 'POST /api/v1/functions/bulk';

/** Processes the targets one after the other. A failure of one does not stop the others. */
export function bulkRoutes(use: Use): DashboardHandlers<Keys> {
  return {
    'POST /api/v1/connections/bulk': async ({ environment, body }) => {
      if (body.command === 'delete' && body.hold) return holdDeletions(use, environment, body.targets);
      const changed: string[] = [];
      const { problems } = await forEach(use, body.targets, async (target) => {
        changed.push(
          ...((await commandConnection(use, {
            environment,
            target,
            ...body,
          })) ?? []),
        );
      });
      return { problems, ...(body.wantsChanged ? { changed } : {}) };
    },

    'POST /api/v1/connections/test': async ({ environment, body }) => ({
      results: await Promise.all(body.targets.map((target) => testConnection(use, environment, target))),
    }),

    'POST /api/v1/functions/bulk': async ({ environment, body }) => {
      const changed = body.targets.map(() => false);
      const { problems } = await forEach(use, body.targets, async ({ integrationKey, type, name }, index) => {
        const deployed = await use.deployments.find(environment.id, integrationKey, type, name);
        if (!deployed) throw new HomeportError('not_found', `There is no ${type} "${name}" any more.`);
        changed[index] = await use.functionSyncs.setEnabled(deployed, body.isEnabled);
      });
      return { problems, changed };
    },
  };
}

/** The connections that exist wait together for their deletion. */
async function holdDeletions(use: Use, environment: Environment, targets: Command['target'][]) {
  const found: DeletedObject[] = [];
  const { problems } = await forEach(use, targets, async (target) => {
    await findConnection(use, environment, target);
    found.push({ kind: 'connection', integrationKey: target.integrationKey, connectionId: target.connectionId });
  });
  return found.length === 0 ? { problems } : { problems, held: viewHeld(await use.deletions.hold(environment, found)) };
}

type Problem = { code: string; message: string } | null;

/** Tests one connection. An error becomes its result, so that the other connections keep theirs. */
async function testConnection(
  use: Use,
  environment: Environment,
  target: { integrationKey: string; connectionId: string },
): Promise<ConnectionTestResult> {
  try {
    const { connection } = await findConnection(use, environment, target);
    return await use.connectionTests.checkOnRequest(connection);
  } catch (error) {
    const { message } = toProblem(use, error);
    return { outcome: 'not_tested', message, operationId: null };
  }
}

function toProblem({ logger }: Pick<Use, 'logger'>, error: unknown): NonNullable<Problem> {
  if (error instanceof HomeportError) return { code: error.code, message: error.message };
  logger.error({ err: error }, 'unexpected failure of a command for many rows');
  return { code: 'server_error', message: UNEXPECTED_ERROR };
}

async function forEach<Target>(
  use: Pick<Use, 'logger'>,
  targets: readonly Target[],
  work: (target: Target, index: number) => Promise<void>,
): Promise<{ problems: Problem[] }> {
  const problems: Problem[] = [];
  for (const [index, target] of targets.entries()) {
    problems.push(
      await work(target, index).then(
        () => null,
        (error: unknown) => toProblem(use, error),
      ),
    );
  }
  return { problems };
}

interface Command {
  environment: Environment;
  command: ConnectionCommand;
  target: { integrationKey: string; connectionId: string };
  tags?: Record<string, string> | undefined;
}

/** A pause and a resume resolve to the ids of the syncs that they changed. */
async function commandConnection(
  use: Use,
  { environment, command, target, tags }: Command,
): Promise<string[] | undefined> {
  const { integration, connection } = await findConnection(use, environment, target);
  const { commands } = use.schedules;
  const selection = {
    environmentId: environment.id,
    providerConfigKey: target.integrationKey,
    connectionId: target.connectionId,
    syncs: [],
    trigger: 'ui',
  };
  switch (command) {
    case 'run':
      await commands.trigger(selection);
      return undefined;
    case 'pause':
      return commands.pause(selection);
    case 'resume':
      return commands.start(selection);
    case 'refresh': {
      if (!(await use.connections.findOverview(integration, target.connectionId))?.isRefreshable)
        throw new HomeportError('invalid_credentials', 'These credentials have nothing to refresh.');
      await use.refreshCredentials(connection);
      return undefined;
    }
    case 'tag':
      await use.connections.changeTags(connection, { set: validateBody(patchConnectionBody, { tags }).tags });
      return undefined;
    case 'delete': {
      await use.lifecycle.deleteConnection(environment, target.integrationKey, target.connectionId);
      return undefined;
    }
  }
}
