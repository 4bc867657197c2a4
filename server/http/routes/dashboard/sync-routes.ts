import type { SyncCommand, SyncListItem } from '../../../contract/dashboard/dashboard-syncs.ts';
import { isoDate, isoDateOrNull } from '../../../present/dates.ts';
import type {
  CommandSelection,
  SyncSchedulesService,
  SyncStatus,
} from '../../../services/sync-schedules/sync-schedules-service.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { findConnection } from '../../resolve-connection.ts';

type Use = Pick<DashboardParts, 'integrations' | 'connections' | 'schedules'>;
type Keys = 'GET /api/v1/sync' | 'POST /api/v1/sync/command';

export function syncRoutes(use: Use): DashboardHandlers<Keys> {
  const { commands, statuses } = use.schedules;
  return {
    'GET /api/v1/sync': async ({ environment, query }) => {
      const { integration: integrationKey, connection: connectionId } = query;
      await findConnection(use, environment, { integrationKey, connectionId });
      const list = await statuses.list({
        environmentId: environment.id,
        providerConfigKey: integrationKey,
        connectionId,
        syncs: [],
      });
      return { data: list.map(viewSync) };
    },

    'POST /api/v1/sync/command': async ({ environment, body }) => {
      await findConnection(use, environment, body);
      const selection = {
        environmentId: environment.id,
        providerConfigKey: body.integrationKey,
        connectionId: body.connectionId,
        syncs: [{ name: body.sync, variant: body.variant }],
        trigger: 'ui',
      };
      await carryOut(commands, body.command, selection, body.deleteRecords ?? false);
      // A run begins later, when the scheduler takes it; its operation comes as an event.
      return { operationId: null };
    },
  };
}

function carryOut(
  commands: SyncSchedulesService['commands'],
  command: SyncCommand,
  selection: CommandSelection,
  emptyCache: boolean,
): Promise<void> {
  switch (command) {
    case 'PAUSE':
      return commands.pause(selection);
    case 'UNPAUSE':
      return commands.start(selection);
    case 'CANCEL':
      return commands.cancel(selection);
    case 'RUN':
      return commands.trigger(selection);
    case 'RUN_FULL':
      return commands.trigger({ ...selection, reset: true, emptyCache });
  }
}

function viewSync(sync: SyncStatus): SyncListItem {
  const { latestRun } = sync;
  return {
    name: sync.name,
    variant: sync.variant,
    models: sync.models,
    status: sync.status,
    scheduleStatus: sync.scheduleStatus,
    frequency: sync.frequency,
    lastRun: latestRun && {
      operationId: latestRun.logId,
      startedAt: isoDate(latestRun.startedAt),
      finishedAt: isoDateOrNull(latestRun.finishedAt),
      error: latestRun.error,
    },
    nextRunAt: isoDateOrNull(sync.nextRunAt),
    recordCount: sync.recordCount,
    latestResult: latestRun?.finishedAt == null ? {} : latestRun.result,
    checkpoint: sync.checkpoint,
  };
}
