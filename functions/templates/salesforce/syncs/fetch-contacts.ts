import { createSync } from 'homeport';
import * as z from 'zod';
import { Contact } from '../models.js';
import { changedObjects, type SalesforceObject, toIso } from '../salesforce-responses.js';

const FIELDS = ['AccountId', 'FirstName', 'LastName', 'Email', 'Phone', 'Title', 'OwnerId'];

/** https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_contact.htm */
interface SalesforceContact extends SalesforceObject {
  AccountId: string | null;
  FirstName: string | null;
  LastName: string;
  Email: string | null;
  Phone: string | null;
  Title: string | null;
  OwnerId: string;
}

export default createSync({
  description: 'Keeps a copy of all contacts, by what changed or was deleted since the last run',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  autoStart: true,
  scopes: ['api', 'refresh_token'],
  models: { Contact },
  checkpoint: z.object({ changedSince: z.string() }),

  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();
    const pages = changedObjects<SalesforceContact>(nango, {
      object: 'Contact',
      fields: FIELDS,
      since: checkpoint?.changedSince,
    });

    for await (const { live, deleted, changedAt } of pages) {
      await nango.batchSave(live.map(toContact), 'Contact');
      await nango.batchDelete(deleted, 'Contact');
      // A run that is interrupted continues after this page.
      if (changedAt) await nango.saveCheckpoint({ changedSince: changedAt });
    }
  },
});

function toContact(contact: SalesforceContact): z.infer<typeof Contact> {
  return {
    id: contact.Id,
    account_id: contact.AccountId,
    first_name: contact.FirstName,
    last_name: contact.LastName,
    email: contact.Email,
    phone: contact.Phone,
    title: contact.Title,
    owner_id: contact.OwnerId,
    created_at: toIso(contact.CreatedDate),
    updated_at: toIso(contact.SystemModstamp),
  };
}
