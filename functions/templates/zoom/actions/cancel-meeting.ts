import { createAction } from 'homeport';
import * as z from 'zod';
import { readRefusal } from '../refusal.js';

const Cancellation = z.object({
  meeting_id: z.string().regex(/^\d+$/),
  /** Sends a mail to the registered guests. */
  notify_guests: z.boolean().optional(),
});

export default createAction({
  description: 'Cancels a meeting; a series with all its dates',
  version: '1.0.0',
  scopes: ['meeting:delete:meeting'],
  input: Cancellation,
  output: z.object({ meeting_id: z.string() }),

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: Cancellation, input });

    try {
      // https://developers.zoom.us/docs/api/meetings/#tag/meetings/DELETE/meetings/{meetingId}
      await nango.delete({
        endpoint: `/meetings/${data.meeting_id}`,
        params: { cancel_meeting_reminder: data.notify_guests ?? false },
      });
      return { meeting_id: data.meeting_id };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'meeting_not_found' : 'cancellation_refused';
      throw new nango.ActionError({ code, meeting_id: data.meeting_id, ...refusal });
    }
  },
});
