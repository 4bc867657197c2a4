import type { HttpError } from 'homeport';
import type * as z from 'zod';
import type { Page } from './models.js';
import { type NotionProperty, plainText } from './plain-property.js';

/** https://developers.notion.com/reference/page */
export interface NotionPage {
  id: string;
  url: string;
  parent: { type: z.infer<typeof Page>['parent_type']; page_id?: string; database_id?: string; block_id?: string };
  properties: Record<string, NotionProperty>;
  archived: boolean;
  created_time: string;
  created_by: { id: string };
  last_edited_time: string;
  last_edited_by: { id: string };
}

export function toPage(page: NotionPage): z.infer<typeof Page> {
  const { type, page_id, database_id, block_id } = page.parent;
  return {
    id: page.id,
    title: titleOf(page),
    url: page.url,
    parent_type: type,
    parent_id: page_id ?? database_id ?? block_id ?? null,
    created_at: page.created_time,
    created_by: page.created_by.id,
    edited_at: page.last_edited_time,
    edited_by: page.last_edited_by.id,
  };
}

/** The title column may have any name; every page has exactly one. */
export function titleOf({ properties }: NotionPage): string {
  return plainText(Object.values(properties).find(({ type }) => type === 'title')?.title);
}

/**
 * Notion's explanation of a refused request, for the caller of an action. Undefined for failures that the caller cannot
 * fix. Codes: https://developers.notion.com/reference/status-codes
 */
export function refusalOf(error: unknown): { code: string; status: number; message: string } | undefined {
  if (!(error instanceof Error)) return undefined;
  const { status, response } = error as HttpError<{ code?: string; message?: string }>;
  if (!status || status < 400 || status > 499 || status === 401 || status === 429) return undefined;
  const { code = 'refused_by_notion', message = error.message } = response?.data ?? {};
  return { code, status, message };
}
