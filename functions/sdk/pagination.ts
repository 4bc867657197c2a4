import type { HttpResponse } from './provider-response.ts';

/** Settings of all kinds. Missing fields are taken from the provider's catalogue entry, field by field. */
export interface PaginationBase {
  /** Items per page, set once before the first request. Needs `limit_name_in_request`. */
  limit?: number | string;
  /** Name of the parameter for `limit`. */
  limit_name_in_request?: string;
  /** Dotted path to the list of items in the body; empty means the whole body. */
  response_path?: string;
  /** Where the parameters are set: `true` in the body, `false` in the query. Default: body for POST, PUT and PATCH. */
  in_body?: boolean;
  /** Called after each page was yielded. `nextPageParam` is undefined on the last page. */
  on_page?: (page: { nextPageParam?: string | number | undefined; response: HttpResponse }) => Promise<void> | void;
}

/** Pagination with a cursor: the body of each page contains the cursor of the next page. */
export interface CursorPagination extends PaginationBase {
  type: 'cursor';
  /** Dotted path to the next cursor in the body. An empty or missing cursor ends the pagination. */
  cursor_path_in_response: string;
  /** Name of the parameter for the cursor. */
  cursor_name_in_request: string;
}

/** Pagination with links: each page contains the address of the next one. One of the two fields is required. */
export interface LinkPagination extends PaginationBase {
  type: 'link';
  /** Relation in the `Link` header, for example `next`. */
  link_rel_in_response_header?: string;
  /** Dotted path to the next address in the body. */
  link_path_in_response_body?: string;
}

/** Pagination with an offset, which the caller counts. An empty or short page ends the pagination. */
export interface OffsetPagination extends PaginationBase {
  type: 'offset';
  /** Name of the parameter for the offset. */
  offset_name_in_request: string;
  /** First offset. Default 0. */
  offset_start_value?: number;
  /** `by-response-size` (default) adds the number of received items, `per-page` adds one. */
  offset_calculation_method?: 'by-response-size' | 'per-page';
}

/**
 * How `paginate` finds the next page. Missing settings, the type included, are taken from the provider's catalogue
 * entry. A setting that is missing in both throws at the first page.
 */
export type Pagination = Partial<CursorPagination> | Partial<LinkPagination> | Partial<OffsetPagination>;
