import { createContext, use, useEffectEvent, useLayoutEffect, useSyncExternalStore } from 'react';
import { type Command, commandRegistry } from '../lib/command-registry.ts';

/** True inside an overlay of the screen: its keys win, even over a panel of the screen that renders later. */
export const CommandsAbove = createContext(false);

/** Registers keys for as long as the component is mounted, from its first render. */
export function useCommands(commands: readonly Command[]): void {
  const isAbove = use(CommandsAbove);
  const latest = useEffectEvent(() => commands);
  const shape = commands.map(({ id, label, keys }) => `${id} ${label} ${keys.join()}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` changes when the commands change; the functions are always the newest.
  useLayoutEffect(
    () =>
      commandRegistry.add(
        latest().map((one, index) => ({ ...one, run: () => latest()[index]?.run() ?? undefined })),
        isAbove,
      ),
    [shape, isAbove],
  );
}

/** The available commands, one per id: the newest. */
export function useCommandList(): Command[] {
  const sets = useSyncExternalStore(commandRegistry.subscribe, commandRegistry.list);
  const byId = new Map<string, Command>();
  for (const command of sets.flat()) if (!byId.has(command.id)) byId.set(command.id, command);
  return [...byId.values()];
}

/** Whether keys without a modifier work. */
export const useSingleKeys = (): boolean =>
  useSyncExternalStore(commandRegistry.subscribe, commandRegistry.hasSingleKeys);
