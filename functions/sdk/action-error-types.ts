import type { Untyped } from './untyped.ts';

/**
 * The error that a function throws on purpose. Its payload reaches the caller of the action (status 500, `error_type:
 * "action_script_failure"`). `message` is empty, so put the text into the payload. Pass an object; any other value
 * arrives as `{message: …}`.
 */
export interface ActionError<TPayload = Untyped> extends Error {
  type: 'action_script_runtime_error';
  payload: TPayload;
}

/** The class behind `nango.ActionError`, for `new nango.ActionError({...})` and `instanceof`. */
export type ActionErrorConstructor = new <TPayload = Untyped>(payload?: TPayload) => ActionError<TPayload>;
