import * as z from 'zod';

export const Folder = z.object({
  id: z.string(),
  name: z.string(),
  parent_id: z.string().nullable(),
  folders: z.number(),
  messages: z.number(),
  unread: z.number(),
});

export const Message = z.object({
  id: z.string(),
  folder_id: z.string(),
  /** Equal for all messages of a conversation. */
  conversation_id: z.string().nullable(),
  /** Null for drafts without a sender. */
  from: z.string().nullable(),
  to: z.array(z.string()),
  cc: z.array(z.string()),
  subject: z.string().nullable(),
  /** The first 255 characters of the text. */
  preview: z.string(),
  importance: z.enum(['low', 'normal', 'high']),
  is_unread: z.boolean(),
  is_draft: z.boolean(),
  has_attachments: z.boolean(),
  /** `Message-ID` of the message. */
  message_id_header: z.string().nullable(),
  url: z.string().nullable(),
  received_at: z.string(),
});
