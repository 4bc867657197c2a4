import { ObjectDefineProperty } from '../primordials.ts';
export const ACTION_ERROR_TYPE = 'action_script_runtime_error';

/** The error that a function throws on purpose; its payload reaches the caller (functions.md 3.10). */
export class ActionError extends Error {
  readonly type = ACTION_ERROR_TYPE;
  readonly payload: unknown;

  constructor(payload?: unknown) {
    super();
    this.payload = payload;
    ObjectDefineProperty(this, 'name', { value: 'ActionError', writable: true, configurable: true });
  }
}
