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
 * Google stores the position: every run sends the token of the previous run and gets the changes since then, deletions
 * included. A series is one record (`recurrence`); its exceptions are separate records.
 */
export default createSync({
  description: 'Keeps a copy of the events of one calendar, by what changed since the last run',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every 15 minutes',
  autoStart: true,
  scopes: ['https://www.googleapis.com/auth/calendar.events.readonly'],
  models: { CalendarEvent },
  /** Default: the primary calendar. */
  metadata: z.object({ calendarId: z.string().optional() }),
  checkpoint: z.object({ calendarId: z.string(), syncToken: z.string() }),

  exec: async (nango) => {
    const { calendarId = 'primary' } = (await nango.getMetadata()) ?? {};
    const checkpoint = await nango.getCheckpoint();
    // A token is valid only for its own calendar.
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

      // Not `paginate`, which stops at an empty page: Google may send an empty page in the middle.
      if (!page.nextPageToken) break;
      page = await readPage({ syncToken: token, pageToken: page.nextPageToken });
    }

    if (!changes) await nango.trackDeletesEnd('CalendarEvent');
    if (page.nextSyncToken) await nango.saveCheckpoint({ calendarId, syncToken: page.nextSyncToken });

    /**
     * The first page of changes. Undefined when Google no longer knows the token, so that everything must be read
     * again.
     */
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

/** A cancelled event was deleted. A cancelled exception means that its series leaves out one date, so it is kept. */
function isDeleted({ status, recurringEventId }: GoogleEvent): boolean {
  return status === 'cancelled' && recurringEventId === undefined;
}
