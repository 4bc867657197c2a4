import { createAction, type FunctionContext } from 'homeport';
import * as z from 'zod';
import { API, readRefusal } from '../salesforce-responses.js';

/** Missing members stay unchanged. */
const Changes = z.object({
  id: z.string().regex(/^006\w{12}(?:\w{3})?$/, 'Ids of opportunities begin with 006.'),
  name: z.string().min(1).optional(),
  /** A stage that the organization has defined. */
  stage: z.string().min(1).optional(),
  amount: z.number().nullable().optional(),
  close_date: z.iso.date().optional(),
  /** Description of the next step. */
  next_step: z.string().max(255).nullable().optional(),
});

export default createAction({
  description: 'Changes an opportunity: its stage, amount, close date or next step',
  version: '1.0.0',
  scopes: ['api', 'refresh_token'],
  input: Changes,
  output: z.object({ id: z.string() }),

  exec: async (nango, input) => {
    const { data: changes } = await nango.zodValidateInput({ zodSchema: Changes, input });

    const fields = toFields(changes);
    const endpoint = `${API}/sobjects/Opportunity/${changes.id}`;

    try {
      await nango.keepForUndo(await readFields(nango, endpoint, fields));
      // https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/dome_update_fields.htm
      // The response has no body. Repeating the same change has no effect, so retries are safe.
      await nango.patch({ endpoint, data: fields, retries: 3 });
      return { id: changes.id };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'opportunity_not_found' : 'opportunity_refused';
      throw new nango.ActionError({ code, id: changes.id, ...refusal });
    }
  },

  undo: async (nango, { input, kept, output }) => {
    const endpoint = `${API}/sobjects/Opportunity/${output.id}`;
    const written = toFields(input);
    const now = await readFields(nango, endpoint, written);
    if (Object.entries(now).some(([name, value]) => value !== written[name]))
      throw new nango.ActionError({ code: 'changed_since', message: 'The opportunity was changed since that call.' });
    await nango.patch({ endpoint, data: kept, retries: 3 });
  },
});

type Fields = Record<string, string | number | null>;

function toFields(changes: z.infer<typeof Changes>): Fields {
  const fields = {
    Name: changes.name,
    StageName: changes.stage,
    Amount: changes.amount,
    CloseDate: changes.close_date,
    NextStep: changes.next_step,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The present values of the same fields. */
async function readFields(nango: FunctionContext, endpoint: string, fields: Fields): Promise<Fields> {
  const names = Object.keys(fields);
  const { data } = await nango.get<Fields>({ endpoint, params: { fields: names.join(',') }, retries: 3 });
  return Object.fromEntries(names.map((name) => [name, data[name] ?? null]));
}
