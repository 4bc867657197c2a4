import * as z from 'zod';

export const Calendar = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  time_zone: z.string().nullable(),
  access_role: z.enum(['freeBusyReader', 'reader', 'writer', 'owner']),
  is_primary: z.boolean(),
  is_hidden: z.boolean(),
});

export const CalendarEvent = z.object({
  id: z.string(),
  calendar_id: z.string(),
  status: z.enum(['confirmed', 'tentative', 'cancelled']),
  title: z.string().nullable(),
  description: z.string().nullable(),
  location: z.string().nullable(),
  /** A time with its offset, or a date for events that last all day. */
  starts_at: z.string().nullable(),
  ends_at: z.string().nullable(),
  is_all_day: z.boolean(),
  /** RRULE, EXDATE and RDATE lines. Empty for single events and for exceptions of a series. */
  recurrence: z.array(z.string()),
  /** For an exception of a series: the id of the series, and the start that the exception replaces. */
  series_id: z.string().nullable(),
  original_start: z.string().nullable(),
  organizer_email: z.string().nullable(),
  attendees: z.array(z.object({ email: z.string(), response: z.string(), is_optional: z.boolean() })),
  meeting_link: z.string().nullable(),
  html_link: z.string().nullable(),
  created_at: z.string().nullable(),
  updated_at: z.string().nullable(),
});

interface GoogleTime {
  date?: string;
  dateTime?: string;
  timeZone?: string;
}

/** https://developers.google.com/workspace/calendar/api/v3/reference/events */
export interface GoogleEvent {
  id: string;
  status: 'confirmed' | 'tentative' | 'cancelled';
  summary?: string;
  description?: string;
  location?: string;
  start?: GoogleTime;
  end?: GoogleTime;
  recurrence?: string[];
  recurringEventId?: string;
  originalStartTime?: GoogleTime;
  organizer?: { email?: string };
  attendees?: Array<{ email: string; responseStatus: string; optional?: boolean }>;
  hangoutLink?: string;
  htmlLink?: string;
  created?: string;
  updated?: string;
}

export function toCalendarEvent(event: GoogleEvent, calendarId: string): z.infer<typeof CalendarEvent> {
  return {
    id: event.id,
    calendar_id: calendarId,
    status: event.status,
    title: event.summary ?? null,
    description: event.description ?? null,
    location: event.location ?? null,
    starts_at: toText(event.start),
    ends_at: toText(event.end),
    is_all_day: event.start?.date !== undefined,
    recurrence: event.recurrence ?? [],
    series_id: event.recurringEventId ?? null,
    original_start: toText(event.originalStartTime),
    organizer_email: event.organizer?.email ?? null,
    attendees: (event.attendees ?? []).map(({ email, responseStatus, optional }) => ({
      email,
      response: responseStatus,
      is_optional: optional ?? false,
    })),
    meeting_link: event.hangoutLink ?? null,
    html_link: event.htmlLink ?? null,
    created_at: event.created ?? null,
    updated_at: event.updated ?? null,
  };
}

function toText(time: GoogleTime | undefined): string | null {
  return time?.dateTime ?? time?.date ?? null;
}
