import { createSync } from 'homeport';
import { Meeting, toMeeting, type ZoomMeeting } from '../models.js';
import { readRefusal } from '../refusal.js';

/** https://developers.zoom.us/docs/api/webhooks/ */
interface ZoomWebhook {
  payload: { object: { id: number | string } };
}

/**
 * A full sync: a meeting that was cancelled, or that is over and expired, is marked as deleted. Webhooks, to which the
 * app must be subscribed, bring changes at once.
 */
export default createSync({
  description: 'Keeps a copy of the scheduled meetings of the user, every hour and by webhooks',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every hour',
  autoStart: true,
  scopes: ['meeting:read:list_meetings', 'meeting:read:meeting'],
  models: { Meeting },
  webhookSubscriptions: ['meeting.created', 'meeting.updated', 'meeting.deleted'],

  exec: async (nango) => {
    await nango.trackDeletesStart('Meeting');

    // https://developers.zoom.us/docs/api/meetings/#tag/meetings/GET/users/{userId}/meetings
    // The catalogue entry defines the cursor.
    const pages = nango.paginate<ZoomMeeting>({
      endpoint: '/users/me/meetings',
      params: { type: 'scheduled' },
      paginate: { response_path: 'meetings', limit: 300 },
      retries: 3,
    });

    for await (const meetings of pages) {
      await nango.batchSave(meetings.map(toMeeting), 'Meeting');
    }

    await nango.trackDeletesEnd('Meeting');
  },

  onWebhook: async (nango, { payload }: ZoomWebhook) => {
    const id = String(payload.object.id);
    // Always read again: a webhook contains only the changes, and it also says "deleted" when one date of a series is cancelled.
    const meeting = await readMeeting();
    if (meeting) {
      await nango.batchSave([toMeeting(meeting)], 'Meeting');
    } else {
      await nango.batchDelete([{ id }], 'Meeting');
    }

    /** Undefined when the meeting was deleted. */
    async function readMeeting(): Promise<ZoomMeeting | undefined> {
      try {
        // https://developers.zoom.us/docs/api/meetings/#tag/meetings/GET/meetings/{meetingId}
        const { data } = await nango.get<ZoomMeeting>({
          endpoint: `/meetings/${encodeURIComponent(id)}`,
          retries: 3,
        });
        return data;
      } catch (error) {
        if (readRefusal(error)?.status === 404) return undefined;
        throw error;
      }
    }
  },
});
