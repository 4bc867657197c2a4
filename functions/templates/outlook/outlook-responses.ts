import type { HttpError } from 'homeport';
import type * as z from 'zod';
import type { Message } from './models.js';

interface Recipient {
  emailAddress: { address?: string };
}

/** https://learn.microsoft.com/en-us/graph/api/resources/message */
export interface OutlookMessage {
  id: string;
  parentFolderId: string;
  conversationId: string | null;
  from?: Recipient | null;
  toRecipients: Recipient[];
  ccRecipients: Recipient[];
  subject: string | null;
  bodyPreview: string;
  importance: 'low' | 'normal' | 'high';
  isRead: boolean;
  isDraft: boolean;
  hasAttachments: boolean;
  internetMessageId: string | null;
  webLink: string | null;
  receivedDateTime: string;
}

/** The properties that {@link toMessage} reads. */
export const MESSAGE_PROPERTIES = [
  'parentFolderId',
  'conversationId',
  'from',
  'toRecipients',
  'ccRecipients',
  'subject',
  'bodyPreview',
  'importance',
  'isRead',
  'isDraft',
  'hasAttachments',
  'internetMessageId',
  'webLink',
  'receivedDateTime',
];

/**
 * Without this header a message gets another id when it moves:
 * https://learn.microsoft.com/en-us/graph/outlook-immutable-id
 */
export const STABLE_IDS = 'IdType="ImmutableId"';

export function toMessage(message: OutlookMessage): z.infer<typeof Message> {
  return {
    id: message.id,
    folder_id: message.parentFolderId,
    conversation_id: message.conversationId,
    from: message.from?.emailAddress.address ?? null,
    to: addressesOf(message.toRecipients),
    cc: addressesOf(message.ccRecipients),
    subject: message.subject,
    preview: message.bodyPreview,
    importance: message.importance,
    is_unread: !message.isRead,
    is_draft: message.isDraft,
    has_attachments: message.hasAttachments,
    message_id_header: message.internetMessageId,
    url: message.webLink,
    received_at: message.receivedDateTime,
  };
}

function addressesOf(recipients: Recipient[]): string[] {
  return recipients.flatMap(({ emailAddress }) => emailAddress.address ?? []);
}

/** Microsoft Graph's explanation of a refused request. */
export interface Refusal {
  status: number;
  /** For example `ErrorItemNotFound`, `ErrorInvalidRecipients`. */
  reason: string | undefined;
  message: string;
}

/** Statuses of refusals that explain the request. Errors about limits, outages and lost access are thrown unchanged. */
const EXPLAINED = [400, 404, 409, 410, 413];

/** https://learn.microsoft.com/en-us/graph/errors */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as HttpError<{ error?: { code?: string; message?: string } }>;
  if (!response || !EXPLAINED.includes(response.status)) return undefined;
  const { error: said } = response.data;
  return { status: response.status, reason: said?.code, message: said?.message ?? error.message };
}
