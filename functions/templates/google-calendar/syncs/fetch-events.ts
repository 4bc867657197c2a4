import { createSync } from 'homeport';
import * as z from 'zod';
import { CalendarEvent, type GoogleEvent, toCalendarEvent } from '../models.js';
import { readRefusal } from '../refusal.js';

interface EventsPage {
  items: GoogleEvent[];
  nextPageToken?: string;
  /** On the last page only. */
  nextSyncToken?: string;
}

/**
 * Google keeps the place: every run hands in the token of the run before and gets what changed since, deletions
 * included. Series stay series (`recurrence`), with their exceptions beside them.
 */
export default createSync({
  description: 'Keeps a copy of the events of one calendar, by what changed since the last run',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every 15 minutes',
  autoStart: true,
  scopes: ['https://www.googleapis.com/auth/calendar.events.readonly'],
  models: { CalendarEvent },
  /** Without a calendar in the metadata of the connection, its primary one. */
  metadata: z.object({ calendarId: z.string().optional() }),
  checkpoint: z.object({ calendarId: z.string(), syncToken: z.string() }),

  exec: async (nango) => {
    const { calendarId = 'primary' } = (await nango.getMetadata()) ?? {};
    const checkpoint = await nango.getCheckpoint();
    // A token is good for the calendar that it came from.
    const syncToken = checkpoint?.calendarId === calendarId ? checkpoint.syncToken : undefined;

    const changes = syncToken ? await readChanges(syncToken) : undefined;
    const token = changes ? syncToken : undefined;
    if (!changes) await nango.trackDeletesStart('CalendarEvent');

    let page = changes ?? (await readPage());
    for (;;) {
      const gone = page.items.filter(isDeleted);
      const here = page.items.filter((event) => !isDeleted(event));
      await nango.batchSave(
        here.map((event) => toCalendarEvent(event, calendarId)),
        'CalendarEvent',
      );
      await nango.batchDelete(
        gone.map(({ id }) => ({ id })),
        'CalendarEvent',
      );

      // Not `paginate`, which ends at an empty page: Google may send one and go on.
      if (!page.nextPageToken) break;
      page = await readPage({ syncToken: token, pageToken: page.nextPageToken });
    }

    if (!changes) await nango.trackDeletesEnd('CalendarEvent');
    if (page.nextSyncToken) await nango.saveCheckpoint({ calendarId, syncToken: page.nextSyncToken });

    /** The first page of changes; undefined when Google has forgotten the token, and everything is to be read again. */
    async function readChanges(syncToken: string): Promise<EventsPage | undefined> {
      try {
        return await readPage({ syncToken });
      } catch (error) {
        if (readRefusal(error)?.status !== 410) throw error;
        return undefined;
      }
    }

    async function readPage(tokens: { syncToken?: string | undefined; pageToken?: string } = {}): Promise<EventsPage> {
      // https://developers.google.com/workspace/calendar/api/v3/reference/events/list
      const { data } = await nango.get<EventsPage>({
        endpoint: `/calendar/v3/calendars/${encodeURIComponent(calendarId)}/events`,
        params: { maxResults: 250, ...tokens },
        retries: 3,
      });
      return data;
    }
  },
});

/** A cancelled event is gone, but a cancelled exception says that its series leaves out one date: that one stays. */
function isDeleted({ status, recurringEventId }: GoogleEvent): boolean {
  return status === 'cancelled' && recurringEventId === undefined;
}
