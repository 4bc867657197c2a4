export type EndpointMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The custom route of a function (`/v1/<path>`). `method` and `path` together are unique over all syncs and
 * actions of one integration.
 */
export interface FunctionEndpoint {
  method: EndpointMethod;
  /** Starts with `/`, for example `/tickets`. */
  path: string;
  /** Heading in the documentation; 1 to 64 characters. */
  group?: string;
}
