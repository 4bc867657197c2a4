import { createContext, use, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { type Command, commandRegistry } from '../lib/command-registry.ts';

/** True within what lies above the screen: its keys come first, though a panel of the screen may be drawn later. */
export const CommandsAbove = createContext(false);

/** Lends keys to what is on the screen for as long as it is there, from the moment it is drawn. */
export function useCommands(commands: readonly Command[]): void {
  const isAbove = use(CommandsAbove);
  const latest = useRef(commands);
  latest.current = commands;
  const shape = commands.map(({ id, label, keys }) => `${id} ${label} ${keys.join()}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text says when there are others; what they do is looked up.
  useLayoutEffect(
    () =>
      commandRegistry.add(
        latest.current.map((one, index) => ({ ...one, run: () => latest.current[index]?.run() ?? undefined })),
        isAbove,
      ),
    [shape, isAbove],
  );
}

/** What can be done now, one entry for each id: the newest. */
export function useCommandList(): Command[] {
  const sets = useSyncExternalStore(commandRegistry.subscribe, commandRegistry.list);
  const byId = new Map<string, Command>();
  for (const command of sets.flat()) if (!byId.has(command.id)) byId.set(command.id, command);
  return [...byId.values()];
}

/** Whether keys without a modifier do anything. */
export const useSingleKeys = (): boolean =>
  useSyncExternalStore(commandRegistry.subscribe, commandRegistry.hasSingleKeys);
