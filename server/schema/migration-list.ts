import type { Migration } from '../platform/database/migration.ts';
import { oneSchema } from './0056-one-schema.ts';
import { agentSessions } from './0057-agent-sessions.ts';
import { programDecisions } from './0058-program-decisions.ts';
import { agentSignIn } from './0059-agent-sign-in.ts';
import { callLimits } from './0060-call-limits.ts';
import { untrustedContent } from './0061-untrusted-content.ts';
import { approvalsToken } from './0062-approvals-token.ts';
import { writtenCalls } from './0063-written-calls.ts';
import { driftWatches } from './0064-drift-watches.ts';
import { savedQueries } from './0065-saved-queries.ts';
import { recordDestinations } from './0066-record-destinations.ts';
import { snapshots } from './0067-snapshots.ts';
import { logWords } from './0068-log-words.ts';
import { seenTime } from './0069-seen-time.ts';
import { credentialsObtained } from './0070-credentials-obtained.ts';

/** Every migration, in order: the schema, and what changed since. Explicit: a file that is not listed does nothing. */
export const MIGRATIONS: readonly Migration[] = [
  oneSchema,
  agentSessions,
  programDecisions,
  agentSignIn,
  callLimits,
  untrustedContent,
  approvalsToken,
  writtenCalls,
  driftWatches,
  savedQueries,
  recordDestinations,
  snapshots,
  logWords,
  seenTime,
  credentialsObtained,
];
