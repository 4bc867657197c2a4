import { lazy } from 'react';
import { AfterSelection } from './AfterSelection.tsx';
import type { SelectionBarProps } from './SelectionBar.tsx';

const load = async () => ({ default: (await import('./SelectionBar.tsx')).SelectionBar });
/** `lazy` forgets that the bar is made for any kind of row. */
const SelectionBar = lazy(load) as unknown as Awaited<ReturnType<typeof load>>['default'];

/** The bar below a list whose rows have no actions of their own. */
export function ListSelection<Row>(props: SelectionBarProps<Row>) {
  return (
    <AfterSelection selection={props.selection}>
      <SelectionBar {...props} />
    </AfterSelection>
  );
}
