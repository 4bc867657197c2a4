import type { FunctionContext } from 'homeport';

/** Fixes the format of the responses: https://shopify.dev/docs/api/usage/versioning */
const ENDPOINT = '/admin/api/2026-07/graphql.json';

interface GraphqlResponse<T> {
  data?: T | null;
  errors?: Array<{ message: string; extensions?: { code?: string } }>;
  extensions?: {
    cost?: { requestedQueryCost: number; throttleStatus: { currentlyAvailable: number; restoreRate: number } };
  };
}

interface Question {
  query: string;
  variables?: Record<string, unknown>;
  /** Only for queries: a mutation whose response was lost must not be repeated. */
  retries?: number;
}

/** Largest number of times that a query waits until Shopify has restored its points. */
const WAITS = 5;

/**
 * Sends one query or mutation to the Admin API, which answers refusals with 200:
 * https://shopify.dev/docs/api/admin-graphql
 */
export async function askShopify<T>(nango: FunctionContext, question: Question, waits = WAITS): Promise<T> {
  const { query, variables = {}, retries = 0 } = question;
  const { data: response } = await nango.post<GraphqlResponse<T>>({
    endpoint: ENDPOINT,
    data: { query, variables },
    retries,
  });
  const [problem] = response.errors ?? [];
  if (response.data && !problem) return response.data;
  if (problem?.extensions?.code === 'THROTTLED' && waits > 0) {
    // A throttled request had no effect, so mutations may be repeated too.
    await untilRestored(response);
    return askShopify(nango, question, waits - 1);
  }
  throw new nango.ActionError({
    code: problem?.extensions?.code ?? 'refused_by_shopify',
    message: problem?.message ?? 'Shopify answered without data.',
  });
}

/** https://shopify.dev/docs/api/usage/limits: points are restored every second. */
async function untilRestored({ extensions }: GraphqlResponse<unknown>): Promise<void> {
  const { requestedQueryCost = 0, throttleStatus } = extensions?.cost ?? {};
  const { currentlyAvailable = 0, restoreRate = 50 } = throttleStatus ?? {};
  const seconds = Math.max(requestedQueryCost - currentlyAvailable, 1) / restoreRate;
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

/** A page of a list: https://shopify.dev/docs/api/usage/pagination-graphql */
interface Page<T> {
  nodes: T[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** Yields the pages of the list `name`. The query takes the cursor as `$after`. */
export async function* shopifyPages<T>(
  nango: FunctionContext,
  { name, query, variables }: { name: string; query: string; variables?: Record<string, unknown> },
): AsyncGenerator<T[]> {
  let after: string | null = null;
  do {
    const response: Record<string, Page<T>> = await askShopify(nango, {
      query,
      variables: { ...variables, after },
      retries: 3,
    });
    const page = response[name];
    if (!page) throw new Error(`The query has no list "${name}".`);
    yield page.nodes;
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after);
}

/** An error in the input of a mutation: https://shopify.dev/docs/api/usage/response-codes */
export interface UserError {
  field: string[] | null;
  message: string;
}

/** Returns the object that a mutation created or changed. A refusal becomes the error of the action. */
export function accepted<T>(nango: FunctionContext, object: T | null, errors: UserError[]): T {
  if (object !== null && errors.length === 0) return object;
  const message = errors.map((error) => error.message).join(' ') || 'Shopify did not say why.';
  throw new nango.ActionError({ code: 'refused_by_shopify', message, errors });
}

/** `gid://shopify/Order/1001` → `1001`. */
export function toNumber(gid: string): string {
  return gid.slice(gid.lastIndexOf('/') + 1);
}
