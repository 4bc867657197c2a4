import * as z from 'zod';

export const User = z.object({
  id: z.string(),
  type: z.enum(['person', 'bot']),
  name: z.string(),
  /** Null for bots, and when the integration may not read addresses. */
  email: z.string().nullable(),
  avatar_url: z.string().nullable(),
});

export const Page = z.object({
  id: z.string(),
  title: z.string(),
  url: z.string(),
  parent_type: z.enum(['workspace', 'page_id', 'database_id', 'block_id']),
  /** Null for pages at the top of the workspace. */
  parent_id: z.string().nullable(),
  created_at: z.string(),
  created_by: z.string(),
  edited_at: z.string(),
  edited_by: z.string(),
});

export const Row = z.object({
  id: z.string(),
  title: z.string(),
  url: z.string(),
  /** By column name. */
  properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()])),
  created_at: z.string(),
  edited_at: z.string(),
});

/** https://developers.notion.com/reference/request-limits: 2,000 characters per text, 100 blocks per request. */
export const Paragraphs = z.array(z.string().max(2000)).max(100);

/** https://developers.notion.com/reference/block#paragraph */
export function toParagraph(text: string): object {
  return { object: 'block', type: 'paragraph', paragraph: { rich_text: [{ type: 'text', text: { content: text } }] } };
}
