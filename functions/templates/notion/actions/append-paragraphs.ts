import { createAction } from 'homeport';
import * as z from 'zod';
import { Paragraphs, toParagraph } from '../models.js';
import { refusalOf } from '../notion-responses.js';

const NewText = z.object({
  page_id: z.string().min(1),
  paragraphs: Paragraphs.min(1),
});

const Appended = z.object({ block_ids: z.array(z.string()) });

export default createAction({
  description: 'Adds paragraphs at the end of a page',
  version: '1.0.0',
  input: NewText,
  output: Appended,

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: NewText, input });

    try {
      // https://developers.notion.com/reference/patch-block-children
      const response = await nango.patch<{ results: Array<{ id: string }> }>({
        endpoint: `/v1/blocks/${encodeURIComponent(data.page_id)}/children`,
        data: { children: data.paragraphs.map(toParagraph) },
      });
      return { block_ids: response.data.results.map(({ id }) => id) };
    } catch (error) {
      const refusal = refusalOf(error);
      throw refusal ? new nango.ActionError(refusal) : error;
    }
  },

  undo: async (nango, { output }) => {
    for (const id of output.block_ids) await nango.delete({ endpoint: `/v1/blocks/${id}`, retries: 3 });
  },
});
