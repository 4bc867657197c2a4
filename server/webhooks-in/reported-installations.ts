import type { AuthorizationService } from '../authorization/authorization.service.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { CompletedInstallation } from './routing/webhook-routing.ts';

/** Kind of the job that completes connections after the provider reported an installation. */
export const COMPLETE_INSTALLATION = 'complete-installation';

/** Payload of the job. */
export interface InstallationJob {
  environmentId: number;
  integrationKey: string;
  webhookId: string;
  /** Sealed, because an installation may contain an authorization code. */
  sealed: string;
}

/**
 * Completes connections that wait for an installation. The provider reports it once, so a job is stored with the webhook:
 * it tries again when the attempt at once fails, and after an end of the program.
 */
export function createReportedInstallations({
  scheduler,
  vault,
  authorization,
  environments,
  findWhere,
  integrations,
  database,
  logger,
}: {
  database: Database;
  vault: Vault;
  logger: Logger;
  scheduler: Pick<Scheduler, 'reserve' | 'complete' | 'leave'>;
  environments: Pick<EnvironmentService, 'list'>;
  integrations: Pick<IntegrationsService, 'find'>;
  authorization: Pick<AuthorizationService, 'completeInstallation'>;
  /** Ids of the connections in which these fields have the value. */
  findWhere(
    context: { environment: Environment; integration: Integration },
    where: CompletedInstallation['where'],
  ): Promise<string[]>;
}) {
  /** Rejects when a connection could not be completed. */
  async function complete({ environmentId, integrationKey, sealed, webhookId }: InstallationJob): Promise<void> {
    const environment = environments.list().find(({ id }) => id === environmentId);
    const integration = environment && (await integrations.find(environmentId, integrationKey));
    if (!integration) return;
    const context = { environment, integration };
    const { where, ...facts } = vault.openJson<CompletedInstallation>(sealed, contentContext(webhookId));
    const connectionIds = await findWhere(context, where);
    await authorization.completeInstallation({ ...context, ...facts, connectionIds });
  }

  /** The webhook is already stored, so a failure is only logged here. */
  async function tryAtOnce(jobId: number, job: InstallationJob): Promise<void> {
    try {
      await complete(job);
      await database.transaction((tx) => scheduler.complete(tx, jobId));
    } catch (error) {
      logger.error({ err: error }, 'A connection that waits for an installation was not completed; trying again.');
      scheduler.leave(jobId);
    }
  }

  return {
    complete,
    /** Stores the job in the caller's transaction. The function that it resolves to makes the attempt at once. */
    async reserve(
      tx: Transaction,
      about: Omit<InstallationJob, 'sealed'>,
      installation: CompletedInstallation,
    ): Promise<() => Promise<void>> {
      const payload: InstallationJob = {
        ...about,
        sealed: vault.sealJson(installation, contentContext(about.webhookId)),
      };
      const jobId = await scheduler.reserve(tx, { kind: COMPLETE_INSTALLATION, payload });
      return () => tryAtOnce(jobId, payload);
    },
  };
}

function contentContext(webhookId: string): string {
  return `installation:${webhookId}`;
}
