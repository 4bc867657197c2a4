import { createSync } from 'homeport';
import * as z from 'zod';
import {
  type IntercomContact,
  type IntercomWebhook,
  newestOf,
  readObject,
  searchChanged,
  toContact,
} from '../intercom-responses.js';
import { Contact } from '../models.js';

/**
 * Runs on a schedule and for Intercom's webhooks, to which the app must be subscribed. The scheduled run finds changes;
 * only a webhook reports a contact that was deleted or archived.
 */
export default createSync({
  description: 'Keeps a copy of all contacts, by what changed since the last run and by webhooks',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  autoStart: true,
  models: { Contact },
  /** In seconds since the epoch. */
  checkpoint: z.object({ updatedSince: z.number() }),
  webhookSubscriptions: [
    'contact.user.created',
    'contact.user.updated',
    'contact.lead.created',
    'contact.lead.updated',
    'contact.unarchived',
    // Intercom uses both names.
    'contact.archive',
    'contact.archived',
    'contact.deleted',
  ],

  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();
    let newest = checkpoint?.updatedSince ?? 0;

    // https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/contacts/searchcontacts
    const pages = searchChanged<IntercomContact>(nango, { endpoint: '/contacts/search', list: 'data', since: newest });
    for await (const contacts of pages) {
      await nango.batchSave(contacts.map(toContact), 'Contact');
      newest = newestOf(contacts, newest);
    }

    // Contacts come in no order, so the checkpoint moves only after all were read.
    await nango.saveCheckpoint({ updatedSince: newest });
  },

  onWebhook: async (nango, { topic, data }: IntercomWebhook) => {
    const { id } = data.item;
    const isGone = topic.startsWith('contact.archive') || topic === 'contact.deleted';
    // Read again, because the webhook may arrive late.
    const contact = isGone
      ? undefined
      : await readObject<IntercomContact>(nango, `/contacts/${encodeURIComponent(id)}`);
    if (contact) {
      await nango.batchSave([toContact(contact)], 'Contact');
    } else {
      await nango.batchDelete([{ id }], 'Contact');
    }
  },
});
