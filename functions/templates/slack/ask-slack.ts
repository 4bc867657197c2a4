import type { FunctionContext, HttpResponse } from 'homeport';

/** Slack answers 200 to what it refuses and says so in the body: https://docs.slack.dev/apis/web-api/#responses */
interface SlackAnswer {
  ok: boolean;
  error?: string;
  /** The scope that is missing. */
  needed?: string;
  response_metadata?: { next_cursor?: string; messages?: string[] };
}

type Params = Record<string, string | number | boolean | undefined>;

/** Reads once; `method` is Slack's name for what is asked, such as `users.list`. */
export async function readSlack<T>(nango: FunctionContext, method: string, params: Params): Promise<T & SlackAnswer> {
  const response = await nango.get<T & SlackAnswer>({ endpoint: `/${method}`, params, retries: 3 });
  return accepted(nango, method, response);
}

/** Changes something, so it is never repeated. */
export async function writeSlack<T>(nango: FunctionContext, method: string, data: object): Promise<T & SlackAnswer> {
  const response = await nango.post<T & SlackAnswer>({
    endpoint: `/${method}`,
    data,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
  return accepted(nango, method, response);
}

/**
 * Page after page of the list called `list`: https://docs.slack.dev/apis/web-api/pagination. Not by `nango.paginate`:
 * to it, a refusal and a page that Slack leaves empty in the middle of a list both look like the end, and deletions
 * would be seen where none are.
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

function accepted<T extends SlackAnswer>(nango: FunctionContext, method: string, { data }: HttpResponse<T>): T {
  if (data.ok) return data;
  const { error = 'unknown_error', needed, response_metadata: more } = data;
  throw new nango.ActionError({
    code: error,
    message: `Slack refused ${method}: ${error}${needed ? `, the connection needs the scope ${needed}` : ''}.`,
    ...(more?.messages ? { details: more.messages } : {}),
  });
}
