import { createAction } from 'homeport';
import * as z from 'zod';
import { CalendarEvent, type GoogleEvent, toCalendarEvent } from '../models.js';
import { readRefusal } from '../refusal.js';

const NewEvent = z
  .object({
    /** Default: the primary calendar. */
    calendar_id: z.string().optional(),
    title: z.string().min(1),
    description: z.string().optional(),
    location: z.string().optional(),
    /** Two times with offsets, or two dates for an event that lasts all day. The last date is not part of the event. */
    starts_at: z.union([z.iso.datetime({ offset: true }), z.iso.date()]),
    ends_at: z.union([z.iso.datetime({ offset: true }), z.iso.date()]),
    /** IANA name, for example `Europe/Berlin`. Required for a series. */
    time_zone: z.string().optional(),
    /** For example `["RRULE:FREQ=WEEKLY;COUNT=4"]`. */
    recurrence: z.array(z.string()).optional(),
    attendees: z.array(z.email()).optional(),
    /** Whether Google sends invitations by mail. */
    notify: z.boolean().optional(),
  })
  .refine(({ starts_at, ends_at }) => isDate(starts_at) === isDate(ends_at), {
    message: 'Give two times or two dates, not one of each.',
    path: ['ends_at'],
  });

export default createAction({
  description: 'Creates an event, or a series of them, and invites its attendees',
  version: '1.0.0',
  scopes: ['https://www.googleapis.com/auth/calendar.events'],
  input: NewEvent,
  output: CalendarEvent,

  exec: async (nango, input) => {
    const { data: event } = await nango.zodValidateInput({ zodSchema: NewEvent, input });
    const calendarId = event.calendar_id ?? 'primary';

    try {
      // https://developers.google.com/workspace/calendar/api/v3/reference/events/insert
      const response = await nango.post<GoogleEvent>({
        endpoint: `/calendar/v3/calendars/${encodeURIComponent(calendarId)}/events`,
        params: { sendUpdates: event.notify ? 'all' : 'none' },
        data: {
          summary: event.title,
          description: event.description,
          location: event.location,
          start: toGoogleTime(event.starts_at, event.time_zone),
          end: toGoogleTime(event.ends_at, event.time_zone),
          recurrence: event.recurrence,
          attendees: event.attendees?.map((email) => ({ email })),
        },
      });
      return toCalendarEvent(response.data, calendarId);
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'calendar_not_found' : 'event_refused';
      throw new nango.ActionError({ code, calendar_id: calendarId, ...refusal });
    }
  },

  undo: async (nango, { input, output }) => {
    const endpoint = `/calendar/v3/calendars/${encodeURIComponent(output.calendar_id)}/events/${output.id}`;
    const { data: now } = await nango.get<GoogleEvent>({ endpoint, retries: 3 });
    if (now.updated !== output.updated_at)
      throw new nango.ActionError({ code: 'changed_since', message: 'The event was changed since that call.' });
    await nango.delete({ endpoint, params: { sendUpdates: input.notify ? 'all' : 'none' } });
  },
});

function isDate(time: string): boolean {
  return !time.includes('T');
}

function toGoogleTime(time: string, timeZone: string | undefined): Record<string, string | undefined> {
  return isDate(time) ? { date: time } : { dateTime: time, timeZone };
}
