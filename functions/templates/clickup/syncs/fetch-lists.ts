import { createSync } from 'homeport';
import type * as z from 'zod';
import { readWorkspaces } from '../clickup-responses.js';
import { List } from '../models.js';

interface Identified {
  id: string;
  name: string;
}

interface Folder extends Identified {
  lists: Identified[];
}

/** A full sync: a missing list is marked as deleted. `create-task` needs the id of a list. */
export default createSync({
  description: 'Keeps a copy of the lists of all workspaces, with the folders and spaces that contain them',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  models: { List },

  exec: async (nango) => {
    await nango.trackDeletesStart('List');

    for (const workspace of await readWorkspaces(nango)) {
      // https://developer.clickup.com/reference/getspaces. These lists have no pages.
      const { spaces } = await read<{ spaces: Identified[] }>(`/api/v2/team/${workspace.id}/space`);
      for (const space of spaces) {
        // https://developer.clickup.com/reference/getfolders, https://developer.clickup.com/reference/getfolderlesslists
        const { folders } = await read<{ folders: Folder[] }>(`/api/v2/space/${space.id}/folder`);
        const { lists } = await read<{ lists: Identified[] }>(`/api/v2/space/${space.id}/list`);

        const within = folders.flatMap((folder) => folder.lists.map((list) => ({ list, folder })));
        const beside = lists.map((list) => ({ list, folder: null }));
        await nango.batchSave(
          [...within, ...beside].map(({ list, folder }) => toList(list, { folder, space, workspace })),
          'List',
        );
      }
    }

    await nango.trackDeletesEnd('List');

    async function read<T>(endpoint: string): Promise<T> {
      const { data } = await nango.get<T>({ endpoint, params: { archived: false }, retries: 3 });
      return data;
    }
  },
});

function toList(
  list: Identified,
  { folder, space, workspace }: { folder: Identified | null; space: Identified; workspace: Identified },
): z.infer<typeof List> {
  return {
    id: list.id,
    name: list.name,
    folder_id: folder?.id ?? null,
    folder_name: folder?.name ?? null,
    space_id: space.id,
    space_name: space.name,
    workspace_id: workspace.id,
  };
}
