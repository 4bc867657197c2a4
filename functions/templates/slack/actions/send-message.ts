import { createAction } from 'homeport';
import * as z from 'zod';
import { writeSlack } from '../ask-slack.js';
import { messageId } from '../slack-responses.js';

const NewMessage = z.object({
  /** Id of a channel, or of a user for a direct message. */
  channel: z.string().min(1),
  /** The message. If it also has blocks, notifications show this text. */
  text: z.string().min(1),
  blocks: z.array(z.record(z.string(), z.unknown())).max(50).optional(),
  /** The `ts` of the message to answer in a thread. */
  thread_ts: z.string().optional(),
});

const SentMessage = z.object({ id: z.string(), channel_id: z.string(), ts: z.string() });

export default createAction({
  description: 'Sends a message to a channel, a thread or a person',
  version: '1.0.0',
  input: NewMessage,
  output: SentMessage,
  scopes: ['chat:write'],

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: NewMessage, input });

    // https://docs.slack.dev/reference/methods/chat.postMessage
    const { channel, ts } = await writeSlack<{ channel: string; ts: string }>(nango, 'chat.postMessage', data);

    return { id: messageId(channel, ts), channel_id: channel, ts };
  },

  // https://docs.slack.dev/reference/methods/chat.delete
  undo: async (nango, { output }) => {
    await writeSlack(nango, 'chat.delete', { channel: output.channel_id, ts: output.ts });
  },
});
