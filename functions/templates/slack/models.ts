import * as z from 'zod';

export const User = z.object({
  id: z.string(),
  team_id: z.string(),
  name: z.string(),
  real_name: z.string(),
  display_name: z.string(),
  /** Null for bots, and without the scope users:read.email. */
  email: z.string().nullable(),
  title: z.string(),
  time_zone: z.string().nullable(),
  image_url: z.string().nullable(),
  is_admin: z.boolean(),
  is_guest: z.boolean(),
  is_bot: z.boolean(),
  updated_at: z.string(),
});

export const Channel = z.object({
  id: z.string(),
  name: z.string(),
  topic: z.string(),
  purpose: z.string(),
  is_private: z.boolean(),
  /** Whether the app was invited. Only then can it read the messages. */
  is_member: z.boolean(),
  members: z.number().nullable(),
  creator_id: z.string().nullable(),
  created_at: z.string(),
});

export const Message = z.object({
  /** `<channel>:<ts>`, because a ts is unique only within its channel. */
  id: z.string(),
  channel_id: z.string(),
  ts: z.string(),
  thread_ts: z.string().nullable(),
  subtype: z.string().nullable(),
  /** Null for messages of apps. */
  user_id: z.string().nullable(),
  bot_id: z.string().nullable(),
  text: z.string(),
  replies: z.number(),
  is_edited: z.boolean(),
  sent_at: z.string(),
});
