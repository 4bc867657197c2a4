import { createAction } from 'homeport';
import * as z from 'zod';
import { type IntercomContact, readRefusal, toContact, VERSION } from '../intercom-responses.js';
import { Contact } from '../models.js';

const NewContact = z
  .object({
    role: z.enum(['user', 'lead']),
    email: z.email().optional(),
    external_id: z.string().min(1).optional(),
    name: z.string().optional(),
    phone: z.string().optional(),
    /** The attributes must already be defined in Intercom. */
    custom_attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  })
  .refine(({ role, email, external_id }) => role === 'lead' || email !== undefined || external_id !== undefined, {
    message: 'A user needs an email or an external_id.',
  });

export default createAction({
  description: 'Creates a contact: a user or a lead',
  version: '1.0.0',
  input: NewContact,
  output: Contact,

  exec: async (nango, input) => {
    const { data: contact } = await nango.zodValidateInput({ zodSchema: NewContact, input });

    try {
      // https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/contacts/createcontact
      const { data } = await nango.post<IntercomContact>({ endpoint: '/contacts', data: contact, headers: VERSION });
      return toContact(data);
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 409 ? 'contact_exists' : 'contact_refused';
      throw new nango.ActionError({ code, ...refusal });
    }
  },

  undo: async (nango, { output }) => {
    const endpoint = `/contacts/${output.id}`;
    const { data: now } = await nango.get<IntercomContact>({ endpoint, headers: VERSION, retries: 3 });
    if (toContact(now).updated_at !== output.updated_at)
      throw new nango.ActionError({ code: 'changed_since', message: 'The contact was changed since that call.' });
    await nango.delete({ endpoint, headers: VERSION });
  },
});
