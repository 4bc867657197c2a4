import { createAction } from 'homeport';
import * as z from 'zod';
import { Meeting, toMeeting, type ZoomMeeting } from '../models.js';
import { readRefusal } from '../refusal.js';

const SCHEDULED = 2;

const NewMeeting = z.object({
  topic: z.string().min(1).max(200),
  starts_at: z.iso.datetime({ offset: true }),
  duration_minutes: z.number().int().min(1).max(1440),
  /** Time zone in which Zoom shows the time, for example Europe/Berlin. */
  time_zone: z.string().optional(),
  agenda: z.string().max(2000).optional(),
  /** Whether guests wait until the host admits them. */
  has_waiting_room: z.boolean().optional(),
});

export default createAction({
  description: 'Schedules a meeting of the user',
  version: '1.0.0',
  scopes: ['meeting:write:meeting'],
  input: NewMeeting,
  output: Meeting,

  exec: async (nango, input) => {
    const { data: meeting } = await nango.zodValidateInput({ zodSchema: NewMeeting, input });

    try {
      // https://developers.zoom.us/docs/api/meetings/#tag/meetings/POST/users/{userId}/meetings
      // No retries: a request that scheduled the meeting and lost its response must not schedule a second one.
      const { data } = await nango.post<ZoomMeeting>({
        endpoint: '/users/me/meetings',
        data: {
          topic: meeting.topic,
          type: SCHEDULED,
          // Zoom expects UTC without fractions of a second.
          start_time: new Date(meeting.starts_at).toISOString().replace(/\.\d+Z$/, 'Z'),
          duration: meeting.duration_minutes,
          timezone: meeting.time_zone,
          agenda: meeting.agenda,
          settings: { waiting_room: meeting.has_waiting_room },
        },
      });
      return toMeeting(data);
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      throw new nango.ActionError({ code: 'meeting_refused', ...refusal });
    }
  },

  undo: async (nango, { output }) => {
    await nango.delete({ endpoint: `/meetings/${output.id}` });
  },
});
