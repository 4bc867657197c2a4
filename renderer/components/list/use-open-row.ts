import { CLOSED_PAGE, isPanelPage, OPEN_PAGE } from '../page/panel-page.ts';
import type { UrlState } from '../page/use-url-state.ts';
import type { RowSource } from '../table/columns.ts';

export interface OpenRow {
  /** Id of the row that is open beside the list. */
  open: string | undefined;
  show: (id: string | undefined) => void;
  /** Back from the page to the panel beside the list, from there to the list alone. */
  close: () => void;
  /** Shows the row without the list. */
  showPage: (id: string) => void;
  /** Address of the list with this row open. */
  href: (id: string) => string;
  /** Opens the next or previous row among the loaded ones, for the arrows of a side panel. */
  step: (step: 1 | -1) => void;
}

/** The row in the address parameter `name`, shown in a side panel. */
export function useOpenRow<Row extends { id: string }>(url: UrlState, name: string, rows: RowSource<Row>): OpenRow {
  const open = url.get(name);
  const show = (id: string | undefined): void =>
    url.set({ [name]: id, ...(id === undefined && CLOSED_PAGE) }, { replace: true });
  const close = (): void => (isPanelPage(url) ? url.set(CLOSED_PAGE) : show(undefined));
  const showPage = (id: string): void => url.set({ [name]: id, ...OPEN_PAGE });
  const step = (step: 1 | -1): void => {
    for (let index = 0; index < (rows.total ?? 0); index += 1) {
      if (rows.rowAt(index)?.id !== open) continue;
      const next = rows.rowAt(index + step);
      if (next !== undefined) show(next.id);
      return;
    }
  };
  return { open, show, close, showPage, step, href: (id) => url.href({ [name]: id }) };
}
