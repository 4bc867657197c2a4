import type { FunctionContext } from 'homeport';

interface Changed {
  id: string;
  updated_at: string;
}

/** For an undo: nobody else may have changed the issue since the call that wrote it. */
export async function requireUnchanged(nango: FunctionContext, { id, updated_at }: Changed): Promise<void> {
  const now = await findIssue(nango, id);
  if (now?.updated_at === updated_at) return;
  throw new nango.ActionError({
    code: 'changed_since',
    message: `The issue "${id}" was ${now ? 'changed' : 'deleted'} since that call.`,
  });
}

async function findIssue(nango: FunctionContext, id: string): Promise<Changed | undefined> {
  try {
    const { data } = await nango.get<Changed>({ endpoint: `/v1/issues/${encodeURIComponent(id)}`, retries: 3 });
    return data;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A request that the provider refuses throws an error with the provider's status. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 404;
}
