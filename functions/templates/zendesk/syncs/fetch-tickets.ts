import { createSync } from 'homeport';
import * as z from 'zod';
import { type LiveTicket, Ticket, toTicket, type ZendeskTicket } from '../models.js';

interface ExportPage {
  tickets: ZendeskTicket[];
  /** Position after this page, also for later runs. */
  after_cursor: string | null;
  end_of_stream: boolean;
}

/** Zendesk's export is sorted by the last change and includes deletions; a cursor stores the position of a run. */
export default createSync({
  description: 'Keeps a copy of all tickets, by what changed or was deleted since the last run',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every 15 minutes',
  autoStart: true,
  scopes: ['tickets:read'],
  models: { Ticket },
  checkpoint: z.object({ cursor: z.string() }),

  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();
    let cursor = checkpoint?.cursor;
    let isAtEnd = false;

    // Not `paginate`: the last page has a cursor too, and only `end_of_stream` marks it.
    while (!isAtEnd) {
      // https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports/
      // 10 requests per minute are allowed. Zendesk says how long to wait; the catalogue entry names the header.
      const { data }: { data: ExportPage } = await nango.get<ExportPage>({
        endpoint: '/api/v2/incremental/tickets/cursor.json',
        params: { ...(cursor ? { cursor } : { start_time: 0 }), per_page: 1000 },
        retries: 5,
      });

      await nango.batchSave(data.tickets.filter(isLive).map(toTicket), 'Ticket');
      await nango.batchDelete(
        data.tickets.filter((ticket) => !isLive(ticket)).map(({ id }) => ({ id: String(id) })),
        'Ticket',
      );

      if (data.after_cursor) {
        cursor = data.after_cursor;
        await nango.saveCheckpoint({ cursor });
      }
      isAtEnd = data.end_of_stream;
    }
  },
});

function isLive(ticket: ZendeskTicket): ticket is LiveTicket {
  return ticket.status !== 'deleted';
}
