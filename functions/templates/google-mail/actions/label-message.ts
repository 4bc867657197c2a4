import { createAction } from 'homeport';
import * as z from 'zod';
import { readRefusal } from '../refusal.js';

const LabelChange = z
  .object({
    message_id: z.string().min(1),
    /**
     * Ids, not names: `STARRED`, `Label_12`. Removing `INBOX` archives a message, removing `UNREAD` marks it as read.
     */
    add: z.array(z.string().min(1)).max(100).optional(),
    remove: z.array(z.string().min(1)).max(100).optional(),
  })
  .refine(({ add = [], remove = [] }) => add.length + remove.length > 0, 'Name a label to add or to remove.');

const LabelledMessage = z.object({
  id: z.string(),
  thread_id: z.string(),
  label_ids: z.array(z.string()),
});

export default createAction({
  description: 'Adds labels to a message and removes others: archives it, marks it as read, stars it, files it',
  version: '1.0.0',
  scopes: ['https://www.googleapis.com/auth/gmail.modify'],
  input: LabelChange,
  output: LabelledMessage,

  exec: async (nango, input) => {
    const { data: change } = await nango.zodValidateInput({ zodSchema: LabelChange, input });

    const endpoint = `/gmail/v1/users/me/messages/${encodeURIComponent(change.message_id)}`;

    try {
      const { data: before } = await nango.get<{ labelIds?: string[] }>({
        endpoint,
        params: { format: 'minimal' },
        retries: 3,
      });
      await nango.keepForUndo({ label_ids: before.labelIds ?? [] });
      // https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/modify
      const { data } = await nango.post<{ id: string; threadId: string; labelIds?: string[] }>({
        endpoint: `${endpoint}/modify`,
        data: { addLabelIds: change.add ?? [], removeLabelIds: change.remove ?? [] },
      });
      return { id: data.id, thread_id: data.threadId, label_ids: data.labelIds ?? [] };
    } catch (error) {
      const refusal = readRefusal(error);
      if (!refusal) throw error;
      const code = refusal.status === 404 ? 'message_not_found' : 'labels_refused';
      throw new nango.ActionError({ code, message_id: change.message_id, ...refusal });
    }
  },

  // Other labels that were added since stay.
  undo: async (nango, { input, kept, output }) => {
    const had = new Set<string>(kept.label_ids);
    await nango.post({
      endpoint: `/gmail/v1/users/me/messages/${encodeURIComponent(output.id)}/modify`,
      data: {
        addLabelIds: (input.remove ?? []).filter((id) => had.has(id)),
        removeLabelIds: (input.add ?? []).filter((id) => !had.has(id)),
      },
    });
  },
});
