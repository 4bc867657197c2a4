export type EndpointMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Custom route of a function (`/v1/<path>`). The pair of `method` and `path` must be unique over all syncs and actions
 * of one integration.
 */
export interface FunctionEndpoint {
  method: EndpointMethod;
  /** Starts with `/`, for example `/tickets`. */
  path: string;
  /** Heading in the documentation; 1 to 64 characters. */
  group?: string;
}
