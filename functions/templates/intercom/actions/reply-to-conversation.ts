import { createAction } from 'homeport';
import * as z from 'zod';
import { type IntercomConversation, readRefusal, toConversation, VERSION } from '../intercom-responses.js';
import { Conversation } from '../models.js';

const Reply = z.object({
  conversation_id: z.string().min(1),
  body: z.string().min(1),
  /** False for a note that only teammates see. */
  is_public: z.boolean(),
  /** Author of the reply. Default: the teammate who created the connection. */
  admin_id: z.string().optional(),
});

export default createAction({
  description: 'Answers a conversation, or adds an internal note to it',
  version: '1.0.0',
  // It returns what other people wrote.
  untrustedOutput: true,
  input: Reply,
  output: Conversation,

  exec: async (nango, input) => {
    const { data: reply } = await nango.zodValidateInput({ zodSchema: Reply, input });

    try {
      // https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/conversations/replyconversation
      // No retries: each request adds a message.
      const { data } = await nango.post<IntercomConversation>({
        endpoint: `/conversations/${encodeURIComponent(reply.conversation_id)}/reply`,
        data: {
          message_type: reply.is_public ? 'comment' : 'note',
          type: 'admin',
          admin_id: reply.admin_id ?? (await readOwnId()),
          body: reply.body,
        },
        headers: VERSION,
      });
      return toConversation(data);
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'conversation_not_found' : 'reply_refused';
      throw new nango.ActionError({ code, conversation_id: reply.conversation_id, ...refusal });
    }

    async function readOwnId(): Promise<string> {
      // https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/admins/identifyadmin
      const { data } = await nango.get<{ id: string }>({ endpoint: '/me', headers: VERSION, retries: 3 });
      return data.id;
    }
  },
});
