import { createAction } from 'homeport';
import * as z from 'zod';
import { readRefusal } from '../refusal.js';

const Question = z.object({
  from: z.iso.datetime({ offset: true }),
  to: z.iso.datetime({ offset: true }),
  /** Calendars, or the addresses of people and rooms. Google answers at most 50 per request. */
  calendar_ids: z.array(z.string().min(1)).min(1).max(50),
});

const BusyTimes = z.object({
  calendars: z.array(
    z.object({
      calendar_id: z.string(),
      busy: z.array(z.object({ from: z.string(), to: z.string() })),
      /** Why this calendar could not be read, for example `notFound`: it may not exist, or may not be shared. */
      problem: z.string().nullable(),
    }),
  ),
});

interface FreeBusyResponse {
  calendars: Record<
    string,
    { busy?: Array<{ start: string; end: string }>; errors?: Array<{ domain: string; reason: string }> }
  >;
}

export default createAction({
  description: 'Lists when calendars, people or rooms are busy, without details of the events',
  version: '1.0.0',
  scopes: ['https://www.googleapis.com/auth/calendar.freebusy'],
  input: Question,
  output: BusyTimes,

  exec: async (nango, input) => {
    const { data: question } = await nango.zodValidateInput({ zodSchema: Question, input });

    try {
      // https://developers.google.com/workspace/calendar/api/v3/reference/freebusy/query
      const { data } = await nango.post<FreeBusyResponse>({
        endpoint: '/calendar/v3/freeBusy',
        data: {
          timeMin: question.from,
          timeMax: question.to,
          items: question.calendar_ids.map((id) => ({ id })),
        },
        // It only reads, so it may be repeated although it is a POST.
        retries: 3,
      });
      return {
        calendars: Object.entries(data.calendars).map(([id, { busy = [], errors = [] }]) => ({
          calendar_id: id,
          busy: busy.map(({ start, end }) => ({ from: start, to: end })),
          problem: errors[0]?.reason ?? null,
        })),
      };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      throw new nango.ActionError({ code: 'question_refused', ...refusal });
    }
  },
});
