import { createSync } from 'homeport';
import type * as z from 'zod';
import { slackPages } from '../ask-slack.js';
import { Channel } from '../models.js';
import { toIso } from '../slack-responses.js';

/** https://docs.slack.dev/reference/objects/conversation-object */
interface SlackChannel {
  id: string;
  name: string;
  topic?: { value: string };
  purpose?: { value: string };
  is_private?: boolean;
  is_member?: boolean;
  num_members?: number;
  creator?: string;
  created: number;
}

/** A full sync: a channel that was archived or deleted is marked as deleted. */
export default createSync({
  description: 'Keeps a copy of the public channels, and of the private ones that the app was invited to',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every 6 hours',
  autoStart: true,
  models: { Channel },
  scopes: ['channels:read', 'groups:read'],

  exec: async (nango) => {
    await nango.trackDeletesStart('Channel');

    // https://docs.slack.dev/reference/methods/conversations.list
    const pages = slackPages<SlackChannel>(nango, {
      method: 'conversations.list',
      list: 'channels',
      params: { types: 'public_channel,private_channel', exclude_archived: true },
    });

    for await (const channels of pages) {
      await nango.batchSave(channels.map(toChannel), 'Channel');
    }

    await nango.trackDeletesEnd('Channel');
  },
});

function toChannel(channel: SlackChannel): z.infer<typeof Channel> {
  return {
    id: channel.id,
    name: channel.name,
    topic: channel.topic?.value ?? '',
    purpose: channel.purpose?.value ?? '',
    is_private: channel.is_private ?? false,
    is_member: channel.is_member ?? false,
    members: channel.num_members ?? null,
    creator_id: channel.creator ?? null,
    created_at: toIso(channel.created),
  };
}
