import { FLOW_LIFETIME_MS } from '../../../server/authorization/flow-states.ts';
import { MAX_SAVED_INPUTS, MAX_SAVED_REQUESTS } from '../../../server/contract/dashboard/list-limits.ts';
import { MAX_TAG_VALUE_LENGTH, MAX_TAGS } from '../../../server/contract/fields.ts';
import { MIN_FREQUENCY_MS } from '../../../server/contract/frequency.ts';
import { MAX_NOTIFIED_VIEWS } from '../../../server/dashboard/dashboard-notifications.contract.ts';
import { DEFAULT_SETTINGS } from '../../../server/environments/environment-settings.ts';
import { MAX_DESCRIPTION_BYTES } from '../../../server/integrations/descriptions/read-description.ts';
import { CHANGES_KEPT_MS } from '../../../server/integrations/integration-changes.store.ts';
import { SESSION_LIMITS } from '../../../server/limits/call-limits.ts';
import { MAX_HAR_ENTRIES } from '../../../server/log/har-document.contract.ts';
import { MAX_BODY_BYTES } from '../../../server/log/traffic-tap.ts';
import { APPROVAL_TIMEOUT_MS } from '../../../server/mcp/approvals.ts';
import { LARGE_BODY_BYTES, SMALL_BODY_BYTES } from '../../../server/platform/http/body-reader.ts';
import { MAX_JSON_DEPTH, MAX_KEYS } from '../../../server/platform/lib/json-limits.ts';
import { RUN_LIMITS, RUN_TIMEOUT_MS } from '../../../server/platform/sandbox/run-limits.ts';
import { DEFAULT_QUERY_ROWS, MOST_QUERY_ROWS } from '../../../server/queries/queries.contract.ts';
import { QUERY_TIME_MS } from '../../../server/queries/queries.service.ts';
import { MAX_ATTEMPTS } from '../../../server/webhooks-out/delivery-runner.ts';
import { MAX_DESTINATIONS } from '../../../server/webhooks-out/destination-fields.contract.ts';
import { REFERENCE, type WrittenPage, writeTable } from './written-page.ts';

const UNITS: ReadonlyArray<readonly [ms: number, name: string]> = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
];

function duration(ms: number): string {
  const [size, name] = UNITS.find(([unit]) => ms >= unit && ms % unit === 0) ?? [1, 'ms'];
  const count = ms / size;
  return `${count} ${name}${count === 1 || name === 'ms' ? '' : 's'}`;
}

const count = (value: number): string => value.toLocaleString('en-US');

function bytes(value: number): string {
  for (const [size, name] of [
    [1_048_576, 'MB'],
    [1000, 'kB'],
  ] as const)
    if (value >= size && value % size === 0) return `${value / size} ${name}`;
  return `${count(value)} bytes`;
}

const kept = (days: number | null): string => (days === null ? 'for ever' : duration(days * 86_400_000));

const { logMegabytes, logRetentionDays, webhookRetentionDays } = DEFAULT_SETTINGS;

/** Each row: what is limited, the limit, and what happens there or where it is changed. */
const PARTS: ReadonlyArray<readonly [title: string, rows: ReadonlyArray<readonly string[]>]> = [
  [
    'Requests to the API',
    [
      ['Body with a secret key', bytes(LARGE_BODY_BYTES), '413 `request_too_large`'],
      ['Body without a key', bytes(SMALL_BODY_BYTES), '413 `request_too_large`'],
      ['Levels of a JSON document', count(MAX_JSON_DEPTH), '400'],
      ['Members of a JSON document', count(MAX_KEYS), '400'],
      ['Calls of an environment a minute', 'none', 'settings, `rate_limit_per_minute`; then 429'],
      ['Tags of a connection', count(MAX_TAGS), '400 `invalid_body`'],
      ['Length of a tag', `${MAX_TAG_VALUE_LENGTH} characters`, '400 `invalid_body`'],
    ],
  ],
  [
    'Functions',
    [
      ['Memory of a run', `${RUN_LIMITS.memoryMb} MB`, 'the run ends with `function_runtime_out_of_memory`'],
      ['Time of a sync', duration(RUN_TIMEOUT_MS.sync), 'the run ends as a timeout'],
      ['Time of `onWebhook`', duration(RUN_TIMEOUT_MS.webhook), 'the same'],
      ['Time of an action', duration(RUN_TIMEOUT_MS.action), 'the same'],
      ['Time of an event function', duration(RUN_TIMEOUT_MS['on-event']), 'the same'],
      [
        'One message between function and hub',
        bytes(RUN_LIMITS.messageBytes),
        'the call throws; save records in smaller batches',
      ],
      ['Shortest frequency of a sync', duration(MIN_FREQUENCY_MS), 'the function does not compile'],
    ],
  ],
  [
    'Agents',
    [
      [
        'Calls of a session a minute',
        count(SESSION_LIMITS.callsPerMinute ?? 0),
        'Agents, Limits; then 429 `call_rate_reached`',
      ],
      ['Writes of a session', count(SESSION_LIMITS.writes ?? 0), 'Agents, Limits; then 403 `call_limit_reached`'],
      ['The same call again', count(SESSION_LIMITS.repeats ?? 0), 'Agents, Limits'],
      ['Wait for your answer to a question', duration(APPROVAL_TIMEOUT_MS), 'the agent is told to ask again'],
    ],
  ],
  [
    'Records in SQL',
    [
      ['Time of a statement', duration(QUERY_TIME_MS), 'the statement ends'],
      ['Rows of a result', count(DEFAULT_QUERY_ROWS), `\`--limit\`, at most ${count(MOST_QUERY_ROWS)}`],
    ],
  ],
  [
    'Webhooks',
    [
      ['Attempts to deliver one', count(MAX_ATTEMPTS), 'Webhooks, Outgoing: send again'],
      ['Further destinations of an environment', count(MAX_DESTINATIONS), ''],
      ['A webhook is kept', kept(webhookRetentionDays), 'settings, `retention`'],
    ],
  ],
  [
    'What is kept',
    [
      ['Logs', `${kept(logRetentionDays)}, at most ${logMegabytes} MB`, 'settings, `retention`'],
      ['Body of a recorded request', bytes(MAX_BODY_BYTES), 'the rest is cut, and says so'],
      ['Requests of one HAR file', count(MAX_HAR_ENTRIES), ''],
      ['History of an integration', duration(CHANGES_KEPT_MS), ''],
      ['A sign-in that was begun', duration(FLOW_LIFETIME_MS), 'begin again'],
      ['API description that is read', bytes(MAX_DESCRIPTION_BYTES), 'the import says so'],
      ['Saved inputs of a function; saved requests', `${MAX_SAVED_INPUTS}; ${MAX_SAVED_REQUESTS}`, 'the form says so'],
      ['Saved views with a notice', count(MAX_NOTIFIED_VIEWS), 'the form says so'],
    ],
  ],
];

/** The limits of the program, from the constants that it checks. */
export function limitsPage(): WrittenPage {
  const parts = PARTS.map(
    ([title, rows]) => `## ${title}\n\n${writeTable(['What', 'Limit', 'There, or where to change it'], rows)}`,
  );
  return {
    name: 'limits',
    title: 'Limits',
    about: 'sizes, times and counts, and what happens at each',
    section: REFERENCE,
    text: `# Limits

A limit that is reached is an error that says so; nothing is dropped in silence.

${parts.join('\n\n')}
`,
  };
}
