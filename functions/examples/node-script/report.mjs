// Prints how many issues are open, and creates an issue for the oldest one: node report.mjs
import { Nango } from '@nangohq/node';

const nango = new Nango({ host: process.env.HOMEPORT, apiKey: process.env.HOMEPORT_SECRET_KEY });
const of = { providerConfigKey: 'practice', connectionId: 'me' };

/** All records that the sync `fetch-issues` has stored, page by page. */
async function* issues() {
  let cursor;
  do {
    const page = await nango.listRecords({ ...of, model: 'Issue', limit: 100, ...(cursor ? { cursor } : {}) });
    yield* page.records;
    cursor = page.next_cursor;
  } while (cursor);
}

const open = [];
let all = 0;
for await (const issue of issues()) {
  all += 1;
  if (issue.state === 'open') open.push(issue);
}
console.log(`${open.length} of ${all} issues are open.`);

// A request to the provider: the hub adds the credentials.
const [oldest] = open.sort((a, b) => a.created_at.localeCompare(b.created_at));
if (!oldest) process.exit(0);
const { data } = await nango.get({ ...of, endpoint: `/v1/issues/${oldest.id}` });
console.log(`The oldest is #${data.number}: ${data.title}`);

// An action: a function of the hub, with a checked input.
const made = await nango.triggerAction('practice', 'me', 'create-issue', { title: `Look at #${data.number}` });
console.log(`Created #${made.number}: ${made.title}`);
