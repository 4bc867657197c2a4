import type { RunFailure, WireError } from '../../../functions/runtime/bridge.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';

/** A failed run for display: a code, a sentence, and details of the function or its provider. */
export interface FailureReport {
  code: string;
  message: string;
  payload?: unknown;
  /** Lines that point to the function's own file. */
  stack?: string;
}

const FAILURES: Record<Exclude<RunFailure['kind'], 'thrown'>, [code: string, message: string]> = {
  output_too_large: ['script_output_too_large', 'The output is too large: an action may return at most 2 MB.'],
  not_started: ['execution_timeout', 'The run could not start in time.'],
  timeout: ['execution_timeout', 'The run exceeded its time limit.'],
  memory: ['function_runtime_out_of_memory', 'The function used more memory than a run may.'],
  aborted: ['script_aborted', 'The run was cancelled.'],
  worker_lost: ['worker_lost', 'The process that the function ran in ended.'],
};

export function describeFailure(failure: RunFailure): FailureReport {
  if (failure.kind !== 'thrown') {
    const [code, message] = FAILURES[failure.kind];
    return { code, message };
  }
  const { error } = failure;
  return {
    code: codeOf(error),
    message: messageOf(error),
    ...(payloadOf(error) === undefined ? {} : { payload: payloadOf(error) }),
    ...(error.stack ? { stack: error.stack } : {}),
  };
}

function codeOf(error: WireError): string {
  if (error.type === 'action_script_runtime_error') return error.type;
  if (error.response) return 'script_http_error';
  return error.code ?? 'script_internal_error';
}

function messageOf({ message, payload, name }: WireError): string {
  const own = (payload as { message?: unknown } | null | undefined)?.message;
  return message || (typeof own === 'string' ? own : name);
}

function payloadOf({ payload, response }: WireError): unknown {
  if (payload !== undefined) return payload;
  if (!response) return undefined;
  const { body, status } = response;
  return { status, body: typeof body === 'string' ? (parseJson(body) ?? body) : `[${body.byteLength} bytes]` };
}
