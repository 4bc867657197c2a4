import type * as z from 'zod';
import type { Message, User } from './models.js';

/** https://docs.slack.dev/reference/objects/user-object */
export interface SlackUser {
  id: string;
  team_id: string;
  name: string;
  deleted: boolean;
  real_name?: string;
  tz?: string;
  profile: { real_name?: string; display_name?: string; email?: string; title?: string; image_192?: string };
  is_admin?: boolean;
  is_restricted?: boolean;
  is_ultra_restricted?: boolean;
  is_bot?: boolean;
  updated: number;
}

export function toUser(user: SlackUser): z.infer<typeof User> {
  const { profile } = user;
  return {
    id: user.id,
    team_id: user.team_id,
    name: user.name,
    real_name: user.real_name ?? profile.real_name ?? user.name,
    display_name: profile.display_name || user.name,
    email: profile.email ?? null,
    title: profile.title ?? '',
    time_zone: user.tz ?? null,
    image_url: profile.image_192 ?? null,
    is_admin: user.is_admin ?? false,
    is_guest: Boolean(user.is_restricted || user.is_ultra_restricted),
    is_bot: user.is_bot ?? false,
    updated_at: toIso(user.updated),
  };
}

/** https://docs.slack.dev/reference/events/message */
export interface SlackMessage {
  ts: string;
  thread_ts?: string;
  subtype?: string;
  user?: string;
  bot_id?: string;
  text?: string;
  reply_count?: number;
  edited?: { ts: string };
}

export function toMessage(channel: string, message: SlackMessage): z.infer<typeof Message> {
  return {
    id: messageId(channel, message.ts),
    channel_id: channel,
    ts: message.ts,
    thread_ts: message.thread_ts ?? null,
    subtype: message.subtype ?? null,
    user_id: message.user ?? null,
    bot_id: message.bot_id ?? null,
    text: message.text ?? '',
    replies: message.reply_count ?? 0,
    is_edited: message.edited !== undefined,
    sent_at: toIso(Number(message.ts)),
  };
}

export function messageId(channel: string, ts: string): string {
  return `${channel}:${ts}`;
}

/** Converts seconds since the epoch. */
export function toIso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
