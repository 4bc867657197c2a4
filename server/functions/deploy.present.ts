import { isoDate } from '../platform/lib/dates.ts';
import type { PushPlan } from './deployments/deployed-bundles.ts';
import type { DeployedFunction, ParsedDefinition } from './deployments/deployed-function.ts';

/** One function of a plan, from any source. */
interface Planned {
  id?: number;
  integrationKey: string;
  isEnabled?: boolean;
  definition: ParsedDefinition;
}

/** What a deploy would change, by kind of function (http-api.md 15). */
export function presentPlan(plan: PushPlan, countConnections: (integrationKey: string) => number) {
  const added = plan.added;
  const updated = plan.changed.map(({ pushed, live }) => ({ ...live, definition: pushed.definition }));
  const deleted = plan.removed.flatMap(({ definition, ...one }) => (definition ? [{ ...one, definition }] : []));
  return {
    newSyncs: syncsOf(added, countConnections),
    updatedSyncs: syncsOf(updated, countConnections),
    deletedSyncs: syncsOf(deleted, countConnections),
    newActions: actionsOf(added),
    updatedActions: actionsOf(updated),
    deletedActions: actionsOf(deleted),
    newOnEventScripts: scriptsOf(added),
    updatedOnEventScripts: scriptsOf(updated),
    deletedOnEventScripts: scriptsOf(deleted),
    deletedModels: plan.removedModels,
  };
}

/** A function after a deploy; an empty list for one without a live version. */
export function presentDeployed(one: DeployedFunction) {
  const { definition, id, integrationKey, name, type, version } = one;
  if (definition === null || version === null) return [];
  return [
    {
      id,
      name,
      version,
      providerConfigKey: integrationKey,
      type,
      last_deployed: isoDate(one.deployedAt ?? 0),
      models: definition.type === 'on-event' ? [] : definition.output,
      ...(definition.type !== 'on-event' && definition.input ? { input: definition.input } : {}),
      ...(definition.type === 'sync' ? { runs: definition.runs } : {}),
    },
  ];
}

function syncsOf(functions: Planned[], countConnections: (integrationKey: string) => number) {
  return functions.flatMap((one) => {
    const { definition, integrationKey } = one;
    if (definition.type !== 'sync') return [];
    return [
      {
        ...shared(one),
        auto_start: definition.auto_start,
        ...(one.isEnabled === undefined ? {} : { enabled: one.isEnabled }),
        connections: countConnections(integrationKey),
      },
    ];
  });
}

function actionsOf(functions: Planned[]) {
  return functions.flatMap((one) => (one.definition.type === 'action' ? [shared(one)] : []));
}

function scriptsOf(functions: Planned[]) {
  return functions.flatMap(({ definition, integrationKey }) =>
    definition.type === 'on-event'
      ? [{ providerConfigKey: integrationKey, name: definition.name, event: definition.event }]
      : [],
  );
}

function shared({ id, integrationKey, definition }: Planned) {
  return { ...(id === undefined ? {} : { id }), name: definition.name, providerConfigKey: integrationKey };
}
