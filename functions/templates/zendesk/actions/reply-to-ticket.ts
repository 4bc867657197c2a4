import { createAction } from 'homeport';
import * as z from 'zod';
import { type LiveTicket, Ticket, toTicket } from '../models.js';
import { readRefusal } from '../refusal.js';

const Reply = z.object({
  ticket_id: z.string().regex(/^\d+$/),
  body: z.string().min(1),
  /** False for a note that only agents see. */
  is_public: z.boolean(),
  /** Also sets the status, for example `solved`. */
  status: z.enum(['open', 'pending', 'hold', 'solved']).optional(),
});

export default createAction({
  description: 'Answers a ticket, or adds an internal note to it, and may set its status',
  version: '1.0.0',
  // It returns what other people wrote.
  untrustedOutput: true,
  scopes: ['tickets:write'],
  input: Reply,
  output: Ticket,

  exec: async (nango, input) => {
    const { data: reply } = await nango.zodValidateInput({ zodSchema: Reply, input });

    try {
      // https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/#update-ticket
      // No retries, although it is a PUT: each request adds a comment.
      const { data } = await nango.put<{ ticket: LiveTicket }>({
        endpoint: `/api/v2/tickets/${reply.ticket_id}.json`,
        data: { ticket: { comment: { body: reply.body, public: reply.is_public }, status: reply.status } },
      });
      return toTicket(data.ticket);
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'ticket_not_found' : 'reply_refused';
      throw new nango.ActionError({ code, ticket_id: reply.ticket_id, ...refusal });
    }
  },
});
