import type { RunFailure, WireError } from '../../../functions/runtime/bridge.ts';
import { cutText, shrinkObject } from '../../../functions/runtime/shrink-json.ts';
import { ERROR_CODES, type ErrorCode } from '../../contract/error-codes.ts';
import type { FinalState } from '../../log/operation.ts';
import { HomeportError, isVaultLocked, UNEXPECTED_ERROR } from '../../platform/lib/homeport-error.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';

/** Error code of a failed run when no more specific one is known (functions.md 6.5). */
type FallbackCode =
  | 'script_internal_error'
  | 'sync_script_failure'
  | 'webhook_script_failure'
  | 'on_event_script_failure';

/** Codes of the hub's own errors that reach the caller through the function. */
const OWN_LIMITS: readonly string[] = ['execution_timeout', 'execution_interrupted', 'script_aborted'];
/** Lines of a stack trace in a response, including the title (functions.md 6.4). */
const STACK_LINES = 10;
const MAX_TITLE_BYTES = 1_000;

/**
 * How to finish the operation of a run that the hub could not start or end, because the vault is locked or an
 * unexpected error occurred.
 */
export function hubFailureOf(error: unknown): { error: { message: string; type?: string } } {
  return isVaultLocked(error)
    ? { error: { message: error.message, type: error.code } }
    : { error: { message: UNEXPECTED_ERROR } };
}

/** The error for the caller of a failed run (functions.md 6.4, design.md 7.3 and 7.20). */
export function toRunError(failure: RunFailure, functionName: string, fallback: FallbackCode): HomeportError {
  switch (failure.kind) {
    case 'thrown':
      return fromThrown(failure.error, fallback);
    case 'not_started':
      return taskFailure(functionName, 'could not start in time', 'createdToStartedTimeoutSecs_exceeded');
    case 'timeout':
      return taskFailure(functionName, 'exceeded its time limit', 'startedToCompletedTimeoutSecs_exceeded');
    case 'worker_lost':
      return taskFailure(functionName, 'was ended with its process', 'heartbeatTimeoutSecs_exceeded');
    case 'aborted':
      return new HomeportError('action_script_failure', `The run of ${functionName} was cancelled.`, {
        payload: { error: `The run of ${functionName} was cancelled.` },
      });
    case 'memory':
      return new HomeportError('function_runtime_out_of_memory', `${functionName} used more memory than a run may.`, {
        payload: {},
      });
    case 'output_too_large':
      return new HomeportError(
        'script_output_too_large',
        `The output of ${functionName} is too large (${failure.bytes} bytes).`,
        { payload: {} },
      );
  }
}

/** The final state of a failed run in the log. */
export function toFinalState({ kind }: RunFailure): FinalState {
  if (kind === 'timeout' || kind === 'not_started') return 'timeout';
  return kind === 'aborted' ? 'cancelled' : 'failed';
}

function taskFailure(functionName: string, what: string, reason: string): HomeportError {
  const text = `The run of ${functionName} ${what}.`;
  return new HomeportError('action_script_failure', text, { payload: { error: text, payload: { reason } } });
}

function fromThrown(error: WireError, fallback: FallbackCode): HomeportError {
  if (error.type === 'action_script_runtime_error') return fromActionError(error);
  if (error.response) return fromProviderResponse(error, error.response);
  if (error.code !== undefined && OWN_LIMITS.includes(error.code)) {
    return new HomeportError(error.code as ErrorCode, error.message, { status: 500, payload: {} });
  }
  const isNetwork = error.isAxiosError === true && (error.code === undefined || !(error.code in ERROR_CODES));
  return new HomeportError(isNetwork ? 'script_network_error' : fallback, cutText(error.message) || error.name, {
    payload: toPayload(describe(error)),
  });
}

function fromActionError(error: WireError): HomeportError {
  const payload = toPayload(error.payload);
  const text = typeof payload['message'] === 'string' ? payload['message'] : 'The function ended with an ActionError.';
  return new HomeportError('action_script_runtime_error', text, {
    payload,
    body: { error_type: 'action_script_failure', payload },
  });
}

function fromProviderResponse(error: WireError, response: NonNullable<WireError['response']>): HomeportError {
  const body = parseBody(response);
  const payload = toPayload(isJsonObject(body) && 'payload' in body ? body['payload'] : body);
  const headers = Object.fromEntries(
    Object.entries(response.headers).filter(([name]) => name === 'content-type' || name.startsWith('x-rate')),
  );
  return new HomeportError('script_http_error', error.message, {
    silent: true,
    payload,
    members: { upstream: { status: response.status, headers, body: payload } },
    ...readRetryAfter(response.headers['retry-after']),
  });
}

/** In seconds; a date is not read, because the clocks may differ. */
function readRetryAfter(header: unknown): { retryAfterS?: number } {
  const seconds = Number(header);
  return header !== undefined && Number.isFinite(seconds) && seconds >= 0 ? { retryAfterS: seconds } : {};
}

function describe(error: WireError): Record<string, unknown> {
  const [firstLine = ''] = error.message.split('\n');
  const title = cutText(firstLine === '' ? error.name : `${error.name}: ${firstLine}`, MAX_TITLE_BYTES);
  const lines = error.stack ? [title, ...error.stack.split('\n')].slice(0, STACK_LINES) : undefined;
  return {
    name: error.name,
    message: error.message,
    ...(error.code === undefined ? {} : { code: error.code }),
    ...(lines ? { stacktrace: lines } : {}),
  };
}

function parseBody({ body, headers }: NonNullable<WireError['response']>): unknown {
  // A function that asked for bytes gets the refusal as text, like any other.
  const isText = typeof body === 'string' || /json|xml|text/.test(String(headers['content-type'] ?? ''));
  if (!isText) return `[${body.byteLength} bytes]`;
  const text = typeof body === 'string' ? body : Buffer.from(body).toString();
  const parsed = parseJson(text);
  return parsed === undefined ? text : parsed;
}

type Payload = Record<string, unknown>;

/** A failure's payload for callers: an object, without signatures of requests, small enough for a log. */
function toPayload(value: unknown): Payload {
  return shrinkObject(asObject(withoutAuthorization(value)));
}

/** Functions may throw whole request configurations and headers; authorization is removed from them. */
function withoutAuthorization(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAuthorization);
  if (!isJsonObject(value)) return value;
  const redacted = Object.entries(value).map(([key, member]) => [
    key,
    key.toLowerCase() === 'authorization' ? '[Redacted]' : withoutAuthorization(member),
  ]);
  return Object.fromEntries(redacted);
}

/** Payloads are objects on the wire; other values are wrapped. */
function asObject(value: unknown): Payload {
  if (value === undefined) return {};
  return isJsonObject(value) ? value : { message: value };
}
