import { createAction } from 'homeport';
import * as z from 'zod';
import { Message } from '../models.js';
import { type OutlookMessage, readRefusal, STABLE_IDS, toMessage } from '../outlook-responses.js';

const Move = z.object({
  /** The id from `fetch-messages`. */
  message_id: z.string().min(1),
  /** The id of a folder, or one of the names `archive`, `deleteditems`, `inbox`, `junkemail`. */
  folder_id: z.string().min(1),
});

export default createAction({
  description: 'Moves a message to another folder: archives it, deletes it, files it',
  version: '1.0.0',
  // It returns what other people wrote.
  untrustedOutput: true,
  scopes: ['Mail.ReadWrite'],
  input: Move,
  output: Message,

  exec: async (nango, input) => {
    const { data: move } = await nango.zodValidateInput({ zodSchema: Move, input });

    const endpoint = `/v1.0/me/messages/${encodeURIComponent(move.message_id)}`;
    const headers = { prefer: STABLE_IDS };

    try {
      const { data: before } = await nango.get<{ parentFolderId: string }>({
        endpoint,
        headers,
        params: { $select: 'parentFolderId' },
        retries: 3,
      });
      await nango.keepForUndo({ folder_id: before.parentFolderId });
      // https://learn.microsoft.com/en-us/graph/api/message-move
      const { data } = await nango.post<OutlookMessage>({
        endpoint: `${endpoint}/move`,
        headers,
        data: { destinationId: move.folder_id },
      });
      return toMessage(data);
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'message_or_folder_not_found' : 'move_refused';
      throw new nango.ActionError({ code, message_id: move.message_id, ...refusal });
    }
  },

  undo: async (nango, { kept, output }) => {
    const endpoint = `/v1.0/me/messages/${encodeURIComponent(output.id)}`;
    const headers = { prefer: STABLE_IDS };
    const { data: now } = await nango.get<{ parentFolderId: string }>({
      endpoint,
      headers,
      params: { $select: 'parentFolderId' },
      retries: 3,
    });
    if (now.parentFolderId !== output.folder_id)
      throw new nango.ActionError({ code: 'changed_since', message: 'The message was moved since that call.' });
    await nango.post({ endpoint: `${endpoint}/move`, headers, data: { destinationId: kept.folder_id } });
  },
});
