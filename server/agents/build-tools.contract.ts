import { z } from 'zod';

/** Inputs of the tools with which an agent builds functions (agents.md 13). */

const path = z
  .string()
  .min(1)
  .max(600)
  .describe('<integration>/actions/<name>.ts or <integration>/syncs/<name>.ts, as list_integrations gives it');
const connection = z.string().min(1).max(255).describe('ID of a connection of the integration in the path');

const answer = z.strictObject({
  method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string().min(1).max(2000).describe('As the function requests it, without the query'),
  status: z.number().int().min(200).max(599).optional(),
  body: z.unknown().optional().describe('Default {}'),
});

export const findProvidersInput = z.strictObject({
  search: z.string().max(200).describe('A part of the name, such as "github"'),
});

export const readProviderInput = z.strictObject({ provider: z.string().min(1).max(255) });

export const listIntegrationsInput = z.strictObject({});

export const readFunctionInput = z.strictObject({ path });

export const writeFunctionInput = z.strictObject({
  path,
  code: z.string().describe('The whole file, in TypeScript'),
});

export const compileInput = z.strictObject({ path });

export const runInput = z.strictObject({
  path,
  connection_id: connection,
  input: z.unknown().optional().describe('Input of an action'),
  checkpoint: z.record(z.string(), z.unknown()).optional().describe('Where a sync starts'),
  answers: z
    .array(answer)
    .max(100)
    .optional()
    .describe(
      'What the provider would answer to writes, as its documentation says: they are not sent. In order; without one the function gets 200 and {}',
    ),
});

export const onConnectionInput = z.strictObject({ path, connection_id: connection });

export const readLogsInput = z.strictObject({
  operation_id: z.string().min(1).max(64).describe('As dry_run and record give it'),
});
