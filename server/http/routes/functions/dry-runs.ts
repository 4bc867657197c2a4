import { empty } from '../../../contract/api/fields.ts';
import { dryRunBody, taskParams } from '../../../contract/api/functions-api.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { ConnectionsService } from '../../../services/connections/connections-service.ts';
import type { DryRunsService } from '../../../services/function-tasks/dry-runs-service.ts';
import type { FunctionTasks } from '../../../services/function-tasks/function-tasks.ts';
import type { IntegrationsService } from '../../../services/integrations/integrations-service.ts';
import { presentDryRun, presentStarted } from '../../present/function-task.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateParams, validateQuery } from '../../validate.ts';
import { needConnection, needIntegration } from './task-places.ts';

export interface DryRunUse {
  integrations: IntegrationsService;
  connections: ConnectionsService;
  dryRuns: DryRunsService;
}

export function startDryRun(use: DryRunUse): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(dryRunBody, request.body);
    const { environment } = request;
    const integration = await needIntegration(use, environment.id, body.integration_id);
    const connection = await needConnection(use, integration, body.connection_id);
    const { code, function_type: type, input, metadata, checkpoint, last_sync_date: lastSyncDate } = body;
    const task = use.dryRuns.start({
      environment,
      integration,
      connection,
      type,
      code,
      ...(input === undefined ? {} : { input }),
      ...(metadata ? { metadata } : {}),
      ...(checkpoint ? { checkpoint } : {}),
      ...(lastSyncDate === undefined ? {} : { lastSyncDate: new Date(lastSyncDate).toISOString() }),
    });
    return { status: 202, body: presentStarted(task) };
  };
}

export function getDryRun(use: { tasks: FunctionTasks }): Handler {
  return (request) => {
    validateQuery(empty, request.query);
    const { id } = validateParams(taskParams, request.params);
    const task = use.tasks.find(request.environment.id, 'dry-run', id);
    if (!task) throw new HomeportError('dryrun_not_found', `There is no dry run "${id}", or not any more.`);
    return ok(presentDryRun(task));
  };
}
