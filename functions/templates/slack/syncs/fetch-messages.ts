import { createSync } from 'homeport';
import * as z from 'zod';
import { slackPages } from '../ask-slack.js';
import { Message } from '../models.js';
import { messageId, type SlackMessage, toMessage } from '../slack-answers.js';

const Choice = z.object({
  /** Ids such as C012AB3CD; the app has to be a member. */
  channels: z.array(z.string().min(1)).min(1),
});

/** https://docs.slack.dev/apis/events-api/#events-JSON */
interface SlackEvent {
  event: SlackMessage & {
    type: string;
    channel: string;
    /** The message, when the event is about one that exists already. */
    message?: SlackMessage;
    deleted_ts?: string;
  };
}

/** The clocks of this computer and of Slack may differ by this much. */
const OVERLAP_SECONDS = 300;

/**
 * Runs by the clock and by Slack's events. The clock brings what was said while the hub was not running; edits,
 * deletions and answers in threads come as events only. Both save the same record under the same id.
 */
export default createSync({
  description: 'Keeps a copy of the messages of the channels that the metadata name',
  version: '1.0.0',
  syncType: 'incremental',
  frequency: 'every hour',
  // Waits to be started: first the channels have to be chosen, as metadata of the connection.
  autoStart: false,
  models: { Message },
  metadata: Choice,
  // A channel that is added later is read from here on; reset the sync to read its past as well.
  checkpoint: z.object({ oldest: z.string() }),
  scopes: ['channels:history', 'groups:history'],
  // What Slack calls every event of a workspace; which one it is stands in `event.type`.
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

    // They come newest first, channel after channel: only a run that read them all has nothing left to do.
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
