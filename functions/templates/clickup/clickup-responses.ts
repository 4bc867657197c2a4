import type { FunctionContext, HttpError } from 'homeport';
import type * as z from 'zod';
import type { Task } from './models.js';

/** https://developer.clickup.com/reference/gettask. Times are milliseconds since the epoch, as text. */
export interface ClickupTask {
  id: string;
  custom_id: string | null;
  name: string;
  text_content?: string | null;
  description?: string | null;
  status: { status: string; type: string };
  priority: { priority: string } | null;
  tags: Array<{ name: string }>;
  assignees: Array<{ id: number }>;
  creator: { id: number };
  list: { id: string };
  space: { id: string };
  parent: string | null;
  archived: boolean;
  url: string;
  start_date: string | null;
  due_date: string | null;
  date_created: string;
  date_updated: string;
  date_closed: string | null;
}

export function toTask(task: ClickupTask): z.infer<typeof Task> {
  return {
    id: task.id,
    custom_id: task.custom_id,
    name: task.name,
    description: task.text_content || task.description || null,
    status: task.status.status,
    status_type: task.status.type,
    priority: task.priority?.priority ?? null,
    tags: task.tags.map(({ name }) => name),
    assignee_ids: task.assignees.map(({ id }) => String(id)),
    creator_id: String(task.creator.id),
    list_id: task.list.id,
    space_id: task.space.id,
    parent_id: task.parent,
    is_archived: task.archived,
    url: task.url,
    start_at: toIso(task.start_date),
    due_at: toIso(task.due_date),
    created_at: toIso(Number(task.date_created)),
    updated_at: toIso(Number(task.date_updated)),
    closed_at: toIso(task.date_closed),
  };
}

function toIso(milliseconds: number): string;
function toIso(milliseconds: string | null): string | null;
function toIso(milliseconds: string | number | null): string | null {
  return milliseconds === null ? null : new Date(Number(milliseconds)).toISOString();
}

/** Version 2 of the API calls workspaces teams: https://developer.clickup.com/reference/getauthorizedteams */
export async function readWorkspaces(nango: FunctionContext): Promise<Array<{ id: string; name: string }>> {
  const { data } = await nango.get<{ teams: Array<{ id: string; name: string }> }>({
    endpoint: '/api/v2/team',
    retries: 3,
  });
  return data.teams;
}

/** ClickUp's explanation of a refused request. */
export interface Refusal {
  status: number;
  /** For example `ITEM_013`. */
  error: string | undefined;
  message: string;
}

/** Statuses of refusals that explain the request. Errors about limits, outages and lost access are thrown unchanged. */
const EXPLAINED = [400, 404];

/** https://developer.clickup.com/docs/common_errors */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as HttpError<{ err?: string; ECODE?: string }>;
  if (!response || !EXPLAINED.includes(response.status)) return undefined;
  const { err, ECODE } = response.data;
  return { status: response.status, error: ECODE, message: err ?? error.message };
}
