import type { FunctionContext, HttpError } from 'homeport';
import type * as z from 'zod';
import { type DocumentNode, toPlainText } from './document.js';
import type { Issue } from './models.js';

/**
 * Returns the API address of the connected site: https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/
 */
export async function findApi(nango: FunctionContext): Promise<string> {
  const { connection_config: config } = await nango.getConnection();
  return `/ex/jira/${config.cloudId}/rest/api/3`;
}

interface Named {
  name: string;
}

interface Account {
  accountId: string;
}

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/ */
export interface JiraIssue {
  id: string;
  key: string;
  fields: {
    summary: string;
    description: DocumentNode | null;
    issuetype: Named;
    status: Named & { statusCategory: { key: string } };
    resolution: Named | null;
    /** Missing in projects without priorities. */
    priority?: Named | null;
    labels: string[];
    project: { id: string };
    parent?: { id: string };
    assignee: Account | null;
    reporter?: Account | null;
    duedate?: string | null;
    created: string;
    updated: string;
    resolutiondate: string | null;
  };
}

/** The fields that {@link toIssue} reads. */
export const ISSUE_FIELDS = [
  'summary',
  'description',
  'issuetype',
  'status',
  'resolution',
  'priority',
  'labels',
  'project',
  'parent',
  'assignee',
  'reporter',
  'duedate',
  'created',
  'updated',
  'resolutiondate',
];

export function toIssue({ id, key, fields }: JiraIssue): z.infer<typeof Issue> {
  return {
    id,
    key,
    summary: fields.summary,
    description: fields.description ? toPlainText(fields.description) : null,
    type: fields.issuetype.name,
    status: fields.status.name,
    status_category: fields.status.statusCategory.key,
    resolution: fields.resolution?.name ?? null,
    priority: fields.priority?.name ?? null,
    labels: fields.labels,
    project_id: fields.project.id,
    parent_id: fields.parent?.id ?? null,
    assignee_id: fields.assignee?.accountId ?? null,
    reporter_id: fields.reporter?.accountId ?? null,
    due_date: fields.duedate ?? null,
    created_at: toIso(fields.created),
    updated_at: toIso(fields.updated),
    resolved_at: fields.resolutiondate === null ? null : toIso(fields.resolutiondate),
  };
}

/** Jira writes the offset without a colon: 2026-02-10T12:45:10.112+0100. */
export function toIso(time: string): string {
  return new Date(time).toISOString();
}

/** Jira's explanation of a refused request. */
export interface Refusal {
  status: number;
  message: string;
  /** Problems by field name. */
  errors: Record<string, string>;
}

/** Statuses of refusals that explain the request. Errors about limits, outages and lost access are thrown unchanged. */
const EXPLAINED = [400, 404, 409, 422];

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#status-codes */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as HttpError<{ errorMessages?: string[]; errors?: Record<string, string> }>;
  if (!response || !EXPLAINED.includes(response.status)) return undefined;
  const { errorMessages = [], errors = {} } = response.data;
  const said = [...errorMessages, ...Object.values(errors)].join(' ');
  return { status: response.status, message: said || error.message, errors };
}
