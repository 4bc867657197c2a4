import { createAction } from 'homeport';
import * as z from 'zod';
import { type LiveTicket, Ticket, toTicket } from '../models.js';
import { readRefusal } from '../refusal.js';

const NewTicket = z.object({
  subject: z.string().min(1),
  body: z.string().min(1),
  /** The requester. Zendesk creates a user for a new address. Default: the user of the connection. */
  requester: z.object({ name: z.string().min(1), email: z.email() }).optional(),
  priority: z.enum(['low', 'normal', 'high', 'urgent']).optional(),
  type: z.enum(['problem', 'incident', 'question', 'task']).optional(),
  tags: z.array(z.string().min(1)).optional(),
  /** A second call with the same key within two hours returns the first ticket. */
  idempotency_key: z.string().min(1).max(255).optional(),
});

export default createAction({
  description: 'Creates a ticket, in the name of a requester if one is given',
  version: '1.0.0',
  scopes: ['tickets:write'],
  input: NewTicket,
  output: Ticket,

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: NewTicket, input });
    const { body, idempotency_key: key, ...fields } = data;

    try {
      // https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/#create-ticket
      const response = await nango.post<{ ticket: LiveTicket }>({
        endpoint: '/api/v2/tickets.json',
        data: { ticket: { ...fields, comment: { body } } },
        // https://developer.zendesk.com/api-reference/ticketing/introduction/#idempotency
        headers: key ? { 'Idempotency-Key': key } : {},
      });
      return toTicket(response.data.ticket);
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      throw new nango.ActionError({ code: 'ticket_refused', ...refusal });
    }
  },

  // Zendesk keeps deleted tickets for 30 days.
  undo: async (nango, { output }) => {
    const endpoint = `/api/v2/tickets/${output.id}.json`;
    const { data: now } = await nango.get<{ ticket: LiveTicket }>({ endpoint, retries: 3 });
    if (now.ticket.updated_at !== output.updated_at)
      throw new nango.ActionError({ code: 'changed_since', message: 'The ticket was changed since that call.' });
    await nango.delete({ endpoint });
  },
});
