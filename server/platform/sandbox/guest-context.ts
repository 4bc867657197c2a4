import type { GuestContext } from '../../../functions/runtime/bridge.ts';

/** A function as its definition describes it, deployed or just compiled. */
interface DescribedFunction {
  name: string;
  version: string;
  definition: {
    type: string;
    /** Names of the models: those that a sync saves, or the one of an action's result. */
    output?: string[];
    json_schema?: unknown;
    attributes?: unknown;
  };
}

/** Facts of one run. The members for syncs and webhook handlers are absent in other runs. */
type RunFacts = Omit<GuestContext, 'accountId' | 'syncConfig' | 'models'>;

/** What a function can read about itself and its run; the same in the hub and on the command line. */
export function describeContext(described: DescribedFunction, facts: RunFacts): GuestContext {
  const { type, output = [], json_schema: schema, attributes } = described.definition;
  return {
    ...facts,
    // There is only one account.
    accountId: 0,
    // Only syncs save records.
    models: type === 'sync' ? output : [],
    syncConfig: {
      sync_name: described.name,
      type,
      version: described.version,
      models: output,
      models_json_schema: schema ?? null,
      ...(attributes === undefined ? {} : { attributes }),
    },
  };
}
