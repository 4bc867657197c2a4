import type { FunctionContext, HttpError } from 'homeport';
import type * as z from 'zod';
import type { Contact, Conversation } from './models.js';

/**
 * Fixes the format of the responses:
 * https://developers.intercom.com/docs/build-an-integration/learn-more/rest-apis/api-versioning
 */
export const VERSION = { 'intercom-version': '2.11' };

/** Times are seconds since the epoch. https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/contacts/contact */
export interface IntercomContact {
  id: string;
  role: 'user' | 'lead';
  external_id: string | null;
  name: string | null;
  email: string | null;
  phone: string | null;
  owner_id: number | null;
  unsubscribed_from_emails: boolean;
  custom_attributes: Record<string, unknown>;
  last_seen_at: number | null;
  created_at: number;
  updated_at: number;
}

/** https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/conversations/conversation */
export interface IntercomConversation {
  id: string;
  title: string | null;
  state: 'open' | 'closed' | 'snoozed';
  source: { type: string; body: string | null } | null;
  read: boolean;
  priority: 'priority' | 'not_priority';
  contacts: { contacts: Array<{ id: string }> };
  admin_assignee_id: number | null;
  team_assignee_id: number | string | null;
  tags: { tags: Array<{ name: string }> };
  waiting_since: number | null;
  created_at: number;
  updated_at: number;
}

export function toContact(contact: IntercomContact): z.infer<typeof Contact> {
  return {
    id: contact.id,
    role: contact.role,
    external_id: contact.external_id,
    name: contact.name,
    email: contact.email,
    phone: contact.phone,
    owner_id: contact.owner_id === null ? null : String(contact.owner_id),
    is_unsubscribed: contact.unsubscribed_from_emails,
    custom_attributes: contact.custom_attributes,
    last_seen_at: contact.last_seen_at === null ? null : toIso(contact.last_seen_at),
    created_at: toIso(contact.created_at),
    updated_at: toIso(contact.updated_at),
  };
}

export function toConversation(conversation: IntercomConversation): z.infer<typeof Conversation> {
  const { admin_assignee_id: assignee, team_assignee_id: team, waiting_since: waiting } = conversation;
  return {
    id: conversation.id,
    title: conversation.title,
    state: conversation.state,
    channel: conversation.source?.type ?? null,
    first_message: conversation.source?.body ?? null,
    is_read: conversation.read,
    is_priority: conversation.priority === 'priority',
    contact_ids: conversation.contacts.contacts.map(({ id }) => id),
    assignee_id: assignee === null ? null : String(assignee),
    team_id: team === null ? null : String(team),
    tags: conversation.tags.tags.map(({ name }) => name),
    waiting_since: waiting === null ? null : toIso(waiting),
    created_at: toIso(conversation.created_at),
    updated_at: toIso(conversation.updated_at),
  };
}

function toIso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

const DAY_SECONDS = 86_400;

/**
 * Yields pages of objects that changed since a time, in no order. Intercom compares days, not times: "greater" starts
 * with the next day, so the search starts a day earlier and also finds earlier changes of that day.
 * https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/contacts/searchcontacts
 */
export function searchChanged<T>(
  nango: FunctionContext,
  { endpoint, list, since }: { endpoint: string; list: string; since: number },
): AsyncGenerator<T[]> {
  return nango.paginate<T>({
    method: 'POST',
    endpoint,
    data: { query: { field: 'updated_at', operator: '>', value: Math.max(since - DAY_SECONDS, 0) } },
    headers: VERSION,
    paginate: {
      type: 'cursor',
      cursor_path_in_response: 'pages.next.starting_after',
      cursor_name_in_request: 'pagination.starting_after',
      limit_name_in_request: 'pagination.per_page',
      limit: 150,
      response_path: list,
    },
    // A search changes nothing, so it may be repeated although it is a POST.
    retries: 3,
  });
}

/** The latest change among these objects, or `since`. */
export function newestOf(items: Array<{ updated_at: number }>, since: number): number {
  return items.reduce((newest, item) => Math.max(newest, item.updated_at), since);
}

/** https://developers.intercom.com/docs/references/webhooks/webhook-models */
export interface IntercomWebhook {
  topic: string;
  /** The event of a deleted conversation contains only its ids. */
  data: { item: { id: string; conversation_id?: string } };
}

/** Reads the current state of one object; undefined when it was deleted. */
export async function readObject<T>(nango: FunctionContext, endpoint: string): Promise<T | undefined> {
  try {
    const { data } = await nango.get<T>({ endpoint, headers: VERSION, retries: 3 });
    return data;
  } catch (error) {
    if (readRefusal(error)?.status === 404) return undefined;
    throw error;
  }
}

/** Intercom's explanation of a refused request. */
export interface Refusal {
  status: number;
  /** For example `parameter_invalid`, `conflict`, `not_found`. */
  error: string | undefined;
  message: string;
}

/** Statuses of refusals that explain the request. Errors about limits, outages and lost access are thrown unchanged. */
const EXPLAINED = [400, 404, 409, 422];

/** https://developers.intercom.com/docs/build-an-integration/learn-more/rest-apis/http-responses */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as HttpError<{ errors?: Array<{ code?: string; message?: string }> }>;
  if (!response || !EXPLAINED.includes(response.status)) return undefined;
  const [said] = response.data.errors ?? [];
  return { status: response.status, error: said?.code, message: said?.message ?? error.message };
}
