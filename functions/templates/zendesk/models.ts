import * as z from 'zod';

export const Ticket = z.object({
  id: z.string(),
  subject: z.string().nullable(),
  description: z.string().nullable(),
  status: z.enum(['new', 'open', 'pending', 'hold', 'solved', 'closed']),
  priority: z.enum(['low', 'normal', 'high', 'urgent']).nullable(),
  type: z.enum(['problem', 'incident', 'question', 'task']).nullable(),
  tags: z.array(z.string()),
  channel: z.string().nullable(),
  requester_id: z.string(),
  assignee_id: z.string().nullable(),
  group_id: z.string().nullable(),
  organization_id: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const Organization = z.object({
  id: z.string(),
  name: z.string(),
  domain_names: z.array(z.string()),
  tags: z.array(z.string()),
  notes: z.string().nullable(),
  external_id: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

type TicketModel = z.infer<typeof Ticket>;

/** https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/ */
export interface ZendeskTicket {
  id: number;
  subject: string | null;
  description: string | null;
  /** `deleted` occurs only in exports. */
  status: TicketModel['status'] | 'deleted';
  priority: TicketModel['priority'];
  type: TicketModel['type'];
  tags: string[];
  via?: { channel?: string | number };
  requester_id: number;
  assignee_id: number | null;
  group_id: number | null;
  organization_id: number | null;
  created_at: string;
  updated_at: string;
}

/** A ticket that is not deleted. */
export type LiveTicket = ZendeskTicket & { status: TicketModel['status'] };

export function toTicket(ticket: LiveTicket): TicketModel {
  return {
    id: String(ticket.id),
    subject: ticket.subject,
    description: ticket.description,
    status: ticket.status,
    priority: ticket.priority,
    type: ticket.type,
    tags: ticket.tags,
    channel: toText(ticket.via?.channel),
    requester_id: String(ticket.requester_id),
    assignee_id: toText(ticket.assignee_id),
    group_id: toText(ticket.group_id),
    organization_id: toText(ticket.organization_id),
    created_at: ticket.created_at,
    updated_at: ticket.updated_at,
  };
}

function toText(value: string | number | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
