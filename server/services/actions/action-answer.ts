import type { ErrorCode } from '../../contract/error-codes.ts';
import type { Issue } from '../../contract/issue.ts';
import { HomeportError } from '../../lib/homeport-error.ts';

/** How a background call ended, as it is kept: enough to answer as the synchronous call would have. */
export type ActionAnswer =
  | { ok: true; output: string }
  | {
      ok: false;
      code: ErrorCode;
      message: string;
      status: number;
      silent: boolean;
      payload?: unknown;
      issues?: Issue[] | undefined;
      members?: Record<string, unknown> | undefined;
      body?: Record<string, unknown> | undefined;
    };

export function toAnswer(error: HomeportError): ActionAnswer {
  const { code, message, status, silent, payload, issues, members, body } = error;
  return { ok: false, code, message, status, silent, payload, issues, members, body };
}

export function fromAnswer(answer: Extract<ActionAnswer, { ok: false }>): HomeportError {
  const { code, message, status, silent, payload, issues, members, body } = answer;
  return new HomeportError(code, message, {
    status,
    silent,
    ...(payload === undefined ? {} : { payload }),
    ...(issues ? { issues } : {}),
    ...(members ? { members } : {}),
    ...(body ? { body } : {}),
  });
}
