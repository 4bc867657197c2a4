import { createAction } from 'homeport';
import * as z from 'zod';
import { encodeMail } from '../mime.js';
import { readRefusal } from '../refusal.js';

/** A line break would start another header. */
const HeaderText = z.string().regex(/^[^\r\n]*$/, 'Line breaks are not allowed here.');

const NewMail = z.object({
  to: z.array(z.email()).min(1),
  cc: z.array(z.email()).optional(),
  bcc: z.array(z.email()).optional(),
  subject: HeaderText,
  text: z.string(),
  /** The message to answer; both are fields of the model `Message`. Keep its subject, with "Re: ". */
  reply_to: z.object({ thread_id: z.string().min(1), message_id_header: HeaderText.min(1) }).optional(),
});

const SentMail = z.object({
  id: z.string(),
  thread_id: z.string(),
  label_ids: z.array(z.string()),
});

export default createAction({
  description: 'Sends a mail of plain text, or an answer within its thread',
  version: '1.0.0',
  scopes: ['https://www.googleapis.com/auth/gmail.send'],
  input: NewMail,
  output: SentMail,

  exec: async (nango, input) => {
    const { data: mail } = await nango.zodValidateInput({ zodSchema: NewMail, input });
    const raw = encodeMail({
      to: mail.to,
      cc: mail.cc ?? [],
      bcc: mail.bcc ?? [],
      subject: mail.subject,
      text: mail.text,
      inReplyTo: mail.reply_to?.message_id_header,
    });

    try {
      // https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/send
      // No retries: a message that was sent and whose response was lost must not be sent twice.
      const { data } = await nango.post<{ id: string; threadId: string; labelIds?: string[] }>({
        endpoint: '/gmail/v1/users/me/messages/send',
        data: { raw, threadId: mail.reply_to?.thread_id },
      });
      return { id: data.id, thread_id: data.threadId, label_ids: data.labelIds ?? [] };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'thread_not_found' : 'mail_refused';
      throw new nango.ActionError({ code, ...refusal });
    }
  },
});
