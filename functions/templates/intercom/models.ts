import * as z from 'zod';

export const Contact = z.object({
  id: z.string(),
  /** A lead is somebody who did not sign up yet. */
  role: z.enum(['user', 'lead']),
  /** What the application that uses Intercom calls the contact. */
  external_id: z.string().nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  owner_id: z.string().nullable(),
  is_unsubscribed: z.boolean(),
  custom_attributes: z.record(z.string(), z.unknown()),
  last_seen_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const Conversation = z.object({
  id: z.string(),
  title: z.string().nullable(),
  state: z.enum(['open', 'closed', 'snoozed']),
  /** How it began: conversation, email, facebook, instagram, phone_call, ... */
  channel: z.string().nullable(),
  /** The first message, as HTML. */
  first_message: z.string().nullable(),
  is_read: z.boolean(),
  is_priority: z.boolean(),
  contact_ids: z.array(z.string()),
  assignee_id: z.string().nullable(),
  team_id: z.string().nullable(),
  tags: z.array(z.string()),
  /** Since when the contact has had no answer; null when there is nothing to answer. */
  waiting_since: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
