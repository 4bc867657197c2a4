import type { FunctionContext, HttpError } from 'homeport';

interface GraphqlResponse<T> {
  data?: T | null;
  errors?: Array<{ message: string; extensions?: { code?: string; userPresentableMessage?: string } }>;
}

interface Question {
  query: string;
  variables?: Record<string, unknown>;
  /** Only for queries: a mutation whose response was lost must not be repeated. */
  retries?: number;
}

/** Sends one query or mutation to Linear's GraphQL endpoint: https://linear.app/developers/graphql */
export async function askLinear<T>(
  nango: FunctionContext,
  { query, variables = {}, retries = 0 }: Question,
): Promise<T> {
  const response = await send<T>(nango, { query, variables, retries });
  const [problem] = response.errors ?? [];
  if (response.data && !problem) return response.data;
  throw new nango.ActionError({
    code: problem?.extensions?.code ?? 'refused_by_linear',
    message: problem?.extensions?.userPresentableMessage ?? problem?.message ?? 'Linear answered without data.',
  });
}

/** A page of any GraphQL connection: https://linear.app/developers/pagination */
interface Page<T> {
  nodes: T[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** Yields the pages of the list `name`. The query takes the cursor as `$after`. */
export async function* linearPages<T>(
  nango: FunctionContext,
  { name, query, variables }: { name: string; query: string; variables?: Record<string, unknown> },
): AsyncGenerator<T[]> {
  let after: string | null = null;
  do {
    const response: Record<string, Page<T>> = await askLinear(nango, {
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

/** Linear answers a refusal with status 200 or 400 and the same body. */
async function send<T>(nango: FunctionContext, { retries, ...data }: Question): Promise<GraphqlResponse<T>> {
  try {
    const response = await nango.post<GraphqlResponse<T>>({ endpoint: '/graphql', data, retries });
    return response.data;
  } catch (error) {
    const body = error instanceof Error ? (error as HttpError<GraphqlResponse<T>>).response?.data : undefined;
    if (body?.errors) return body;
    throw error;
  }
}
