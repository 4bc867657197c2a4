// An agent without a model: it gets a session, finds a tool for a task and calls it. In the place of `choose` a model would
// read what was found. node agent.mjs "create an issue" '{"title": "Hello"}'
const hub = process.env.HOMEPORT ?? 'http://127.0.0.1:3003';
const [task = 'create an issue', input = '{"title": "Hello from an agent"}'] = process.argv.slice(2);

/** What the backend of the agent does: the session may use one connection, for ten minutes, and no other key leaves it. */
async function createSession() {
  const response = await fetch(`${hub}/sessions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${process.env.HOMEPORT_SECRET_KEY}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      tenant: { connections: { pinned: [{ integration_id: 'practice', connection_id: 'me' }] } },
      expires_in: '10m',
    }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.error.message ?? answer.error.code} ${answer.error.docs ?? ''}`);
  return answer.data;
}

const session = await createSession();
let id = 0;

/** Calls a tool of the session: MCP over HTTP, one request a call. */
async function callTool(name, args) {
  id += 1;
  const response = await fetch(session.mcp_url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${session.session_token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(error.message);
  return result;
}

const textOf = ({ content }) => content.map(({ text }) => text).join('\n');
const choose = (matches) => matches[0];

const found = await callTool('nango_tool_search', { queries: [task] });
const tool = choose(found.structuredContent.results[0].matches);
if (!tool) throw new Error(found.structuredContent.results[0].guidance);
console.log(`${tool.tool}: ${tool.description}`);

// A tool that changes something asks a person first: in the window, the tray or the terminal. The call waits for the answer.
const result = await callTool('nango_execute', { tool: tool.tool, input: JSON.parse(input) });
if (result.isError) {
  console.error(textOf(result));
  process.exitCode = 1;
} else console.log(textOf(result));
