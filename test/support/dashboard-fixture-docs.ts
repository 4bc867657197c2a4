import type { DocsEntry, DocsPage } from '../../server/contract/docs-tree.ts';

/** A small documentation that does not change with the pages of the product. */
const ENTRIES: DocsEntry[] = [
  { name: 'records', title: 'Records', about: 'reading what syncs have stored', section: 'Data' },
  { name: 'errors', title: 'Errors', about: 'every error code', section: 'Reference' },
];

const PAGES: DocsPage[] = [
  {
    name: 'records',
    title: 'Records',
    content: [
      {
        tag: 'p',
        children: [
          'Records are read page by page. ',
          { tag: 'a', href: 'errors#not_found', children: ['Errors'] },
          ' have a ',
          { tag: 'code', children: ['code'] },
          '.',
        ],
      },
      { tag: 'h2', id: 'read', children: ['Read'] },
      { code: 'export HOMEPORT_SECRET_KEY=paste-the-secret-key-here', language: 'sh' },
      { code: 'GET /records?model=Issue\nConnection-Id: me', language: 'http', runs: true },
      {
        code: "nango.listRecords({ model: 'Issue' });",
        language: 'js',
        pieces: [['nango.listRecords({ model: '], ["'Issue'", 'tok-string'], [' });']],
      },
      { tag: 'h2', id: 'limits', children: ['Limits'] },
      {
        tag: 'table',
        children: [
          {
            tag: 'thead',
            children: [
              {
                tag: 'tr',
                children: [
                  { tag: 'th', children: ['What'] },
                  { tag: 'th', children: ['Limit'] },
                ],
              },
            ],
          },
          {
            tag: 'tbody',
            children: [
              {
                tag: 'tr',
                children: [
                  { tag: 'td', children: ['Page'] },
                  { tag: 'td', children: ['1000 records'] },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
  { name: 'errors', title: 'Errors', content: [{ tag: 'h2', id: 'not_found', children: ['not_found'] }] },
];

/** The content of a file below `/docs/`; undefined when there is none. */
export function fixtureDocs(file: string): unknown {
  return file === 'pages.json' ? ENTRIES : PAGES.find(({ name }) => file === `${name}.json`);
}
