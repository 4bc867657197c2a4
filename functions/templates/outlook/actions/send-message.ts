import { createAction } from 'homeport';
import * as z from 'zod';
import { readRefusal } from '../outlook-responses.js';

const NewMessage = z.object({
  to: z.array(z.email()).min(1),
  cc: z.array(z.email()).optional(),
  bcc: z.array(z.email()).optional(),
  subject: z.string().max(255),
  text: z.string(),
  importance: z.enum(['low', 'normal', 'high']).optional(),
});

/** Outlook returns nothing else: a message gets its id when it is sent. */
const Accepted = z.object({ accepted: z.literal(true) });

export default createAction({
  description: 'Sends a mail of plain text',
  version: '1.0.0',
  scopes: ['Mail.Send'],
  input: NewMessage,
  output: Accepted,

  exec: async (nango, input) => {
    const { data: message } = await nango.zodValidateInput({ zodSchema: NewMessage, input });

    try {
      // https://learn.microsoft.com/en-us/graph/api/user-sendmail
      // No retries: a message that was sent and whose response was lost must not be sent twice.
      await nango.post({
        endpoint: '/v1.0/me/sendMail',
        data: {
          message: {
            subject: message.subject,
            importance: message.importance,
            body: { contentType: 'Text', content: message.text },
            toRecipients: message.to.map(toRecipient),
            ccRecipients: (message.cc ?? []).map(toRecipient),
            bccRecipients: (message.bcc ?? []).map(toRecipient),
          },
          saveToSentItems: true,
        },
      });
      return { accepted: true as const };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      throw new nango.ActionError({ code: 'mail_refused', ...refusal });
    }
  },
});

function toRecipient(address: string): object {
  return { emailAddress: { address } };
}
