import { createAction } from 'homeport';
import * as z from 'zod';
import { API, readRefusal } from '../salesforce-responses.js';

const NewContact = z.object({
  last_name: z.string().min(1),
  first_name: z.string().optional(),
  email: z.email().optional(),
  phone: z.string().optional(),
  title: z.string().optional(),
  account_id: z.string().optional(),
});

export default createAction({
  description: 'Creates a contact, of an account if one is given',
  version: '1.0.0',
  scopes: ['api', 'refresh_token'],
  input: NewContact,
  output: z.object({ id: z.string() }),

  exec: async (nango, input) => {
    const { data: contact } = await nango.zodValidateInput({ zodSchema: NewContact, input });

    try {
      // https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/dome_sobject_create.htm
      // No retries: a request that created the contact and lost its response must not create a second one.
      const { data } = await nango.post<{ id: string }>({
        endpoint: `${API}/sobjects/Contact`,
        data: {
          LastName: contact.last_name,
          FirstName: contact.first_name,
          Email: contact.email,
          Phone: contact.phone,
          Title: contact.title,
          AccountId: contact.account_id,
        },
      });
      return { id: data.id };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      throw new nango.ActionError({ code: 'contact_refused', ...refusal });
    }
  },

  // Salesforce keeps deleted contacts for 15 days.
  undo: async (nango, { output }) => {
    const endpoint = `${API}/sobjects/Contact/${output.id}`;
    const { data: now } = await nango.get<{ CreatedDate: string; LastModifiedDate: string }>({
      endpoint,
      params: { fields: 'CreatedDate,LastModifiedDate' },
      retries: 3,
    });
    if (now.LastModifiedDate !== now.CreatedDate)
      throw new nango.ActionError({ code: 'changed_since', message: 'The contact was changed since that call.' });
    await nango.delete({ endpoint });
  },
});
