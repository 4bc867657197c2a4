import { z } from 'zod';
import { dataOf, instant, openObject, rowId } from '../contract/response-fields.ts';

/** Functions as templates and as deployed ones (http-api.md 2 and 3). */

const named = { name: z.string(), description: z.string().optional() };
const callable = {
  ...named,
  scopes: z.array(z.string()).optional(),
  input: z.string().optional(),
  returns: z.array(z.string()),
  json_schema: openObject.nullable(),
};
const action = { ...callable, type: z.literal('action') };
const sync = {
  ...callable,
  type: z.literal('sync'),
  runs: z.string().nullable(),
  auto_start: z.boolean(),
  track_deletes: z.boolean(),
};
const onEvent = { ...named, type: z.literal('on-event'), event: z.string() };
const deployed = {
  id: rowId,
  enabled: z.boolean(),
  last_deployed: instant,
  source: z.enum(['catalog', 'standalone', 'repo']),
};

const template = z
  .discriminatedUnion('type', [z.object(action), z.object(sync), z.object(onEvent)])
  .meta({ id: 'FunctionTemplate' });

const deployedFunction = z
  .discriminatedUnion('type', [
    z.object({ ...action, ...deployed }),
    z.object({ ...sync, ...deployed }),
    z.object({ ...onEvent, ...deployed }),
  ])
  .meta({ id: 'DeployedFunction' });

const pagination = z.object({ total: z.int(), page: z.int(), limit: z.int() });

export const templatesResponse = dataOf(z.array(template));
export const functionResponse = dataOf(deployedFunction);
export const functionsResponse = z.object({ data: z.array(deployedFunction), pagination });
export const functionCodeResponse = z.object({ type: z.enum(['sync', 'action', 'on-event']), code: z.string() });
export const functionRemovedResponse = dataOf(z.object({ success: z.literal(true) }));
