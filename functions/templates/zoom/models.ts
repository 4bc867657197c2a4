import * as z from 'zod';

export const Meeting = z.object({
  /** The number with which people join. */
  id: z.string(),
  topic: z.string(),
  agenda: z.string().nullable(),
  /** `recurring` has no fixed time, `series` has a time for each of its dates. */
  kind: z.enum(['instant', 'scheduled', 'recurring', 'series', 'other']),
  host_id: z.string(),
  /** Null for meetings without a fixed time. */
  starts_at: z.string().nullable(),
  duration_minutes: z.number().nullable(),
  time_zone: z.string().nullable(),
  join_url: z.string(),
  created_at: z.string(),
});

export const User = z.object({
  id: z.string(),
  email: z.string(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  /** Whether the user can hold meetings without Zoom's time limit. */
  is_licensed: z.boolean(),
  department: z.string().nullable(),
  time_zone: z.string().nullable(),
  created_at: z.string().nullable(),
  last_login_at: z.string().nullable(),
});

/** https://developers.zoom.us/docs/api/meetings/#tag/meetings */
export interface ZoomMeeting {
  id: number;
  topic: string;
  agenda?: string;
  type: number;
  host_id: string;
  start_time?: string;
  duration?: number;
  timezone?: string;
  join_url: string;
  created_at: string;
}

/** By Zoom's number of the meeting type. */
const KINDS: Record<number, z.infer<typeof Meeting>['kind']> = {
  1: 'instant',
  2: 'scheduled',
  3: 'recurring',
  8: 'series',
};

export function toMeeting(meeting: ZoomMeeting): z.infer<typeof Meeting> {
  return {
    id: String(meeting.id),
    topic: meeting.topic,
    agenda: meeting.agenda || null,
    kind: KINDS[meeting.type] ?? 'other',
    host_id: meeting.host_id,
    starts_at: meeting.start_time || null,
    duration_minutes: meeting.duration ?? null,
    time_zone: meeting.timezone ?? null,
    join_url: meeting.join_url,
    created_at: meeting.created_at,
  };
}
