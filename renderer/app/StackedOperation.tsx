import { lazy, Suspense } from 'react';
import { PartLoading } from '../components/PartLoading.tsx';
import { CommandsAbove, useCommands } from '../components/use-commands.ts';
import { useUrlState } from '../components/use-url-state.ts';
import { KEY_MAP } from '../lib/key-map.ts';
import { Sheet } from './Sheet.tsx';

const OperationPanel = lazy(async () => ({
  default: (await import('../features/logs/OperationPanel.tsx')).OperationPanel,
}));

/** The operation that a side panel led to, over that panel; closing it goes back there. */
export function StackedOperation() {
  const url = useUrlState();
  const operationId = url.get('over');
  if (operationId === undefined) return null;
  return (
    <CommandsAbove value>
      <Suspense fallback={<PartLoading />}>
        <Sheet>
          <HeldRows />
          <OperationPanel
            isStacked
            operationId={operationId}
            isUtc={false}
            onClose={() => url.set({ over: undefined, overTab: undefined }, { replace: true })}
          />
        </Sheet>
      </Suspense>
    </CommandsAbove>
  );
}

/** The rows below stay where they are: their keys would change what the panel came from. */
function HeldRows() {
  const nothing = (): void => {};
  useCommands([
    { ...KEY_MAP.next, run: nothing },
    { ...KEY_MAP.previous, run: nothing },
  ]);
  return null;
}
