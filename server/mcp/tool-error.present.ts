import type { ErrorCode } from '../contract/error-codes.ts';
import { HomeportError, UNEXPECTED_ERROR } from '../platform/lib/homeport-error.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import type { ToolResult } from './toolbox.ts';

/** In characters. A model reads the start of what a provider said. */
const MAX_DETAILS_LENGTH = 4_000;

/** A failure of a tool as a result, with what a model needs to go on: what failed, and whether a repeat helps. */
export function presentToolError(error: unknown): ToolResult {
  return { content: [{ type: 'text', text: textOf(error) }], isError: true };
}

function textOf(error: unknown): string {
  if (!(error instanceof HomeportError))
    return `${UNEXPECTED_ERROR} A repeat does not help until a person has read it.`;
  const issues = (error.issues ?? []).map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`);
  const what = `${error.message} (${error.code})`;
  return [what, ...issues, detailsOf(error), adviceOf(error)].filter((line) => line !== undefined).join('\n');
}

function detailsOf({ payload }: HomeportError): string | undefined {
  if (payload === undefined || (isJsonObject(payload) && Object.keys(payload).length === 0)) return undefined;
  const text = JSON.stringify(payload);
  return `Details: ${text.length > MAX_DETAILS_LENGTH ? `${text.slice(0, MAX_DETAILS_LENGTH)} …` : text}`;
}

const MAY_HAVE_RUN = 'It may have taken effect: check that before you repeat it.';
const RECONNECT = 'A repeat does not help until a person has connected the account again.';
const CHANGE_INPUT = 'A repeat with the same input does not help: change the input.';
const NO_REPEAT = 'A repeat with the same input does not help unless the cause is gone.';

/** Whether a repeat helps, and after how long. Refusals of a person and of limits say it themselves. */
const ADVICE: Partial<Record<ErrorCode, string | undefined>> = {
  forbidden: undefined,
  call_rate_reached: undefined,
  call_limit_reached: undefined,
  invalid_action_input: CHANGE_INPUT,
  request_too_large: CHANGE_INPUT,
  too_many_request: 'Repeat it after 60 s.',
  resource_capped: 'Repeat it after the calls that wait have ended, within 60 s.',
  vault_locked: 'Repeat it after a person has unlocked the hub.',
  connection_refresh_backoff: 'Repeat it after 30 s.',
  connection_refresh_exhausted: RECONNECT,
  invalid_credentials: RECONNECT,
  provider_unreachable: 'Repeat it after 30 s.',
  script_network_error: 'Repeat it after 30 s.',
  action_script_failure: MAY_HAVE_RUN,
  execution_timeout: MAY_HAVE_RUN,
  function_runtime_timed_out: MAY_HAVE_RUN,
  function_runtime_other: MAY_HAVE_RUN,
  script_api_rate_limit_error: 'Repeat it after 60 s.',
};

function adviceOf(error: HomeportError): string | undefined {
  const upstream = error.members?.['upstream'];
  if (isJsonObject(upstream)) return adviceOnProvider(Number(upstream['status']), error.retryAfterS);
  if (JSON.stringify(error.payload)?.includes('createdToStartedTimeoutSecs_exceeded'))
    return 'It did not run. Repeat it after 30 s.';
  return error.code in ADVICE ? ADVICE[error.code] : NO_REPEAT;
}

function adviceOnProvider(status: number, retryAfterS: number | undefined): string {
  if (status === 429) return `The provider's rate limit was reached. Repeat it after ${retryAfterS ?? 60} s.`;
  if (status >= 500 || status === 408) return `The provider failed. A repeat may help after ${retryAfterS ?? 30} s.`;
  if (status === 401) return RECONNECT;
  if (status === 403) return 'A repeat does not help: the connected account may not do this.';
  return CHANGE_INPUT;
}
