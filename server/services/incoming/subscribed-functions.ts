import type { DeployedFunction } from '../deployments/deployed-function.ts';

/** Names of the enabled syncs whose `webhookSubscriptions` take an event of these types, each once (webhooks.md 2.3). */
export function subscribedFunctions(functions: readonly DeployedFunction[], types: readonly string[]): string[] {
  return functions
    .filter(({ isEnabled, definition }) => {
      if (!isEnabled || definition?.type !== 'sync') return false;
      return definition.webhookSubscriptions.some((entry) => entry === '*' || types.includes(entry));
    })
    .map(({ name }) => name);
}
