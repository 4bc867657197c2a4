import type { Migration } from './migration.ts';

/**
 * The removal of an environment looks for its asynchronous actions slice by slice; without this each slice reads all.
 */
export const actionCallsByEnvironment: Migration = {
  id: '0029-action-calls-by-environment',
  breaking: false,
  statements: ['CREATE INDEX action_calls_by_environment ON action_calls (environment_id)'],
};
