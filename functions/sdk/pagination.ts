import type { HttpResponse } from './provider-response.ts';

/** Settings shared by all kinds. Unset fields come from the provider's catalogue entry, field by field. */
export interface PaginationBase {
  /** Items per page, written once before the first request. Needs `limit_name_in_request`. */
  limit?: number | string;
  /** Name of the parameter that carries `limit`. */
  limit_name_in_request?: string;
  /** Dotted path to the list of items in the body; empty: the whole body. */
  response_path?: string;
  /** Where the parameters go: `true` body, `false` query. Default: body for POST, PUT and PATCH. */
  in_body?: boolean;
  /** Called after each page was yielded. `nextPageParam` is undefined on the last page. */
  on_page?: (page: { nextPageParam?: string | number | undefined; response: HttpResponse }) => Promise<void> | void;
}

/** The body of each page names the cursor of the next. */
export interface CursorPagination extends PaginationBase {
  type: 'cursor';
  /** Dotted path to the next cursor in the body; empty or missing ends the run. */
  cursor_path_in_response: string;
  /** Name of the parameter that carries the cursor. */
  cursor_name_in_request: string;
}

/** Each page names the address of the next; one of the two fields is required. */
export interface LinkPagination extends PaginationBase {
  type: 'link';
  /** Relation in the `Link` header, for example `next`. */
  link_rel_in_response_header?: string;
  /** Dotted path to the next address in the body. */
  link_path_in_response_body?: string;
}

/** Pages are counted by the caller; an empty or short page ends the run. */
export interface OffsetPagination extends PaginationBase {
  type: 'offset';
  /** Name of the parameter that carries the offset. */
  offset_name_in_request: string;
  /** First offset. Default 0. */
  offset_start_value?: number;
  /** `by-response-size` (default) adds the number of items received, `per-page` adds one. */
  offset_calculation_method?: 'by-response-size' | 'per-page';
}

/**
 * How `paginate` finds the next page. What is left out comes from the provider's catalogue entry, the type included;
 * what is missing in both throws at the first page.
 */
export type Pagination = Partial<CursorPagination> | Partial<LinkPagination> | Partial<OffsetPagination>;
