import { createSync } from 'homeport';
import * as z from 'zod';
import { CONTACT_PROPERTIES, Contact, type CrmObject, toContact } from '../models.js';
import { readRefusal } from '../refusal.js';

/** Largest number of results of one search over all pages. */
const SEARCH_LIMIT = 10_000;
/** A changed contact can be found only after a moment, so every run starts this much earlier. */
const INDEX_DELAY_MS = 60_000;

/** One event of HubSpot's webhooks. https://developers.hubspot.com/docs/api/webhooks */
const ContactEvent = z.discriminatedUnion('subscriptionType', [
  z.object({
    subscriptionType: z.enum(['contact.creation', 'contact.propertyChange', 'contact.restore']),
    objectId: z.number(),
  }),
  z.object({
    subscriptionType: z.enum(['contact.deletion', 'contact.privacyDeletion']),
    objectId: z.number(),
  }),
  z.object({
    subscriptionType: z.literal('contact.merge'),
    primaryObjectId: z.number(),
    mergedObjectIds: z.array(z.number()),
    /** Id of the remaining contact, if the merge created a new one. */
    newObjectId: z.number().nullish(),
  }),
]);

/**
 * Changes arrive in two ways: at once by webhook, and every hour by a search, which finds what no webhook reported.
 * Deletions arrive by webhook only, because the search does not report them. Subscribe the app to the types below, and
 * to `contact.propertyChange` for the properties that matter.
 */
export default createSync({
  description: 'Keeps a copy of all contacts: changes by webhook, and what was missed by an hourly search',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  autoStart: true,
  scopes: ['crm.objects.contacts.read'],
  models: { Contact },
  checkpoint: z.object({ modifiedSince: z.string() }),
  webhookSubscriptions: [
    'contact.creation',
    'contact.propertyChange',
    'contact.restore',
    'contact.deletion',
    'contact.privacyDeletion',
    'contact.merge',
  ],

  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();
    let since = checkpoint ? Date.parse(checkpoint.modifiedSince) - INDEX_DELAY_MS : 0;
    let found: number;

    do {
      found = 0;
      let newest = since;

      // https://developers.hubspot.com/docs/api/crm/search. The catalogue entry defines the cursor and the results.
      const pages = nango.paginate<CrmObject>({
        method: 'POST',
        endpoint: '/crm/v3/objects/contacts/search',
        data: {
          filterGroups: [{ filters: [{ propertyName: 'lastmodifieddate', operator: 'GTE', value: String(since) }] }],
          sorts: [{ propertyName: 'lastmodifieddate', direction: 'ASCENDING' }],
          properties: CONTACT_PROPERTIES,
        },
        paginate: { limit: 200 },
        // A search changes nothing, so it may be repeated although it is a POST.
        retries: 3,
      });

      for await (const contacts of pages) {
        await nango.batchSave(contacts.map(toContact), 'Contact');

        const last = contacts.at(-1);
        if (last) {
          newest = Date.parse(last.properties['lastmodifieddate'] ?? last.updatedAt);
          await nango.saveCheckpoint({ modifiedSince: new Date(newest).toISOString() });
        }
        found += contacts.length;
        if (found >= SEARCH_LIMIT) break;
      }

      if (found >= SEARCH_LIMIT && newest <= since) {
        throw new Error(
          `${SEARCH_LIMIT} contacts changed at the same time (${new Date(since).toISOString()}), more than a search returns. Read the contacts with the list endpoint.`,
        );
      }
      since = newest;
      // A search that reached its limit is followed by a search that starts at its last result.
    } while (found >= SEARCH_LIMIT);
  },

  // HubSpot sends events in groups; the hub passes each one on separately.
  onWebhook: async (nango, payload) => {
    const event = ContactEvent.parse(payload);

    switch (event.subscriptionType) {
      case 'contact.deletion':
      case 'contact.privacyDeletion':
        await nango.batchDelete([{ id: String(event.objectId) }], 'Contact');
        return;
      case 'contact.merge': {
        const { mergedObjectIds, newObjectId, primaryObjectId } = event;
        const remaining = newObjectId ?? primaryObjectId;
        const gone = [...mergedObjectIds, primaryObjectId].filter((id) => id !== remaining);
        await nango.batchDelete(
          gone.map((id) => ({ id: String(id) })),
          'Contact',
        );
        await refresh(String(remaining));
        return;
      }
      default:
        await refresh(String(event.objectId));
    }

    /** Events may arrive late and out of order, so the current state is read. */
    async function refresh(id: string): Promise<void> {
      try {
        // https://developers.hubspot.com/docs/api/crm/contacts
        const { data } = await nango.get<CrmObject>({
          endpoint: `/crm/v3/objects/contacts/${id}`,
          params: { properties: CONTACT_PROPERTIES },
          retries: 3,
        });
        await nango.batchSave([toContact(data)], 'Contact');
      } catch (error) {
        if (readRefusal(error)?.status !== 404) throw error;
        await nango.batchDelete([{ id }], 'Contact');
      }
    }
  },
});
