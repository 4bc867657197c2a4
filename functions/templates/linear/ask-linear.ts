import type { FunctionContext, HttpError } from 'homeport';

interface GraphqlAnswer<T> {
  data?: T | null;
  errors?: Array<{ message: string; extensions?: { code?: string; userPresentableMessage?: string } }>;
}

interface Question {
  query: string;
  variables?: Record<string, unknown>;
  /** For queries only: a mutation that lost its answer must not happen twice. */
  retries?: number;
}

/** One question to Linear's GraphQL endpoint: https://linear.app/developers/graphql */
export async function askLinear<T>(
  nango: FunctionContext,
  { query, variables = {}, retries = 0 }: Question,
): Promise<T> {
  const answer = await send<T>(nango, { query, variables, retries });
  const [problem] = answer.errors ?? [];
  if (answer.data && !problem) return answer.data;
  throw new nango.ActionError({
    code: problem?.extensions?.code ?? 'refused_by_linear',
    message: problem?.extensions?.userPresentableMessage ?? problem?.message ?? 'Linear answered without data.',
  });
}

/** A page of a list, as every GraphQL connection has it: https://linear.app/developers/pagination */
interface Page<T> {
  nodes: T[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** Page after page of the list called `name`; the query takes the cursor as `$after`. */
export async function* linearPages<T>(
  nango: FunctionContext,
  { name, query, variables }: { name: string; query: string; variables?: Record<string, unknown> },
): AsyncGenerator<T[]> {
  let after: string | null = null;
  do {
    const answer: Record<string, Page<T>> = await askLinear(nango, {
      query,
      variables: { ...variables, after },
      retries: 3,
    });
    const page = answer[name];
    if (!page) throw new Error(`The query has no list "${name}".`);
    yield page.nodes;
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after);
}

/** What Linear does not accept comes with status 200 or 400, and with the same body. */
async function send<T>(nango: FunctionContext, { retries, ...data }: Question): Promise<GraphqlAnswer<T>> {
  try {
    const response = await nango.post<GraphqlAnswer<T>>({ endpoint: '/graphql', data, retries });
    return response.data;
  } catch (error) {
    const body = error instanceof Error ? (error as HttpError<GraphqlAnswer<T>>).response?.data : undefined;
    if (body?.errors) return body;
    throw error;
  }
}
