interface Issue {
  message: string;
  path: string[];
}

/** An error response of the server; `code` is `unreachable` when no response arrived. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly issues: Issue[];

  constructor(code: string, message: string, status: number, issues: Issue[] = []) {
    super(message);
    this.code = code;
    this.status = status;
    this.issues = issues;
  }
}

/** Reads the error envelope (http-api.md 1.4); a response without one still gets a message. */
export function toApiError(status: number, body: unknown): ApiError {
  const error = (body as { error?: { code?: unknown; message?: unknown; errors?: Issue[] } } | null)?.error;
  const code = typeof error?.code === 'string' ? error.code : `http_${status}`;
  const issues = error?.errors ?? [];
  const message = typeof error?.message === 'string' ? error.message : issues[0]?.message;
  return new ApiError(code, message ?? `Homeport answered with status ${status}.`, status, issues);
}

/** Whether the server says that the requested object does not exist. */
export const isMissing = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 404;

/** A failure as it is shown. */
export interface Problem {
  code: string;
  message: string;
}

/** The message of any failure, for display; one that has a code keeps it. */
export function describeError(error: unknown): Problem {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return {
    message: typeof message === 'string' ? message : 'Something failed.',
    code: typeof code === 'string' ? code : 'unexpected',
  };
}

/** The messages of a failure by field of the form; `whole` for one without a field. */
export function problemsByField(error: Error | null): Partial<Record<string, string>> {
  if (!error) return {};
  const issues = error instanceof ApiError ? error.issues : [];
  if (issues.length === 0) return { whole: describeError(error).message };
  return Object.fromEntries(issues.map(({ path: [field = 'whole'], message }) => [field, message]));
}

/** Codes of the page itself, which the documentation does not list. */
const OF_PAGE = /^(?:unexpected|unreachable|missing_part|http_\d+)$/;

/** The address of the documentation about a code of the hub; undefined for other codes. */
export const docsOfCode = (code: string): string | undefined =>
  /^[a-z_]+$/.test(code) && !OF_PAGE.test(code) ? `/app/docs/errors#${code}` : undefined;

/** Whether the session of this browser has ended. */
export const isSessionLost = (error: unknown): boolean => error instanceof ApiError && error.status === 401;
