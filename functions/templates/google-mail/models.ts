import * as z from 'zod';

export const Label = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(['system', 'user']),
});

export const Message = z.object({
  id: z.string(),
  thread_id: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  cc: z.string().nullable(),
  subject: z.string().nullable(),
  snippet: z.string(),
  label_ids: z.array(z.string()),
  is_unread: z.boolean(),
  /** `Message-ID` of the message, which a response refers to. */
  message_id_header: z.string().nullable(),
  received_at: z.string(),
});

/** https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages */
export interface GmailMessage {
  id: string;
  threadId: string;
  /** Missing when the message has no labels. */
  labelIds?: string[];
  snippet: string;
  /** Milliseconds, as text. */
  internalDate: string;
  payload?: { headers?: Array<{ name: string; value: string }> };
}

/** The headers that {@link toMessage} reads, for `format=metadata`. */
export const MESSAGE_HEADERS = ['From', 'To', 'Cc', 'Subject', 'Message-ID'];

export function toMessage(message: GmailMessage): z.infer<typeof Message> {
  const headers = new Map(message.payload?.headers?.map(({ name, value }) => [name.toLowerCase(), value]));
  const labels = message.labelIds ?? [];
  return {
    id: message.id,
    thread_id: message.threadId,
    from: headers.get('from') ?? null,
    to: headers.get('to') ?? null,
    cc: headers.get('cc') ?? null,
    subject: headers.get('subject') ?? null,
    snippet: message.snippet,
    label_ids: labels,
    is_unread: labels.includes('UNREAD'),
    message_id_header: headers.get('message-id') ?? null,
    received_at: new Date(Number(message.internalDate)).toISOString(),
  };
}
