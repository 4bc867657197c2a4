import { createSync } from 'homeport';
import * as z from 'zod';
import {
  type IntercomConversation,
  type IntercomWebhook,
  newestOf,
  readObject,
  searchChanged,
  toConversation,
} from '../intercom-responses.js';
import { Conversation } from '../models.js';

/**
 * Runs on a schedule and for Intercom's webhooks, to which the app must be subscribed. A record contains the first
 * message only; an app that needs the others reads them from Intercom.
 */
export default createSync({
  description: 'Keeps a copy of all conversations, by what changed since the last run and by webhooks',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  autoStart: true,
  models: { Conversation },
  /** In seconds since the epoch. */
  checkpoint: z.object({ updatedSince: z.number() }),
  webhookSubscriptions: [
    'conversation.user.created',
    'conversation.user.replied',
    'conversation.admin.replied',
    'conversation.admin.assigned',
    'conversation.admin.opened',
    'conversation.admin.closed',
    'conversation.admin.snoozed',
    'conversation.deleted',
  ],

  exec: async (nango) => {
    const checkpoint = await nango.getCheckpoint();
    let newest = checkpoint?.updatedSince ?? 0;

    // https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/conversations/searchconversations
    const pages = searchChanged<IntercomConversation>(nango, {
      endpoint: '/conversations/search',
      list: 'conversations',
      since: newest,
    });
    for await (const conversations of pages) {
      await nango.batchSave(conversations.map(toConversation), 'Conversation');
      newest = newestOf(conversations, newest);
    }

    // Conversations come in no order, so the checkpoint moves only after all were read.
    await nango.saveCheckpoint({ updatedSince: newest });
  },

  onWebhook: async (nango, { topic, data }: IntercomWebhook) => {
    const id = data.item.conversation_id ?? data.item.id;
    const conversation =
      topic === 'conversation.deleted'
        ? undefined
        : await readObject<IntercomConversation>(nango, `/conversations/${encodeURIComponent(id)}`);
    if (conversation) {
      await nango.batchSave([toConversation(conversation)], 'Conversation');
    } else {
      await nango.batchDelete([{ id }], 'Conversation');
    }
  },
});
