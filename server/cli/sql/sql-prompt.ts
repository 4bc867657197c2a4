import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { QueryView } from '../../queries/queries.contract.ts';
import { sqlName, sqlView } from '../../queries/sql-text.contract.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure } from '../cli-failure.ts';
import type { HubClient } from '../hub/hub-client.ts';
import { answer, readViews, type SqlFormat, showViews } from './sql-answer.ts';

/** In the data folder: statements may contain personal data. */
const HISTORY_FILE = 'sql-history';
const HISTORY_LINES = 500;
const FORMATS: readonly SqlFormat[] = ['table', 'csv', 'json', 'ndjson'];
const KEYWORDS = [
  ...['SELECT', 'FROM', 'WHERE', 'GROUP BY', 'ORDER BY', 'HAVING', 'LIMIT', 'JOIN', 'LEFT JOIN', 'USING', 'DISTINCT'],
  ...[
    'count(*)',
    'sum(',
    'avg(',
    'min(',
    'max(',
    'date_trunc(',
    'DESCRIBE',
    'SUMMARIZE',
    'UNION ALL',
    'WITH',
    'BETWEEN',
  ],
];
const HELP = [
  'A statement ends with a semicolon and may have several lines. Tab completes views, columns and words.',
  '  .views            the views and their columns',
  `  .format <format>  ${FORMATS.join(', ')}`,
  '  .exit             ends, as Ctrl-D does',
];

interface Prompt {
  hub: HubClient;
  format: SqlFormat;
  limit: number | undefined;
}

/** Reads statements until the person ends it. A statement that fails says why, and the next one can be asked. */
export async function promptSql(context: CliContext, { hub, format: first, limit }: Prompt): Promise<void> {
  const { config, terminal } = context;
  const views = await readViews(hub);
  const file = join(config.home, HISTORY_FILE);
  const { input, output } = terminal.stdio();
  let format = first;
  let entered = '';
  const lines = createInterface({
    input,
    output,
    terminal: true,
    prompt: 'sql> ',
    history: await readHistory(file),
    historySize: HISTORY_LINES,
    removeHistoryDuplicates: true,
    completer: (line: string) => completeSql(line, views),
  });
  let history: string[] = [];
  lines.on('history', (kept: string[]) => {
    history = kept;
  });
  terminal.note('Records in SQL. A statement ends with a semicolon; .help says more, Ctrl-D ends.');
  lines.on('SIGINT', () => {
    entered = '';
    output.write('\n');
    lines.setPrompt('sql> ');
    lines.prompt();
  });
  lines.prompt();
  for await (const line of lines) {
    const word = line.trim();
    if (entered === '' && word.startsWith('.')) {
      const [command, value] = word.split(/\s+/);
      if (command === '.exit' || command === '.quit') break;
      if (command === '.views') showViews(terminal, views);
      else if (command === '.format' && FORMATS.includes(value as SqlFormat)) format = value as SqlFormat;
      else for (const text of HELP) terminal.note(text);
    } else {
      entered = entered === '' ? line : `${entered}\n${line}`;
      if (entered.trimEnd().endsWith(';')) {
        const sql = entered.trimEnd().slice(0, -1).trim();
        entered = '';
        if (sql !== '') await tryAnswer(() => answer(context, hub, { sql, limit }, { format }), context);
      }
    }
    if (entered.trim() === '') entered = '';
    lines.setPrompt(entered === '' ? 'sql> ' : '...> ');
    lines.prompt();
  }
  lines.close();
  await writeFile(file, `${history.join('\n')}\n`, { mode: 0o600 });
}

async function tryAnswer(work: () => Promise<void>, { terminal }: CliContext): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    terminal.fail(error);
  }
}

async function readHistory(file: string): Promise<string[]> {
  try {
    return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  } catch {
    // There is none yet, or it cannot be read: the prompt works without it.
    return [];
  }
}

/** What may stand for the word at the end of the line: views, columns of the views that the line names, and words. */
export function completeSql(line: string, views: readonly QueryView[]): [string[], string] {
  const word = lastWord(line);
  const lower = word.toLowerCase();
  const named = views.filter((view) => line.toLowerCase().includes(sqlView(view).toLowerCase()));
  const columns = (named.length > 0 ? named : views).flatMap((view) => view.columns.map(({ name }) => sqlName(name)));
  const isAfterFrom = /\b(from|join)\s$/i.test(line.slice(0, line.length - word.length));
  const candidates = isAfterFrom ? views.map(sqlView) : [...columns, ...views.map(sqlView), ...KEYWORDS];
  return [[...new Set(candidates)].filter((one) => one.toLowerCase().startsWith(lower)), word];
}

/** Letters, digits and what stands in names, up to the end. */
function lastWord(line: string): string {
  let at = line.length;
  while (at > 0 && /[\w."]/.test(line.charAt(at - 1))) at -= 1;
  return line.slice(at);
}
