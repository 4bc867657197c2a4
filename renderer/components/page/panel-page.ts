import type { UrlState } from './use-url-state.ts';

/** A side panel as a page of its own: the same address with one more parameter. */
export interface PanelPage {
  isOpen: boolean;
  /** Address of the page. */
  to: string;
  /** Address of the panel beside its list. */
  back: string;
}

export const OPEN_PAGE = { view: 'page' };
export const CLOSED_PAGE = { view: undefined };

export const isPanelPage = (url: UrlState): boolean => url.get('view') === OPEN_PAGE.view;

export const panelPage = (url: UrlState): PanelPage => ({
  isOpen: isPanelPage(url),
  to: url.search(OPEN_PAGE),
  back: url.search(CLOSED_PAGE),
});
