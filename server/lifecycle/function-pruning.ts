import type { DeployedFunction } from '../functions/deployments/deployed-function.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import type { FunctionKey } from '../functions/functions.store.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { Database } from '../platform/database/database.ts';
import type { RecordsService } from '../records/records.service.ts';
import { SyncsStore } from '../syncs/syncs.store.ts';

/** A function with a missing file, and what would be removed with it. */
export interface PrunableFunction {
  function: DeployedFunction;
  /** Number of syncs of all connections, variants included. */
  syncs: number;
  /** Number of live records that would be marked as deleted. */
  records: number;
}

export interface MissingReport {
  functions: PrunableFunction[];
  /** True when so many files are missing at once that no function was switched off. */
  isHeld: boolean;
  /** True when the functions folder itself is missing or empty. */
  isFolderGone: boolean;
}

export type FunctionPruning = ReturnType<typeof createFunctionPruning>;

/** Decisions of a person about functions with missing files (design.md 7.30). */
export function createFunctionPruning({
  database,
  deployments,
  integrations,
  records,
}: {
  database: Database;
  deployments: DeploymentsService;
  integrations: IntegrationsService;
  records: RecordsService;
}) {
  const syncsStore = new SyncsStore();

  async function count({
    function: one,
    keptModels,
  }: {
    function: DeployedFunction;
    keptModels: string[];
  }): Promise<{ syncs: number; records: number }> {
    const { definition, environmentId, integrationKey, name } = one;
    const integration = await integrations.find(environmentId, integrationKey);
    if (!integration || definition?.type !== 'sync') return { syncs: 0, records: 0 };
    const filter = { integrationId: integration.id, name };
    const { reader } = database;
    const syncs = [...(await syncsStore.list(reader, filter)), ...(await syncsStore.listDeleted(reader, filter))];
    const counts = await records.countByModel([...new Set(syncs.map(({ connectionRowId }) => connectionRowId))]);
    const models = definition.output.filter((model) => !keptModels.includes(model));
    const total = syncs.reduce((sum, { connectionRowId, variant }) => {
      const own = counts.get(connectionRowId) ?? {};
      const keys = models.map((model) => (variant === 'base' ? model : `${model}::${variant}`));
      return sum + keys.reduce((part, key) => part + (own[key] ?? 0), 0);
    }, 0);
    return { syncs: syncs.length, records: total };
  }

  return {
    async describe(environmentId: number): Promise<MissingReport> {
      const { workspace } = deployments;
      const all = (await workspace.listMissing()).filter((one) => one.function.environmentId === environmentId);
      const functions: PrunableFunction[] = [];
      for (const one of all) functions.push({ function: one.function, ...(await count(one)) });
      const { held } = workspace.missing;
      return { functions, isHeld: held !== undefined, isFolderGone: held?.isFolderGone ?? false };
    },
    /** Confirms that the files are missing on purpose: held functions are switched off and kept. */
    confirm(): Promise<void> {
      return deployments.workspace.confirmMissing();
    },
    /**
     * Permanently removes these functions with syncs and records; those whose files are back are kept. Resolves to the
     * removed ones.
     */
    prune(keys: readonly FunctionKey[]): Promise<DeployedFunction[]> {
      return deployments.workspace.removeMissing(keys);
    },
  };
}
