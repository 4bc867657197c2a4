import { forEachEntry, JSONStringify, toText } from '../primordials.ts';
import { ActionError } from './action-error.ts';
import { FetchResponse } from './fetch-response.ts';
import type { GuestRun, Members } from './guest-run.ts';

interface ValidationIssue {
  path: PropertyKey[];
  message: string;
}
interface SafeParser {
  safeParse(
    input: unknown,
  ): { success: true; data: unknown } | { success: false; error: { issues: ValidationIssue[] } };
}
interface FetchOptions {
  url: unknown;
  method?: string;
  headers?: Record<string, unknown>;
  body?: string | null;
}

/** Codes of refusals that a function can catch as an ActionError (functions.md 3.10). */
const FETCH_REFUSALS = new Set(['url_not_allowed', 'too_many_redirects', 'invalid_redirect']);

/** In characters of JSON, as the host takes it. */
const MAX_KEPT_LENGTH = 100_000;

/** Other members of the context (functions.md 3.10). */
export function miscMembers(run: GuestRun): Members {
  return {
    ActionError,
    keepForUndo: async (value: unknown) => {
      const text = JSONStringify(value) ?? 'null';
      await run.host.call('undo.keep', { value: text.length > MAX_KEPT_LENGTH ? null : text });
    },
    zodValidateInput: async (options: { zodSchema: SafeParser; input: unknown }) => validate(run, options),
    uncontrolledFetch: (options: FetchOptions) => fetchOnce(run, options),
  };
}

function validate(run: GuestRun, { zodSchema, input }: { zodSchema: SafeParser; input: unknown }) {
  const result = zodSchema.safeParse(input);
  if (result.success) return result;
  for (const issue of result.error.issues) {
    run.log.user('error', `Invalid input at '${issue.path.map(toText).join('.')}': ${issue.message}`);
  }
  throw new ActionError({ message: 'Invalid input provided' });
}

function bodyText(body: unknown): string | null {
  return body === undefined || body === null ? null : toText(body);
}

async function fetchOnce(run: GuestRun, options: FetchOptions): Promise<FetchResponse> {
  const headers: Record<string, string> = {};
  forEachEntry(options.headers ?? {}, (name, value) => {
    headers[name] = toText(value);
  });
  try {
    const url = toText(options.url);
    const wire = await run.host.call('http.uncontrolledFetch', {
      url,
      method: toText(options.method ?? 'GET'),
      headers,
      body: bodyText(options.body),
    });
    return new FetchResponse(wire, wire.url !== url);
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    if (code && FETCH_REFUSALS.has(code)) throw new ActionError({ code, message });
    throw error;
  }
}
