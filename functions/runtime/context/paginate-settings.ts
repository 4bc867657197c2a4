import set from 'lodash-es/set.js';
import { URLSearchParams } from '../globals/url-search-params.ts';
import { ObjectAssign, ObjectEntries, ObjectFromEntries, toText } from '../primordials.ts';
import type { ProxyConfiguration } from './http-request.ts';
import type { HttpResponse } from './http-response.ts';

/** Resolved pagination settings (functions.md 5.1). */
export interface PaginateSettings {
  type?: unknown;
  limit?: number | string;
  limit_name_in_request?: string;
  response_path?: string;
  in_body?: boolean;
  on_page?: (page: { nextPageParam: unknown; response: HttpResponse }) => unknown;
  cursor_path_in_response?: string;
  cursor_name_in_request?: string;
  link_rel_in_response_header?: string;
  link_path_in_response_body?: string;
  offset_name_in_request?: string;
  offset_start_value?: number;
  offset_calculation_method?: 'by-response-size' | 'per-page';
}

/** Merges the caller's settings over the provider's, key by key. */
export function resolveSettings(
  config: ProxyConfiguration,
  defaults: Record<string, unknown> | null | undefined,
): PaginateSettings {
  if (defaults === undefined) {
    const error = new Error('The provider of this connection is not in the catalogue any more');
    throw ObjectAssign(error, { code: 'unknown_provider_template_in_config' });
  }
  if (!config.paginate && !defaults) {
    throw new Error('Pagination is not configured: give `paginate` settings, the provider has none of its own');
  }
  const settings: PaginateSettings = { ...defaults, ...config.paginate };
  const problem = findProblem(settings);
  if (problem) throw new Error(`Invalid pagination settings: ${problem}`);
  return settings;
}

function findProblem(settings: PaginateSettings): string | undefined {
  switch (settings.type) {
    case 'cursor':
      if (!settings.cursor_name_in_request) return 'cursor_name_in_request is required';
      if (!settings.cursor_path_in_response) return 'cursor_path_in_response is required';
      return settings.limit && !settings.limit_name_in_request ? 'limit needs limit_name_in_request' : undefined;
    case 'link':
      if (settings.link_rel_in_response_header || settings.link_path_in_response_body) return undefined;
      return 'link_rel_in_response_header or link_path_in_response_body is required';
    case 'offset':
      return settings.offset_name_in_request ? undefined : 'offset_name_in_request is required';
    default:
      return `the type '${toText(settings.type)}' is not one of cursor, link, offset`;
  }
}

/** The caller's own `params` or `data` object. Pagination writes its parameters into it. */
export class PageParams {
  readonly isInBody: boolean;
  readonly #config: ProxyConfiguration;
  readonly #bag: Record<string, unknown>;

  constructor(config: ProxyConfiguration, inBody: unknown) {
    const method = (config.method ?? 'GET').toUpperCase();
    this.isInBody = typeof inBody === 'boolean' ? inBody : ['POST', 'PUT', 'PATCH'].includes(method);
    this.#bag = toBag(this.isInBody ? config.data : config.params);
    this.#config = { ...config, method, [this.isInBody ? 'data' : 'params']: this.#bag };
  }

  set(name: string | undefined, value: unknown): void {
    this.#bag[toText(name)] = value;
  }

  /** In a body, a name with dots means nested members. */
  request(): ProxyConfiguration {
    if (!this.isInBody) return this.#config;
    const data = {};
    for (const [path, value] of ObjectEntries(this.#bag)) set(data, path, value);
    return { ...this.#config, data };
  }
}

function toBag(value: unknown): Record<string, unknown> {
  if (typeof value === 'string') return ObjectFromEntries(new URLSearchParams(value));
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
