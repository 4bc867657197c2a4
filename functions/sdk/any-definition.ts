import type { CreateActionResponse } from './action-definition.ts';
import type { CreateOnEventResponse } from './on-event-definition.ts';
import type { CreateSyncResponse } from './sync-definition.ts';
import type { Untyped } from './untyped.ts';

/** Any definition: what a file's default export may be. */
export type CreateAnyResponse =
  | CreateSyncResponse<Untyped, Untyped, Untyped>
  | CreateActionResponse<Untyped, Untyped, Untyped, Untyped>
  | CreateOnEventResponse<Untyped, Untyped>;
