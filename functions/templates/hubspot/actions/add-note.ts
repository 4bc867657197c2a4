import { createAction } from 'homeport';
import * as z from 'zod';
import type { CrmObject } from '../models.js';
import { readRefusal } from '../refusal.js';

const NewNote = z.object({
  contact_id: z.string().min(1),
  /** HubSpot shows it as HTML. */
  body: z.string().min(1).max(65_536),
  /** Time of the note on the contact's timeline. */
  written_at: z.iso.datetime({ offset: true }),
  owner_id: z.string().optional(),
});

const Note = z.object({
  id: z.string(),
  contact_id: z.string(),
  body: z.string(),
  written_at: z.string(),
  created_at: z.string(),
});

/** HubSpot's type of the association from a note to a contact. */
const NOTE_TO_CONTACT = { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 202 };

export default createAction({
  description: 'Adds a note to the timeline of a contact',
  version: '1.0.0',
  scopes: ['crm.objects.contacts.write'],
  input: NewNote,
  output: Note,

  exec: async (nango, input) => {
    const { data: note } = await nango.zodValidateInput({ zodSchema: NewNote, input });

    try {
      // https://developers.hubspot.com/docs/api/crm/notes
      const { data } = await nango.post<CrmObject>({
        endpoint: '/crm/v3/objects/notes',
        data: {
          properties: { hs_timestamp: note.written_at, hs_note_body: note.body, hubspot_owner_id: note.owner_id },
          associations: [{ to: { id: note.contact_id }, types: [NOTE_TO_CONTACT] }],
        },
      });
      return {
        id: data.id,
        contact_id: note.contact_id,
        body: data.properties['hs_note_body'] ?? note.body,
        written_at: data.properties['hs_timestamp'] ?? note.written_at,
        created_at: data.createdAt,
      };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      throw new nango.ActionError({ code: 'note_refused', contact_id: note.contact_id, ...refusal });
    }
  },

  // HubSpot keeps deleted notes and contacts for 90 days.
  undo: async (nango, { output }) => {
    await nango.delete({ endpoint: `/crm/v3/objects/notes/${output.id}` });
  },
});
