import { createAction } from 'homeport';
import * as z from 'zod';
import { Page, Paragraphs, toParagraph } from '../models.js';
import { type NotionPage, refusalOf, toPage } from '../notion-responses.js';

const NewPage = z.object({
  /** The page must be shared with the integration. */
  parent_page_id: z.string().min(1),
  title: z.string().min(1).max(2000),
  paragraphs: Paragraphs.optional(),
});

export default createAction({
  description: 'Creates a page with a title and paragraphs below another page',
  version: '1.0.0',
  input: NewPage,
  output: Page,

  exec: async (nango, input) => {
    const { data } = await nango.zodValidateInput({ zodSchema: NewPage, input });

    try {
      // https://developers.notion.com/reference/post-page
      // No retries: a request that created the page and lost its response must not create a second one.
      const response = await nango.post<NotionPage>({
        endpoint: '/v1/pages',
        data: {
          parent: { page_id: data.parent_page_id },
          properties: { title: { title: [{ type: 'text', text: { content: data.title } }] } },
          children: (data.paragraphs ?? []).map(toParagraph),
        },
      });
      return toPage(response.data);
    } catch (error) {
      const refusal = refusalOf(error);
      throw refusal ? new nango.ActionError(refusal) : error;
    }
  },

  // Moves the page to the trash.
  undo: async (nango, { output }) => {
    const endpoint = `/v1/pages/${output.id}`;
    const { data: now } = await nango.get<NotionPage>({ endpoint, retries: 3 });
    if (now.last_edited_time !== output.edited_at)
      throw new nango.ActionError({ code: 'changed_since', message: 'The page was changed since that call.' });
    await nango.patch({ endpoint, data: { archived: true } });
  },
});
