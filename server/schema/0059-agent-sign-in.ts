import { agentSignInTables } from '../agents/sign-in/sign-in.tables.ts';
import type { Migration } from '../platform/database/migration.ts';

/** Programs that sign in, and their tokens. */
export const agentSignIn: Migration = { id: '0059-agent-sign-in', breaking: false, statements: [...agentSignInTables] };
