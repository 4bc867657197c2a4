import { createSync } from 'homeport';
import type * as z from 'zod';
import { Project } from '../models.js';

interface Workspace {
  gid: string;
  name: string;
}

/** https://developers.asana.com/reference/projects */
interface AsanaProject {
  gid: string;
  name: string;
  notes: string | null;
  archived: boolean;
  owner: { gid: string } | null;
  team?: { gid: string } | null;
  start_on: string | null;
  due_on: string | null;
  permalink_url: string;
  created_at: string;
  modified_at: string;
}

const PROJECT_FIELDS = [
  'name',
  'notes',
  'archived',
  'owner.gid',
  'team.gid',
  'start_on',
  'due_on',
  'permalink_url',
  'created_at',
  'modified_at',
];

/** A full sync: a missing project is marked as deleted. `fetch-tasks` needs the id of a project. */
export default createSync({
  description: 'Keeps a copy of the projects of all workspaces',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  models: { Project },
  scopes: ['default'],

  exec: async (nango) => {
    await nango.trackDeletesStart('Project');

    // https://developers.asana.com/docs/pagination: the catalogue entry defines cursor and results.
    const workspaces = nango.paginate<Workspace>({
      endpoint: '/api/1.0/workspaces',
      paginate: { limit: 100 },
      retries: 3,
    });

    for await (const some of workspaces) {
      for (const workspace of some) {
        // https://developers.asana.com/reference/getprojects
        const pages = nango.paginate<AsanaProject>({
          endpoint: '/api/1.0/projects',
          params: { workspace: workspace.gid, opt_fields: PROJECT_FIELDS },
          paginate: { limit: 100 },
          retries: 3,
        });

        for await (const projects of pages) {
          await nango.batchSave(
            projects.map((project) => toProject(project, workspace)),
            'Project',
          );
        }
      }
    }

    await nango.trackDeletesEnd('Project');
  },
});

function toProject(project: AsanaProject, workspace: Workspace): z.infer<typeof Project> {
  return {
    id: project.gid,
    workspace_id: workspace.gid,
    workspace_name: workspace.name,
    name: project.name,
    notes: project.notes || null,
    is_archived: project.archived,
    owner_id: project.owner?.gid ?? null,
    team_id: project.team?.gid ?? null,
    start_on: project.start_on,
    due_on: project.due_on,
    url: project.permalink_url,
    created_at: project.created_at,
    modified_at: project.modified_at,
  };
}
