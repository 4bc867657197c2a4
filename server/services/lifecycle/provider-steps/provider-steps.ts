import { POST_CONNECTION_STEPS } from './post-connection-steps.ts';
import { PRE_DELETION_STEPS } from './pre-deletion-steps.ts';
import { VERIFICATION_STEPS } from './verification-steps.ts';

/**
 * Names of all steps. Together with the names of webhook routings, these are the handlers that a catalogue entry may
 * name.
 */
export const STEP_NAMES: ReadonlySet<string> = new Set([
  ...POST_CONNECTION_STEPS.keys(),
  ...PRE_DELETION_STEPS.keys(),
  ...VERIFICATION_STEPS.keys(),
]);
