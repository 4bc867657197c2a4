import type { CreateActionResponse } from './action-definition.ts';
import type { CreateOnEventResponse } from './on-event-definition.ts';
import type { CreateSyncResponse } from './sync-definition.ts';
import type { Untyped } from './untyped.ts';

/** Any definition that a file may have as its default export. */
export type CreateAnyResponse =
  | CreateSyncResponse<Untyped, Untyped, Untyped>
  | CreateActionResponse<Untyped, Untyped, Untyped, Untyped>
  | CreateOnEventResponse<Untyped, Untyped>;
