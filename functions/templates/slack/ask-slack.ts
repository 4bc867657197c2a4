import type { FunctionContext, HttpResponse } from 'homeport';

/** Slack answers refusals with 200 and an error in the body: https://docs.slack.dev/apis/web-api/#responses */
interface SlackResponse {
  ok: boolean;
  error?: string;
  /** The missing scope. */
  needed?: string;
  response_metadata?: { next_cursor?: string; messages?: string[] };
}

type Params = Record<string, string | number | boolean | undefined>;

/** Sends one request that only reads. `method` is Slack's name, such as `users.list`. */
export async function readSlack<T>(nango: FunctionContext, method: string, params: Params): Promise<T & SlackResponse> {
  const response = await nango.get<T & SlackResponse>({ endpoint: `/${method}`, params, retries: 3 });
  return accepted(nango, method, response);
}

/** Sends one request that changes something, without retries. */
export async function writeSlack<T>(nango: FunctionContext, method: string, data: object): Promise<T & SlackResponse> {
  const response = await nango.post<T & SlackResponse>({
    endpoint: `/${method}`,
    data,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
  return accepted(nango, method, response);
}

/**
 * Yields the pages of the list `list`: https://docs.slack.dev/apis/web-api/pagination. Not `nango.paginate`, which
 * would take a refusal, or an empty page in the middle of a list, for the end; existing objects would then be marked as
 * deleted.
 */
export async function* slackPages<T>(
  nango: FunctionContext,
  { method, list, params }: { method: string; list: string; params?: Params },
): AsyncGenerator<T[]> {
  let cursor: string | undefined;
  do {
    const page = await readSlack<Record<string, T[]>>(nango, method, { ...params, limit: 200, cursor });
    yield page[list] ?? [];
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (cursor);
}

function accepted<T extends SlackResponse>(nango: FunctionContext, method: string, { data }: HttpResponse<T>): T {
  if (data.ok) return data;
  const { error = 'unknown_error', needed, response_metadata: more } = data;
  throw new nango.ActionError({
    code: error,
    message: `Slack refused ${method}: ${error}${needed ? `, the connection needs the scope ${needed}` : ''}.`,
    ...(more?.messages ? { details: more.messages } : {}),
  });
}
