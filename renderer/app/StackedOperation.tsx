import { lazy, Suspense } from 'react';
import { PartLoading } from '../components/page/PartLoading.tsx';
import { useUrlState } from '../components/page/use-url-state.ts';
import { CommandsAbove, useCommands } from '../components/use-commands.ts';
import { KEY_MAP } from '../lib/key-map.ts';
import { Sheet } from './Sheet.tsx';

const OperationPanel = lazy(async () => ({
  default: (await import('../features/logs/OperationPanel.tsx')).OperationPanel,
}));

/** An operation that was opened from a side panel, above that panel; closing it returns to the panel. */
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

/** Overrides the keys for the next and the previous row: they would change the panel below. */
function HeldRows() {
  const nothing = (): void => {};
  useCommands([
    { ...KEY_MAP.next, run: nothing },
    { ...KEY_MAP.previous, run: nothing },
  ]);
  return null;
}
