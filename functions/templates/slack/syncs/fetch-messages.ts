import { createSync } from 'homeport';
import * as z from 'zod';
import { slackPages } from '../ask-slack.js';
import { Message } from '../models.js';
import { messageId, type SlackMessage, toMessage } from '../slack-responses.js';

const Choice = z.object({
  /** Ids such as C012AB3CD. The app must be a member of the channels. */
  channels: z.array(z.string().min(1)).min(1),
});

/** https://docs.slack.dev/apis/events-api/#events-JSON */
interface SlackEvent {
  event: SlackMessage & {
    type: string;
    channel: string;
    /** The message, for an event about an existing message. */
    message?: SlackMessage;
    deleted_ts?: string;
  };
}

/** Largest difference between the clocks of this computer and of Slack. */
const OVERLAP_SECONDS = 300;

/**
 * Runs on a schedule and for Slack's events. The scheduled run reads messages that were sent while the hub did not run;
 * edits, deletions and answers in threads arrive as events only. Both save the same record with the same id.
 */
export default createSync({
  description: 'Keeps a copy of the messages of the channels that are named in the metadata',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  // Does not start by itself: first the channels have to be set in the metadata of the connection.
  autoStart: false,
  models: { Message },
  metadata: Choice,
  // A channel that is added later is read from this time on. Reset the sync to read its older messages too.
  checkpoint: z.object({ oldest: z.string() }),
  scopes: ['channels:history', 'groups:history'],
  // Slack's name for every event of a workspace. The kind of the event is in `event.type`.
  webhookSubscriptions: ['event_callback'],

  exec: async (nango) => {
    const { data } = await nango.zodValidateInput({ zodSchema: Choice, input: await nango.getMetadata() });
    const checkpoint = await nango.getCheckpoint();
    const startedAt = Math.floor(Date.now() / 1000);

    for (const channel of data.channels) {
      // https://docs.slack.dev/reference/methods/conversations.history
      const pages = slackPages<SlackMessage>(nango, {
        method: 'conversations.history',
        list: 'messages',
        params: { channel, oldest: checkpoint?.oldest },
      });

      for await (const messages of pages) {
        await nango.batchSave(
          messages.map((message) => toMessage(channel, message)),
          'Message',
        );
      }
    }

    // Messages come newest first, one channel after the other, so the checkpoint moves only after all were read.
    await nango.saveCheckpoint({ oldest: String(startedAt - OVERLAP_SECONDS) });
  },

  onWebhook: async (nango, { event }: SlackEvent) => {
    const { channels } = await nango.getMetadata();
    if (event.type !== 'message' || !channels?.includes(event.channel)) return;

    if (event.deleted_ts !== undefined) {
      await nango.batchDelete([{ id: messageId(event.channel, event.deleted_ts) }], 'Message');
      return;
    }
    await nango.batchSave([toMessage(event.channel, event.message ?? event)], 'Message');
  },
});
