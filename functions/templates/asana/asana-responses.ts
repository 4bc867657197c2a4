import type { FunctionContext, HttpError } from 'homeport';
import type * as z from 'zod';
import type { Task } from './models.js';

interface Identified {
  gid: string;
}

/** https://developers.asana.com/reference/tasks */
export interface AsanaTask {
  gid: string;
  name: string;
  notes: string | null;
  completed: boolean;
  memberships: Array<{ project: Identified; section: { name: string } | null }>;
  parent: Identified | null;
  assignee: Identified | null;
  tags: Array<{ name: string }>;
  start_on: string | null;
  due_on: string | null;
  due_at: string | null;
  permalink_url: string;
  created_at: string;
  modified_at: string;
  completed_at: string | null;
}

/** Asana answers only id and name by default: https://developers.asana.com/docs/inputoutput-options */
export const TASK_FIELDS = [
  'name',
  'notes',
  'completed',
  'memberships.project.gid',
  'memberships.section.name',
  'parent.gid',
  'assignee.gid',
  'tags.name',
  'start_on',
  'due_on',
  'due_at',
  'permalink_url',
  'created_at',
  'modified_at',
  'completed_at',
];

export function toTask(task: AsanaTask): z.infer<typeof Task> {
  return {
    id: task.gid,
    name: task.name,
    notes: task.notes || null,
    is_completed: task.completed,
    projects: task.memberships.map(({ project, section }) => ({ id: project.gid, section: section?.name ?? null })),
    parent_id: task.parent?.gid ?? null,
    assignee_id: task.assignee?.gid ?? null,
    tags: task.tags.map(({ name }) => name),
    start_on: task.start_on,
    due_on: task.due_on,
    due_at: task.due_at,
    url: task.permalink_url,
    created_at: task.created_at,
    modified_at: task.modified_at,
    completed_at: task.completed_at,
  };
}

/** A change in the form of the event list and of webhooks: https://developers.asana.com/reference/events */
export interface AsanaEvent {
  action: 'added' | 'changed' | 'deleted' | 'removed' | 'undeleted';
  resource: { gid: string; resource_type: string };
}

/** The ids of the tasks in the events, each once. */
export function taskIds(events: AsanaEvent[]): string[] {
  const tasks = events.filter(({ resource }) => resource.resource_type === 'task');
  return [...new Set(tasks.map(({ resource }) => resource.gid))];
}

/** Undefined when the task was deleted or is not accessible. */
export async function readTask(nango: FunctionContext, id: string): Promise<AsanaTask | undefined> {
  try {
    // https://developers.asana.com/reference/gettask
    const { data } = await nango.get<{ data: AsanaTask }>({
      endpoint: `/api/1.0/tasks/${encodeURIComponent(id)}`,
      params: { opt_fields: TASK_FIELDS },
      retries: 3,
    });
    return data.data;
  } catch (error) {
    if (readRefusal(error)?.status === 404) return undefined;
    throw error;
  }
}

/** Asana's explanation of a refused request. */
export interface Refusal {
  status: number;
  message: string;
}

/** Statuses of refusals that explain the request. Errors about limits, outages and lost access are thrown unchanged. */
const EXPLAINED = [400, 404];

/** https://developers.asana.com/docs/errors */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as HttpError<{ errors?: Array<{ message: string }> }>;
  if (!response || !EXPLAINED.includes(response.status)) return undefined;
  const said = (response.data.errors ?? []).map(({ message }) => message).join(' ');
  return { status: response.status, message: said || error.message };
}
