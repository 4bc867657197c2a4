import { createAction } from 'homeport';
import * as z from 'zod';
import { Contact, type CrmObject, toContact } from '../models.js';
import { readRefusal } from '../refusal.js';

const NewContact = z.object({
  email: z.email(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  phone: z.string().optional(),
  company: z.string().optional(),
  job_title: z.string().optional(),
  /** Internal name of the stage, for example `lead`. */
  lifecycle_stage: z.string().optional(),
  owner_id: z.string().optional(),
});

/** HubSpot allows one contact per address. If it already exists, the error names it. */
export default createAction({
  description: 'Creates a contact; fails with the id of the contact that has the address already',
  version: '1.0.0',
  scopes: ['crm.objects.contacts.write'],
  input: NewContact,
  output: Contact,

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: NewContact, input });

    try {
      // https://developers.hubspot.com/docs/api/crm/contacts
      // No retries: after a lost response, a repeated request would conflict with the contact that the first one created.
      const response = await nango.post<CrmObject>({
        endpoint: '/crm/v3/objects/contacts',
        data: { properties: toProperties(data) },
      });
      return toContact(response.data);
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      if (refusal.status !== 409) throw new nango.ActionError({ code: 'contact_refused', ...refusal });
      throw new nango.ActionError({
        code: 'contact_exists',
        contact_id: /Existing ID: (\d+)/.exec(refusal.message)?.[1] ?? null,
        ...refusal,
      });
    }
  },

  // HubSpot keeps deleted contacts for 90 days. It changes new contacts by itself, so their time of change says nothing.
  undo: async (nango, { output }) => {
    await nango.delete({ endpoint: `/crm/v3/objects/contacts/${output.id}` });
  },
});

/** Missing values are not sent, so that HubSpot's defaults apply. */
function toProperties(contact: z.infer<typeof NewContact>): Record<string, string | undefined> {
  return {
    email: contact.email,
    firstname: contact.first_name,
    lastname: contact.last_name,
    phone: contact.phone,
    company: contact.company,
    jobtitle: contact.job_title,
    lifecyclestage: contact.lifecycle_stage,
    hubspot_owner_id: contact.owner_id,
  };
}
