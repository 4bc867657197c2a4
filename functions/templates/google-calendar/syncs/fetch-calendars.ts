import { createSync } from 'homeport';
import type * as z from 'zod';
import { Calendar } from '../models.js';

/** https://developers.google.com/workspace/calendar/api/v3/reference/calendarList */
interface CalendarListEntry {
  id: string;
  summary: string;
  /** Name that this user gave the calendar. */
  summaryOverride?: string;
  description?: string;
  timeZone?: string;
  accessRole: z.infer<typeof Calendar>['access_role'];
  primary?: boolean;
  hidden?: boolean;
}

/** The calendars to choose from for `fetch-events`. */
export default createSync({
  description: "Keeps a copy of the user's list of calendars and marks those that were removed",
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  scopes: ['https://www.googleapis.com/auth/calendar.calendarlist.readonly'],
  models: { Calendar },

  exec: async (nango) => {
    await nango.trackDeletesStart('Calendar');

    // https://developers.google.com/workspace/calendar/api/v3/reference/calendarList/list
    const pages = nango.paginate<CalendarListEntry>({
      endpoint: '/calendar/v3/users/me/calendarList',
      params: { showHidden: true },
      // The other settings are in the catalogue entry, which has a different name for the limit.
      paginate: { limit_name_in_request: 'maxResults', limit: 100 },
      retries: 3,
    });

    for await (const calendars of pages) {
      await nango.batchSave(calendars.map(toCalendar), 'Calendar');
    }

    await nango.trackDeletesEnd('Calendar');
  },
});

function toCalendar(entry: CalendarListEntry): z.infer<typeof Calendar> {
  return {
    id: entry.id,
    name: entry.summaryOverride ?? entry.summary,
    description: entry.description ?? null,
    time_zone: entry.timeZone ?? null,
    access_role: entry.accessRole,
    is_primary: entry.primary ?? false,
    is_hidden: entry.hidden ?? false,
  };
}
